/** Any origin works: it is only used to tell paths from other addresses. */
const base = 'http://app.invalid'

/** Returns a path of this app, or the fallback: never the address of another site, however it is written. */
export function localPath(value: unknown, fallback: string): string {
  if (typeof value !== 'string' || !value.startsWith('/')) return fallback
  const url = URL.parse(value, base)
  if (url?.origin !== base) return fallback
  const path = url.pathname + url.search
  // The parser reads `/.//evil.example` as a path, but browsers resolve the result to another site.
  return path.startsWith('//') ? fallback : path
}
