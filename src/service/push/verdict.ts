import type { PushReply } from './post-message.ts'

/** What a push service said of a message, or that it said nothing. */
export type Verdict =
  /** It has taken it. */
  | 'sent'
  /** The subscription is no more (RFC 8030 section 7.3). */
  | 'gone'
  /** It will not take it the next time either. */
  | 'refused'
  /** It may take it the next time. */
  | 'later'

export function verdictOf(reply: PushReply | undefined): Verdict {
  const status = reply?.status ?? 0
  if (status >= 200 && status < 300) return 'sent'
  if (status === 404 || status === 410) return 'gone'
  if (status === 0 || status === 408 || status === 429 || status >= 500) return 'later'
  // Redirections, too: messages go where the device said, and that was looked at.
  return 'refused'
}

/** Seconds until the next try: doubled each time, or what the push service asks for. @param tries So far. */
export function pauseAfter(tries: number, reply: PushReply | undefined): number {
  return Math.max(Math.min(30, 2 ** (tries - 1)), reply?.retryAfter ?? 0)
}
