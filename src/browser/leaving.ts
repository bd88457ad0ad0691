/**
 * Remembers over a page load that this tab was led to the challenge. The challenge page forgets it. A router that does not
 * know the address of the challenge may show another one, so the address bar alone does not say that it was not there.
 */
const key = 'second-factor:leaving'

/** Who is back sooner, without having seen the challenge page, was led in a circle; ms. */
const soon = 30_000

interface Leaving {
  readonly address: string
  /** Of the page that was left. Several answers may lead away from one page. */
  readonly page: number
  readonly at: number
}

export function noteLeaving(challenge: URL): void {
  const leaving: Leaving = { address: addressOf(challenge), page: performance.timeOrigin, at: Date.now() }
  withStorage((storage) => storage.setItem(key, JSON.stringify(leaving)))
}

/** Whether this tab was led there a moment ago and is back. It is said once: whoever loads the page again may try again. */
export function isBackFrom(challenge: URL): boolean {
  const { address, page, at } = readLeaving()
  const isBack = address === addressOf(challenge) && page !== performance.timeOrigin && Date.now() - (at ?? 0) < soon
  if (isBack) forgetLeaving()
  return isBack
}

export function forgetLeaving(): void {
  withStorage((storage) => storage.removeItem(key))
}

const addressOf = ({ pathname, search }: URL) => pathname + search

function readLeaving(): Partial<Leaving> {
  try {
    return (JSON.parse(withStorage((storage) => storage.getItem(key)) ?? '{}') ?? {}) as Partial<Leaving>
  } catch {
    return {}
  }
}

/** A browser may forbid it: then only the address bar says where we are. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage)
  } catch {
    return undefined
  }
}
