import { ApiError } from '../client/errors.ts'
import type { KnownBrowser } from '../contract/browsers.ts'
import type { PassedBrowser, RedeemedSession } from '../contract/sessions.ts'
import type { Factor } from '../contract/users.ts'
import type { Challenge, Verified } from './challenge.ts'
import type { ConnectedService } from './service.ts'

/** By how much the service's clock may be behind ours, seconds; the service binds a session to its challenge anyway. */
const clocksApart = 30
/** How long a 1.3 service can still show an approval, and so how long it has to be remembered as used; seconds. */
const rememberedFor = 86_400

/** What came of an approval. */
export interface Redeemed {
  /** Nothing where it counts for nothing. */
  readonly verified?: Verified
  /** The browser in which it was, where the service knows it from now on. */
  readonly browser?: KnownBrowser | undefined
}

interface Redeeming {
  readonly allowed: readonly Factor[]
  readonly browser: PassedBrowser
  /** Unix time, seconds. */
  readonly now: number
}

/**
 * Uses the approval up. The service answers yes once, to the challenge that asked: whoever gets the answer may be
 * verified, nobody else.
 */
export async function redeem(
  service: ConnectedService,
  challenge: Challenge,
  { allowed, browser, now }: Redeeming,
): Promise<Redeemed> {
  if (challenge.sessionId === undefined) return {}
  const found = await (service.version === '1.3'
    ? useOnce(service, challenge.sessionId)
    : redeemSession(service, challenge, { sessionId: challenge.sessionId, browser }))
  if (found?.state !== 'approved') return {}
  const { createdAt = challenge.askedAt, settledAt = now, factor = challenge.givenFactor ?? 'push' } = found
  // An approval from before the challenge was demanded proves nothing about now.
  if (createdAt === undefined || createdAt + clocksApart < challenge.createdAt) return {}
  if (!allowed.includes(factor)) return {}
  const { purpose, sessionId, userKey } = challenge
  const { factorId, epoch } = found
  // A service whose clock is ahead must not make the pass last longer than it may.
  const at = Math.min(settledAt, now)
  return { verified: { at, factor, factorId, purpose, sessionId, epoch, userKey }, browser: found.browser }
}

async function redeemSession(
  { client, domainId }: ConnectedService,
  challenge: Challenge,
  { sessionId, browser }: { sessionId: string; browser: PassedBrowser },
): Promise<RedeemedSession | undefined> {
  try {
    return await client.sessions.redeem(domainId, sessionId, challenge.id, browser)
  } catch (error) {
    if (error instanceof ApiError && refusals.has(error.code)) return undefined
    throw error
  }
}

/** A 1.3 service tells everybody as often as they ask that a session is approved; that it counts once is ours to see to. */
async function useOnce(
  { client, domainId, challengeStore }: ConnectedService,
  sessionId: string,
): Promise<RedeemedSession | undefined> {
  try {
    const session = await client.sessions.get(domainId, sessionId)
    return session.state === 'approved' && (await challengeStore.use(sessionId, rememberedFor)) ? session : undefined
  } catch (error) {
    if (error instanceof ApiError && refusals.has(error.code)) return undefined
    throw error
  }
}

const refusals: ReadonlySet<string> = new Set(['api.error.notfound.session', 'api.error.conflict.state'])
