import type { ServiceContext } from '../../engine/context/service-context.ts'
import { artifactKey, storeArtifact } from './artifacts.ts'
import { ownModels } from './models.ts'
import { insertPing } from './ping-statements.ts'
import type { PingMessage } from './send-ping.ts'

/** A client that wants to be told when a person has answered. */
export interface ExpectedPing {
  readonly message: PingMessage
  readonly clientId: string
  /** The user who is asked. */
  readonly userId: string
  /** The session or approval that they answer. */
  readonly subjectId: string
  /** When nobody can answer any more, Unix time, seconds. */
  readonly answerUntil: number
  /** How long the client can ask for the answer, seconds. */
  readonly expiresIn: number
}

/** Stores that a client is told of an answer, before it learns of its request. It ends with whatever ends the request. */
export async function expectPing(ctx: Pick<ServiceContext, 'store' | 'secrets' | 'clock'>, ping: ExpectedPing) {
  const { message, clientId, userId, subjectId, answerUntil, expiresIn } = ping
  const name = { model: ownModels.ping, id: message.requestId }
  const payload = { ...message, clientId, accountId: userId }
  await storeArtifact(ctx, name, { payload, expiresIn, address: undefined })
  const expiresAt = ctx.clock.now() + expiresIn
  await insertPing(ctx.store.db, { artifactId: artifactKey(name).id, subjectId, dueAt: answerUntil, expiresAt })
}
