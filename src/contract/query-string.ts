/**
 * A query as every client of the REST interface writes it. A blank is `%20`: in the interface a plus is a plus, and a search for
 * `anna+berg` would find no one.
 * @returns the empty string without members, otherwise the question mark and the pairs. Absent members are left out.
 */
export function queryString(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
}
