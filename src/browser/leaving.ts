/**
 * Records, across page loads, that this tab was sent to the challenge; the challenge page removes the record. A client-side router
 * that does not know the challenge may change the address, so the address alone does not show that the challenge is missing.
 */
const key = 'second-factor:leaving'

/** A tab that returns sooner without having loaded the challenge page is in a loop; ms. */
const soon = 30_000

interface Leaving {
  readonly address: string
  /** Identifies the page that was left: several answers may lead away from one page. */
  readonly page: number
  readonly at: number
}

export function noteLeaving(challenge: URL): void {
  const leaving: Leaving = { address: addressOf(challenge), page: performance.timeOrigin, at: Date.now() }
  withStorage((storage) => storage.setItem(key, JSON.stringify(leaving)))
}

/** Whether this tab was sent there a moment ago and is back. Reported once, so that a reload can try again. */
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

/** Storage may be disabled: then only the address shows where the tab is. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage)
  } catch {
    return undefined
  }
}
