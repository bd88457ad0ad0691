export type Encoding = 'br' | 'gzip' | 'identity'

/** Chooses by the qualities of `Accept-Encoding` (RFC 9110 section 12.5.3). Callers who accept nothing get a file as it is. */
export function bestEncoding(accepted = ''): Encoding {
  const encodings = accepted.toLowerCase().matchAll(/(?:^|,)\s*([\w*-]+)(?:\s*;\s*q\s*=\s*([\d.]+))?\s*(?=,|$)/g)
  const qualities = new Map(Array.from(encodings, ([, name = '', quality = '1']) => [name, Number(quality)]))
  const otherQuality = qualities.get('*') ?? 0
  let best: Encoding = 'identity'
  let highest = qualities.get(best) ?? 0
  for (const encoding of ['gzip', 'br'] as const) {
    const quality = qualities.get(encoding) ?? otherQuality
    if (quality > 0 && quality >= highest) [best, highest] = [encoding, quality]
  }
  return best
}
