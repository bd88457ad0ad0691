import { ApiError } from '../client/errors.ts'
import type { Session } from '../contract/sessions.ts'
import type { Factor } from '../contract/users.ts'
import type { Challenge, Verified } from './challenge.ts'
import type { ConnectedService } from './service.ts'

/** By how much the service's clock may be behind ours, seconds; the service binds a session to its challenge anyway. */
const clocksApart = 30
/** How long a 1.3 service can still show an approval, and so how long it has to be remembered as used; seconds. */
const rememberedFor = 86_400

/**
 * Uses the approval up. The service answers yes once, to the challenge that asked: whoever gets the answer may be
 * verified, nobody else.
 *
 * @param now Unix time, seconds.
 */
export async function redeem(
  service: ConnectedService,
  challenge: Challenge,
  { allowed, now }: { allowed: readonly Factor[]; now: number },
): Promise<Verified | undefined> {
  if (challenge.sessionId === undefined) return undefined
  const found = await (service.version === '1.3' ? useOnce : redeemSession)(service, challenge, challenge.sessionId)
  if (found?.state !== 'approved') return undefined
  const { createdAt = challenge.askedAt, settledAt = now, factor = challenge.givenFactor ?? 'push' } = found
  // An approval from before the challenge was demanded proves nothing about now.
  if (createdAt === undefined || createdAt + clocksApart < challenge.createdAt) return undefined
  if (!allowed.includes(factor)) return undefined
  return { at: settledAt, factor, userKey: challenge.userKey }
}

async function redeemSession(
  { client, domainId }: ConnectedService,
  challenge: Challenge,
  sessionId: string,
): Promise<Session | undefined> {
  try {
    return await client.sessions.redeem(domainId, sessionId, challenge.id)
  } catch (error) {
    if (error instanceof ApiError && refusals.has(error.code)) return undefined
    throw error
  }
}

/** A 1.3 service tells everybody as often as they ask that a session is approved; that it counts once is ours to see to. */
async function useOnce(
  { client, domainId, challengeStore }: ConnectedService,
  _challenge: Challenge,
  sessionId: string,
): Promise<Session | undefined> {
  try {
    const session = await client.sessions.get(domainId, sessionId)
    return session.state === 'approved' && (await challengeStore.use(sessionId, rememberedFor)) ? session : undefined
  } catch (error) {
    if (error instanceof ApiError && refusals.has(error.code)) return undefined
    throw error
  }
}

const refusals: ReadonlySet<string> = new Set(['api.error.notfound.session', 'api.error.conflict.state'])
