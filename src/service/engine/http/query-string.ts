import { ApiProblem } from '../base/problem.ts'

/** Parses the query of a URL: percent-decoded only, so a plus stays a plus. The first of repeated names counts. */
export function parseQuery(url: string): Record<string, string> {
  const start = url.indexOf('?')
  if (start < 0) return {}
  const pairs = url
    .slice(start + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => splitPair(pair))
  return Object.fromEntries(pairs.toReversed())
}

function splitPair(pair: string): [string, string] {
  const equals = pair.indexOf('=')
  return equals < 0 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ApiProblem('api.error.malformed', 'The query must be percent-encoded UTF-8.')
  }
}
