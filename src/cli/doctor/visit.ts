/** What an anonymous visitor was answered. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON of the body; undefined for another body. */
  readonly json: Readonly<Record<string, unknown>> | undefined
}

/** Why no answer came, in words. */
export interface NoAnswer {
  readonly failure: string
}

export type Visit = (path: string, accept: 'text/html' | 'application/json' | '*/*') => Promise<Answer | NoAnswer>

/** The time limit of one visit, ms. */
const timeout = 10_000

/** Visits pages below an address without cookies. Follows no redirect: where one leads is a finding. */
export function visitorOf(base: string): Visit {
  return async (path, accept) => {
    try {
      const response = await fetch(base + path, {
        headers: { accept, ...(accept === 'text/html' && { 'sec-fetch-mode': 'navigate' }) },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: readJson(text) }
    } catch (error) {
      return { failure: reasonOf(error) }
    }
  }
}

function readJson(text: string): Answer['json'] {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? (json as Answer['json']) : undefined
  } catch {
    return undefined
  }
}

/** The cause says more than "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${timeout / 1000} seconds`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return cause.message.includes(code) ? cause.message : `${code} ${cause.message}`
}
