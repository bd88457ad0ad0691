/** The query of the next page, as a Link header names it (RFC 8288 section 3). */
export function nextPage(header: string): Readonly<Record<string, string>> | undefined {
  for (const link of header.split(/, *(?=<)/)) {
    const end = link.indexOf('>')
    const [, quoted, plain = ''] = /; *rel *= *(?:"([^"]*)"|([^ ;,"]+))/i.exec(link.slice(end)) ?? []
    if (!(quoted ?? plain).toLowerCase().split(' ').includes('next')) continue
    const start = link.indexOf('?')
    return start < 0 ? undefined : Object.fromEntries(new URLSearchParams(link.slice(start, end)))
  }
  return undefined
}
