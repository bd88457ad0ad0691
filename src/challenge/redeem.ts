import { ApiError } from '../client/errors.ts'
import type { KnownBrowser } from '../contract/browsers.ts'
import type { PassedBrowser, RedeemedSession } from '../contract/sessions.ts'
import type { Factor } from '../contract/users.ts'
import type { Challenge, Verified } from './challenge.ts'
import type { ConnectedService } from './service.ts'

/** How far the service's clock may be behind ours, seconds; the service binds a session to its challenge anyway. */
const clocksApart = 30
/** How long a 1.3 service returns an approval, and so how long it has to be remembered as redeemed; seconds. */
const rememberedFor = 86_400

/** The result of redeeming an approval. */
export interface Redeemed {
  /** Undefined if the approval does not count. */
  readonly verified?: Verified
  /** The browser it was in, if the service knows it from now on. */
  readonly browser?: KnownBrowser | undefined
}

interface Redeeming {
  readonly allowed: readonly Factor[]
  readonly browser: PassedBrowser
  /** Unix time, seconds. */
  readonly now: number
}

/**
 * Redeems the approval of a challenge. The service accepts that once, so when two web sessions race, only the one that gets
 * the answer may be verified.
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
  // An approval that is older than the challenge does not answer it.
  if (createdAt === undefined || createdAt + clocksApart < challenge.createdAt) return {}
  if (!allowed.includes(factor)) return {}
  const { purpose, sessionId, userKey } = challenge
  const { factorId, epoch } = found
  // If the service's clock is ahead, the record must not be valid for longer.
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

/** A 1.3 service reports an approval as often as it is asked: the challenge store has to see that it counts once. */
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
