/** By the former id of a web session: resolves when the answer with its new id has been sent, or cannot be. */
const renewals = new Map<string, Promise<void>>()

/**
 * Begins to give a web session a new id, until the answer is over.
 * @returns false if another request of this process has begun before.
 */
export function beginRenewal(formerId: string, answerOver: AbortSignal): boolean {
  if (renewals.has(formerId)) return false
  if (answerOver.aborted) return true
  const sent = Promise.withResolvers<void>()
  renewals.set(formerId, sent.promise)
  answerOver.addEventListener('abort', () => {
    renewals.delete(formerId)
    sent.resolve()
  })
  return true
}

/** Waits until the browser has got the new id that another request has given to this web session. */
export async function renewalSent(formerId: string | undefined): Promise<void> {
  await renewals.get(formerId ?? '')
}
