/** More different texts than the callers of a service send, and so few that they cannot fill the memory. */
const [maxTexts, maxLength] = [500, 200]

/** Remembers what a pure function returned for short texts, such as a header that every request of a caller repeats. */
export function remember<T>(compute: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    const cached = results.get(text)
    if (cached !== undefined || text.length > maxLength) return cached ?? compute(text)
    const result = compute(text)
    if (results.size >= maxTexts) results.clear()
    results.set(text, result)
    return result
  }
}
