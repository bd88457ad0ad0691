/** Names a creating call, so that its caller can repeat it without creating twice (draft-ietf-httpapi-idempotency-key-header). */
export const idempotencyKeyHeader = 'Idempotency-Key'

/** How long an answer is remembered, seconds. */
export const rememberedFor = 10 * 60

/** Compared as it was sent. The quotes in the examples of the draft are visible characters, too. */
export const isIdempotencyKey = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text)
