import { ECDH } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Agent } from 'node:https'

import { pause } from '../../../ground/clock.ts'
import type { Clock } from '../../../ground/clock.ts'
import type { PushMessage, PushSubscription } from '../../../contract/device.ts'
import { forgetPush, pushOfApproval, pushOfCall, pushOfDevice, pushOfNotice, pushOfPending } from './statements.ts'
import type { SealedPush } from './statements.ts'
import type { Queryable } from '../database/schema/schema.ts'
import type { Store } from '../database/store.ts'
import type { Logger } from '../base/logger.ts'
import type { FailureLog } from '../monitoring/failure-log.ts'
import type { Observer } from '../monitoring/observer.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { acceptedHost } from './accepted-endpoint.ts'
import { createLane, createLanes } from '../base/lane.ts'
import type { Lane } from '../base/lane.ts'
import { postMessage } from '../outgoing/post-message.ts'
import type { Reply } from '../outgoing/post-message.ts'
import { pauseAfter, verdictOf } from './verdict.ts'
import type { PushKeys, WebPush } from './web-push.ts'

/** Wakes devices whose authenticator is closed. A message only says that there is something new; the inbox has the content. */
export interface Pusher {
  /** The public key that browsers subscribe with. */
  readonly publicKey: string
  /** Whether messages can be sent to the subscription. */
  accepts(subscription: PushSubscription): boolean
  /** Sends in the background, with retries until it expires. Nothing depends on it. */
  tell(message: PushNotice): void
  /** Aborts messages in progress. */
  close(): Promise<void>
}

/** A new session, notice, phone call or approval, or a test that a device has asked for. */
export interface PushNotice {
  /** A session if absent. */
  readonly kind?: 'notice' | 'call' | 'approval' | 'test'
  readonly id: string
  /** The device of a test, or of one of the people who are asked to approve: no other device gets the message. */
  readonly deviceId?: string | null
  readonly expiresAt: number
}

export interface PusherParts {
  readonly store: Store
  readonly secrets: Secrets
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: Observer
  readonly failures: Pick<FailureLog, 'covers'>
  readonly webPush: WebPush
  readonly keys: PushKeys
  readonly hosts: readonly string[]
  readonly agent: Agent
}

/** Messages in progress, including retries; further ones are dropped. */
const maxInProgress = 10_000
/** Messages that are looked up concurrently, because the database has other work. */
const readingWidth = 64
/** Messages that are sent concurrently to each push service: as many as the agent has connections to it. */
const postingWidth = 32

export function createPusher(parts: PusherParts): Pusher {
  const { keys, hosts, agent, logger, observer, failures } = parts
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const lanes = { reading: createLane(readingWidth), posting: createLanes(postingWidth) }
  const inProgress = new Set<Promise<void>>()

  return {
    publicKey: keys.publicKey,
    accepts: ({ endpoint, keys: { p256dh } }) => acceptedHost(endpoint, hosts) !== undefined && isPoint(p256dh),
    tell(session) {
      if (closing.signal.aborted) return
      if (inProgress.size >= maxInProgress) {
        observer.pushed('dropped')
        return
      }
      const telling = deliver({ ...parts, lanes, signal: closing.signal }, session)
        .catch((error: unknown) => {
          if (!failures.covers(error)) logger.warn({ err: error }, 'push message could not be sent')
        })
        .finally(() => inProgress.delete(telling))
      inProgress.add(telling)
    },
    async close() {
      closing.abort()
      await Promise.all(inProgress)
      agent.destroy()
    },
  }
}

/** Whether it is a point on the curve that messages are encrypted with. */
function isPoint(p256dh: string): boolean {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url')
    return true
  } catch {
    // It throws for any other value.
    return false
  }
}

interface Sending extends PusherParts {
  /** Separate for each push service, because each message to an unresponsive one waits for a timeout. */
  readonly lanes: { readonly reading: Lane; readonly posting: (host: string) => Lane }
  readonly signal: AbortSignal
}

async function deliver(sending: Sending, session: PushNotice): Promise<void> {
  // Lets the response to the request that created the session go out first.
  await new Promise<void>((resolve) => setImmediate(resolve))
  for (let tries = 1; !sending.signal.aborted; tries += 1) {
    const { push, reply } = await post(sending, session)
    // Settled or expired, or the device has no subscription.
    if (!push || sending.signal.aborted) return
    const verdict = verdictOf(reply)
    const seconds = pauseAfter(tries, reply)
    const mayRetry = verdict === 'later' && sending.clock.now() + seconds < session.expiresAt
    if (!mayRetry) return end(sending, push, { verdict, status: reply?.status })
    await pause(sending.clock, seconds * 1000, sending.signal)
  }
}

/** @returns no `push` if nothing is left to push, no `reply` if there was no response. */
async function post(sending: Sending, session: PushNotice): Promise<{ push?: SealedPush; reply?: Reply }> {
  const { store, secrets, clock, lanes, hosts } = sending
  const push = await lanes.reading.run(() => findPush(store.db, session, clock.now()))
  if (!push || sending.signal.aborted) return {}
  const text = secrets.open(push.sealed, { kind: 'push subscription', id: push.deviceId, userId: push.userId })
  const subscription = JSON.parse(text) as PushSubscription
  // The operator may have changed `hosts` since.
  const host = acceptedHost(subscription.endpoint, hosts)
  if (host === undefined) return {}
  const reply = await lanes.posting(host).run(() => handIn(sending, subscription, session))
  return { push, ...(reply && { reply }) }
}

function findPush(db: Queryable, { kind, id, deviceId }: PushNotice, now: number): Promise<SealedPush | undefined> {
  if (kind === 'test') return pushOfDevice(db, deviceId ?? '')
  if (kind === 'call') return pushOfCall(db, id, now)
  if (kind === 'approval') return pushOfApproval(db, { id, deviceId: deviceId ?? '' }, now)
  return kind === 'notice' ? pushOfNotice(db, id) : pushOfPending(db, id, now)
}

async function handIn(
  sending: Sending,
  subscription: PushSubscription,
  { kind, id, expiresAt }: PushNotice,
): Promise<Reply | undefined> {
  const { clock, keys, webPush, signal } = sending
  // The message may have expired while it waited.
  if (signal.aborted || clock.now() >= expiresAt) return undefined
  const delivery = { timeToLive: Math.max(0, expiresAt - clock.now()), topic: id.slice(0, 32) }
  const message = await webPush.seal(keys, subscription, { [kind ?? 'session']: id } as PushMessage, delivery)
  // The error is dropped because it contains the endpoint.
  return postMessage(sending, message).catch(() => undefined)
}

async function end(
  { store, logger, observer }: Sending,
  push: SealedPush,
  { verdict, status }: { verdict: ReturnType<typeof verdictOf>; status: number | undefined },
): Promise<void> {
  observer.pushed(verdict === 'later' ? 'failed' : verdict)
  if (verdict === 'sent') return
  if (verdict === 'gone') return forgetPush(store.db, push)
  logger.warn({ device: push.deviceId, ...(status !== undefined && { status }) }, 'push message not delivered')
}
