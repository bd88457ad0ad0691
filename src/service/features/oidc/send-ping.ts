import type { Agent } from 'node:https'

import { createLanes } from '../../engine/base/lane.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { postMessage } from '../../engine/outgoing/post-message.ts'
import type { Reply } from '../../engine/outgoing/post-message.ts'
import { deleteArtifact } from './artifact-statements.ts'
import { openPayload } from './artifacts.ts'
import { ownModels } from './models.ts'
import { deletePing, maxTries, postponePing, takePing } from './ping-statements.ts'
import type { duePings } from './ping-statements.ts'

/** What a ping says, and to whom. */
export interface PingMessage {
  readonly endpoint: string
  /** The token that the client has sent with its request (CIBA Core 1.0 section 7.1). */
  readonly token: string
  /** The `auth_req_id` of the request. */
  readonly requestId: string
}

export type OpenPing = Awaited<ReturnType<typeof duePings>>[number]

/** How long a try may take, seconds: more than `postMessage()` waits. Then another node takes the next one. */
export const tryLength = 30

/** The messages to one client at a time, because each one to an endpoint that hangs waits for a timeout. */
export const width = 8

export interface PingSender {
  /** Takes one try, unless another node does. */
  send(ping: OpenPing): Promise<void>
}

export function createPingSender(
  { store, secrets, clock, logger, observer }: ServiceContext,
  { agent, signal }: { readonly agent: Agent; readonly signal: AbortSignal },
): PingSender {
  const lanes = createLanes(width)

  async function takeTry({ artifactId, clientId, userId, payload, tries }: OpenPing): Promise<void> {
    const { db } = store
    if (signal.aborted || !(await takePing(db, { artifactId, tries }, clock.now() + tryLength))) return
    const message = openPayload(secrets, { id: artifactId, userId, payload }) as unknown as PingMessage
    const reply = await post(message)
    const taken = { artifactId, tries: tries + 1 }
    if (signal.aborted && !reply) return postponePing(db, { ...taken, dueAt: clock.now() })
    const verdict = verdictOf(reply)
    if (verdict === 'later' && taken.tries < maxTries) {
      return postponePing(db, { ...taken, dueAt: clock.now() + 2 ** tries })
    }
    observer.pinged(verdict === 'later' ? 'failed' : verdict)
    const answered = reply && { status: reply.status }
    if (verdict !== 'sent') logger.warn({ client: clientId, ...answered }, 'an OpenID client could not be notified')
    await deleteArtifact(db, { id: artifactId, model: ownModels.ping })
    await deletePing(db, artifactId)
  }

  /** The error is dropped because it may contain the endpoint. */
  const post = ({ endpoint, token, requestId }: PingMessage): Promise<Reply | undefined> =>
    postMessage(
      { clock, agent, signal },
      {
        endpoint,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: Buffer.from(JSON.stringify({ auth_req_id: requestId })),
      },
    ).catch(() => undefined)

  return { send: (ping) => lanes(ping.clientId ?? '').run(() => takeTry(ping)) }
}

/** Timeouts and limits of a gateway in front of the client (RFC 9110 section 15.5.9, RFC 8470 section 5.2, RFC 6585 section 4). */
const temporary: readonly number[] = [408, 425, 429]

/** CIBA Core 1.0 section 10.2: 204 or 200. A redirection is no answer, and a client that refuses the message would refuse it again. */
function verdictOf(reply: Reply | undefined): 'sent' | 'refused' | 'later' {
  if (!reply || reply.status >= 500 || temporary.includes(reply.status)) return 'later'
  return reply.status === 200 || reply.status === 204 ? 'sent' : 'refused'
}
