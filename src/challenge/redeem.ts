import { ApiError } from '../client/errors.ts'
import type { Session } from '../contract/sessions.ts'
import type { Factor } from '../contract/users.ts'
import type { Challenge, Verified } from './challenge.ts'
import type { ConnectedService } from './service.ts'

/**
 * Uses the approval up. The service answers yes once, to the challenge that asked: whoever gets the answer may be
 * verified, nobody else.
 */
export async function redeem(
  service: ConnectedService,
  challenge: Challenge,
  allowed: readonly Factor[],
): Promise<Verified | undefined> {
  if (challenge.sessionId === undefined) return undefined
  const session = await redeemSession(service, challenge.sessionId, challenge.id)
  if (session?.state !== 'approved' || session.settledAt === undefined || session.createdAt === undefined)
    return undefined
  // An approval from before the challenge was demanded proves nothing about now.
  if (session.createdAt < challenge.createdAt) return undefined
  const factor = session.factor ?? 'push'
  if (!allowed.includes(factor)) return undefined
  return { at: session.settledAt, factor, userKey: challenge.userKey }
}

async function redeemSession(
  service: ConnectedService,
  sessionId: string,
  challengeId: string,
): Promise<Session | undefined> {
  try {
    return await service.client.sessions.redeem(service.domainId, sessionId, challengeId)
  } catch (error) {
    if (error instanceof ApiError && refusals.has(error.code)) return undefined
    throw error
  }
}

const refusals: ReadonlySet<string> = new Set(['api.error.notfound.session', 'api.error.conflict.state'])
