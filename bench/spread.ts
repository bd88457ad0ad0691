/** What to say of measured times, milliseconds: their middle, and how far they spread. */
export function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const words = [`median ${milliseconds(median(times))}`, `90 % within ${milliseconds(at(sorted, 0.9))}`]
  return `${words.join(', ')}, ${milliseconds(at(sorted, 0))} to ${milliseconds(at(sorted, 1))} ms`
}

export function median(values: readonly number[]): number {
  return at(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const milliseconds = (value: number) => (value < 10 ? value.toFixed(1) : String(Math.round(value)))
