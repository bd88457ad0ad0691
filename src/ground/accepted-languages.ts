/** A language range of `Accept-Language`, with its weight (RFC 9110 section 12.5.4). */
interface Range {
  readonly tag: string
  readonly position: number
  /** Between 0 and 1; not above 0 for a language that the browser rejects. */
  readonly weight: number
}

/** The languages that the browser accepts, best first; `*` without the header. */
export function acceptedTags(header: string | undefined): readonly string[] {
  return rangesOf(header)
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.position - b.position)
    .map(({ tag }) => tag)
}

/** The one of these tags that the browser prefers; undefined if it accepts none. */
export function preferredTag(header: string | undefined, tags: readonly string[]): string | undefined {
  const ranges = rangesOf(header)
  const [best] = tags
    .flatMap((tag) => matchOf(tag, ranges) ?? [])
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || b.fit - a.fit || a.position - b.position)
  return best?.supported
}

function rangesOf(header = '*'): readonly Range[] {
  return header.split(',').flatMap((part, position) => {
    const [tag = '', ...parameters] = part.split(';').map((each) => each.trim())
    if (!/^[^\s-]\S*$/.test(tag)) return []
    const weight = parameters.findLast((parameter) => parameter.startsWith('q='))?.slice(2)
    return { tag, position, weight: weight === undefined ? 1 : Number.parseFloat(weight) }
  })
}

/** The range that says most about a tag. */
function matchOf(supported: string, ranges: readonly Range[]) {
  return ranges
    .map((range) => ({ ...range, supported, fit: fitOf(supported.toLowerCase(), range.tag.toLowerCase()) }))
    .filter(({ fit }) => fit >= 0)
    .reduce<Match | undefined>((best, match) => (best && isBetter(best, match) ? best : match), undefined)
}

interface Match extends Range {
  readonly supported: string
  readonly fit: number
}

const isBetter = (a: Match, b: Match): boolean => (a.fit - b.fit || a.weight - b.weight || a.position - b.position) > 0

/** How closely a range describes a tag; negative where it describes another language. */
function fitOf(tag: string, range: string): number {
  if (range === tag) return 3
  // `de-AT` is served by `de`, and `de` by `de-AT`.
  if (mainOf(range) === tag) return 2
  if (range === mainOf(tag)) return 1
  return range === '*' ? 0 : -1
}

const mainOf = (tag: string): string => tag.split('-', 1)[0] ?? tag
