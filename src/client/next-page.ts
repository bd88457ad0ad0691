/** The query of the next page, as a Link header names it (RFC 8288). */
export function nextPage(link: string | null): Readonly<Record<string, string>> | undefined {
  const [, query] = /<[^>?]*\?([^>]*)>; *rel="next"/.exec(link ?? '') ?? []
  return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query))
}
