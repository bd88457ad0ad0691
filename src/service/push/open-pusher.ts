import { SetupError } from '../../service-handle.ts'
import type { Logger } from '../ground/logger.ts'
import type { Secrets } from '../sealing/secrets.ts'
import { pushKey } from '../store/pushes.ts'
import type { Queryable } from '../store/schema.ts'
import { pushKeyRecord as record } from '../store/sealed-values.ts'
import { createPublicAgent } from './public-agent.ts'
import { defaultVapidSubject } from './push-options.ts'
import type { ResolvedPushOptions } from './push-options.ts'
import { createPusher } from './pusher.ts'
import type { Pusher, PusherParts } from './pusher.ts'
import { loadWebPush } from './web-push.ts'
import type { PushKeys, WebPush } from './web-push.ts'

type Given = Omit<PusherParts, 'webPush' | 'keys' | 'hosts' | 'agent'>

/** @returns undefined if push is disabled or unavailable. */
export async function openPusher(parts: Given, options: ResolvedPushOptions | false): Promise<Pusher | undefined> {
  if (options === false) return undefined
  const webPush = await webPushOrNothing(parts.logger)
  if (!webPush) return undefined
  if (options.subject === defaultVapidSubject) {
    parts.logger.info({}, 'push services have no contact for questions: set push.subject')
  }
  const keys = await openPushKeys({ db: parts.store.db, secrets: parts.secrets, webPush }, options.subject)
  return createPusher({ ...parts, webPush, keys, hosts: options.hosts, agent: options.agent ?? createPublicAgent() })
}

/** Logs why push is unavailable. */
async function webPushOrNothing(logger: Logger): Promise<WebPush | undefined> {
  try {
    const webPush = await loadWebPush()
    if (!webPush) logger.info({}, 'no push messages: npm install web-push, or set push: false')
    return webPush
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    logger.warn({}, `no push messages: ${error.message}`)
    return undefined
  }
}

/** The service's key pair, created at the first start of any node and never changed. */
async function openPushKeys(
  { db, secrets, webPush }: { db: Queryable; secrets: Secrets; webPush: WebPush },
  subject: string,
): Promise<PushKeys> {
  const made = webPush.newPair()
  const kept = await pushKey(db, { ...made, privateKey: secrets.seal(made.privateKey, record) })
  return { publicKey: kept.publicKey, privateKey: secrets.open(kept.privateKey, record), subject }
}
