/** Describes measured times, milliseconds: their median, and how far they spread. */
export function spread(times: readonly number[]): string {
  const words = [`median ${milliseconds(median(times))}`, `90 % within ${milliseconds(percentile(times, 0.9))}`]
  return `${words.join(', ')}, ${milliseconds(percentile(times, 0))} to ${milliseconds(percentile(times, 1))} ms`
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}

/** @param share From 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const milliseconds = (value: number) => (value < 10 ? value.toFixed(1) : String(Math.round(value)))
