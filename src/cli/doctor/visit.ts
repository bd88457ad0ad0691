import { systemClock } from '../../ground/clock.ts'

/** What an anonymous visitor was answered. */
export interface Answer {
  /** The time at which it came, by the clock of this machine; s. */
  readonly at: number
  readonly status: number
  readonly headers: Headers
  /** The JSON of the body; undefined for another body, and for one of more than a megabyte. */
  readonly json: Readonly<Record<string, unknown>> | undefined
}

/** Why no answer came, in words. */
export interface NoAnswer {
  readonly failure: string
  /** What to do, where that is not about the app or its address. */
  readonly advice?: string
}

export type Visit = (path: string, accept: 'text/html' | 'application/json' | '*/*') => Promise<Answer | NoAnswer>

/** The time limit of one visit, ms. */
const timeout = 10_000

/** No more of a body is read, bytes: a page may have no end. */
const maxBody = 1_048_576

/** Visits pages below an address without cookies. Follows no redirect: where one leads is a finding. */
export function visitorOf(base: string): Visit {
  return async (path, accept) => {
    let response: Response | undefined
    try {
      response = await fetch(base + path, {
        headers: { accept, ...(accept === 'text/html' && { 'sec-fetch-mode': 'navigate' }) },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout),
      })
      const at = systemClock.now()
      return { at, status: response.status, headers: response.headers, json: readJson(await readBody(response)) }
    } catch (error) {
      return noAnswer(error, response?.status)
    }
  }
}

/** @returns what fits into the limit. */
async function readBody({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > maxBody) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function readJson(text: string): Answer['json'] {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? (json as Answer['json']) : undefined
  } catch {
    return undefined
  }
}

/** @param status Of the answer, if its body is what failed. */
function noAnswer(error: unknown, status: number | undefined): NoAnswer {
  if (!(error instanceof Error)) return { failure: String(error) }
  if (error.name === 'TimeoutError') {
    const limit = `within ${timeout / 1000} seconds`
    if (status === undefined) return { failure: `no answer ${limit}` }
    return { failure: `answers (${status}), but the page does not end ${limit}`, advice: 'have the app end it' }
  }
  const { cause } = error
  // The cause says more than "fetch failed".
  if (!(cause instanceof Error)) return { failure: error.message }
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  // The message of OpenSSL names files of its source.
  if (code.startsWith('ERR_SSL_')) return { failure: `answers, but not over https (${code})` }
  if (/CERT|SIGNATURE/.test(code))
    return { failure: `has a certificate that is not valid here (${code})`, advice: trust }
  return { failure: cause.message.includes(code) ? cause.message : `${code} ${cause.message}` }
}

const trust = 'if it is that of an authority of yours, set NODE_EXTRA_CA_CERTS to the file of the authority'
