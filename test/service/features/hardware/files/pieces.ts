/** A text that arrives in pieces of a few characters, which end anywhere. */
export async function* pieces(text: string, size = 7): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size)
}

/** All elements of batches. */
export async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = []
  for await (const batch of batches) items.push(...batch)
  return items
}
