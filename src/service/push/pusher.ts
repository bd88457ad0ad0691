import { ECDH } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Agent } from 'node:https'

import { pause } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { PushSubscription } from '../../contract/device.ts'
import { forgetPush, pushOfNotice, pushOfPending } from '../store/pushes.ts'
import type { SealedPush } from '../store/pushes.ts'
import type { Queryable } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { Logger } from '../ground/logger.ts'
import type { Observer } from '../monitoring/observer.ts'
import type { Secrets } from '../sealing/secrets.ts'
import { acceptedHost } from './accepted-endpoint.ts'
import { createLane, createLanes } from '../ground/lane.ts'
import type { Lane } from '../ground/lane.ts'
import { postMessage } from './post-message.ts'
import type { PushReply } from './post-message.ts'
import { pauseAfter, verdictOf } from './verdict.ts'
import type { PushKeys, WebPush } from './web-push.ts'

/** Wakes devices whose authenticator is closed. What it brings is only that there is something: the inbox has it all. */
export interface Pusher {
  /** What browsers subscribe with. */
  readonly publicKey: string
  /** Whether messages are sent to it. */
  accepts(subscription: PushSubscription): boolean
  /** Sends, and tries again until it is of no use any more; nobody waits for it, and nothing depends on it. */
  tell(told: Told): void
  /** Gives up what is under way. */
  close(): Promise<void>
}

/** A session or a notice that was created. */
export interface Told {
  /** A session where absent. */
  readonly kind?: 'notice'
  readonly id: string
  readonly expiresAt: number
}

export interface PusherParts {
  readonly store: Store
  readonly secrets: Secrets
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: Observer
  readonly webPush: WebPush
  readonly keys: PushKeys
  readonly hosts: readonly string[]
  readonly agent: Agent
}

/** Messages under way, tried again ones among them; what comes on top is left out. */
const mostUnderWay = 10_000
/** Messages that are looked up at once; the database has others to serve. */
const readingWidth = 64
/** Messages that are being handed in at each push service at once: as many as our agent has connections to one. */
const postingWidth = 32

export function createPusher(parts: PusherParts): Pusher {
  const { keys, hosts, agent, logger, observer } = parts
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const lanes = { reading: createLane(readingWidth), posting: createLanes(postingWidth) }
  const underWay = new Set<Promise<void>>()

  return {
    publicKey: keys.publicKey,
    accepts: ({ endpoint, keys: { p256dh } }) => acceptedHost(endpoint, hosts) !== undefined && isPoint(p256dh),
    tell(session) {
      if (closing.signal.aborted) return
      if (underWay.size >= mostUnderWay) {
        observer.pushed('dropped')
        return
      }
      const telling = deliver({ ...parts, lanes, signal: closing.signal }, session)
        .catch((error: unknown) => logger.warn({ err: error }, 'push message lost'))
        .finally(() => underWay.delete(telling))
      underWay.add(telling)
    },
    async close() {
      closing.abort()
      await Promise.all(underWay)
      agent.destroy()
    },
  }
}

/** Of the curve that messages are encrypted on; with any other nothing can be. */
function isPoint(p256dh: string): boolean {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url')
    return true
  } catch {
    // That is what it says no with.
    return false
  }
}

interface Sending extends PusherParts {
  /** By push service, as one that does not answer is waited for each time. */
  readonly lanes: { readonly reading: Lane; readonly posting: (host: string) => Lane }
  readonly signal: AbortSignal
}

async function deliver(sending: Sending, session: Told): Promise<void> {
  // The answer to whoever created the session goes out first.
  await new Promise<void>((resolve) => setImmediate(resolve))
  for (let tries = 1; !sending.signal.aborted; tries += 1) {
    const { push, reply } = await post(sending, session)
    // Answered, cancelled, lapsed; or a device that nothing is pushed to.
    if (!push || sending.signal.aborted) return
    const verdict = verdictOf(reply)
    const seconds = pauseAfter(tries, reply)
    const again = verdict === 'later' && sending.clock.now() + seconds < session.expiresAt
    if (!again) return end(sending, push, { verdict, status: reply?.status })
    await pause(sending.clock, seconds * 1000, sending.signal)
  }
}

/** @returns no `push` where there is nothing to push any more, no `reply` where there was none. */
async function post(sending: Sending, session: Told): Promise<{ push?: SealedPush; reply?: PushReply }> {
  const { store, secrets, clock, lanes, hosts } = sending
  const push = await lanes.reading.run(() => findPush(store.db, session, clock.now()))
  if (!push || sending.signal.aborted) return {}
  const text = secrets.open(push.sealed, { kind: 'push subscription', id: push.deviceId, userId: push.userId })
  const subscription = JSON.parse(text) as PushSubscription
  // The operator may have changed his mind about hosts since.
  const host = acceptedHost(subscription.endpoint, hosts)
  if (host === undefined) return {}
  const reply = await lanes.posting(host).run(() => handIn(sending, subscription, session))
  return { push, ...(reply && { reply }) }
}

function findPush(db: Queryable, { kind, id }: Told, now: number): Promise<SealedPush | undefined> {
  return kind === 'notice' ? pushOfNotice(db, id) : pushOfPending(db, id, now)
}

async function handIn(
  sending: Sending,
  subscription: PushSubscription,
  { kind, id, expiresAt }: Told,
): Promise<PushReply | undefined> {
  const { clock, keys, webPush, signal } = sending
  // Whoever waited for a turn may have waited too long.
  if (signal.aborted || clock.now() >= expiresAt) return undefined
  const delivery = { timeToLive: Math.max(0, expiresAt - clock.now()), topic: id.slice(0, 32) }
  const message = webPush.seal(keys, subscription, kind === 'notice' ? { notice: id } : { session: id }, delivery)
  // What went wrong on the way names the endpoint, which is nobody else's business.
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
