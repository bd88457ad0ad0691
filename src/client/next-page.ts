/** The query of the next page, as a Link header names it (RFC 8288). */
export function nextPage(link: string | null): Readonly<Record<string, string>> | undefined {
  const next = link?.split(',').find((part) => part.includes('rel="next"'))
  if (next === undefined) return undefined
  const address = next.slice(next.indexOf('<') + 1, next.indexOf('>'))
  const start = address.indexOf('?')
  return start < 0 ? undefined : Object.fromEntries(new URLSearchParams(address.slice(start)))
}
