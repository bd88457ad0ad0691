/** Any origin would do: it only tells paths from addresses. */
const base = 'http://app.invalid'

/** A path of this app to go to, or the fallback: never another site, however it is written. */
export function localPath(value: unknown, fallback: string): string {
  if (typeof value !== 'string' || !value.startsWith('/')) return fallback
  const url = URL.parse(value, base)
  if (url?.origin !== base) return fallback
  const path = url.pathname + url.search
  // `/.//evil.example` is a path to the parser, and another site to a browser once it is resolved.
  return path.startsWith('//') ? fallback : path
}
