import type { Reply } from '../outgoing/post-message.ts'

/** The outcome of sending a message. */
export type Verdict =
  /** The push service has accepted it. */
  | 'sent'
  /** The subscription has ended (RFC 8030 section 7.3). */
  | 'gone'
  /** It will not accept it later either. */
  | 'refused'
  /** It may accept it later. */
  | 'later'

export function verdictOf(reply: Reply | undefined): Verdict {
  const status = reply?.status ?? 0
  if (status >= 200 && status < 300) return 'sent'
  if (status === 404 || status === 410) return 'gone'
  if (status === 0 || status === 408 || status === 429 || status >= 500) return 'later'
  // Redirects count as rejections: messages go only to the endpoint that was checked.
  return 'refused'
}

/** Seconds until the next attempt: doubled each time, or what the push service asks for. @param tries Attempts so far. */
export function pauseAfter(tries: number, reply: Reply | undefined): number {
  return Math.max(Math.min(30, 2 ** (tries - 1)), reply?.retryAfter ?? 0)
}
