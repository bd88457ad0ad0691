import { SetupError } from '../../../service-handle.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { insertPushKey, pushKey } from './statements.ts'
import type { PushKeyRow } from './statements.ts'
import type { Queryable } from '../database/schema/schema.ts'
import { pushKeyRecord as record } from '../secrets/sealed-values.ts'
import { createPublicAgent } from '../outgoing/public-agent.ts'
import { defaultVapidSubject } from './push-options.ts'
import type { ResolvedPushOptions } from './push-options.ts'
import { createPusher } from './pusher.ts'
import type { Pusher, PusherParts } from './pusher.ts'
import { findWebPush, newPushPair } from './web-push.ts'
import type { PushKeys, WebPush } from './web-push.ts'

type PusherOptions = Omit<PusherParts, 'webPush' | 'keys' | 'hosts' | 'agent'>

/** @returns undefined if push is disabled or unavailable, which is logged. */
export async function openPusher(
  parts: PusherOptions,
  options: ResolvedPushOptions | false,
): Promise<Pusher | undefined> {
  if (options === false) return undefined
  const { logger } = parts
  try {
    const webPush = findWebPush()
    if (webPush) return await openWith(webPush, parts, options)
    logger.warn({}, 'no push messages: npm install web-push, or set push: false')
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    logger.warn({}, `no push messages: ${error.message}`)
  }
  return undefined
}

async function openWith(webPush: WebPush, parts: PusherOptions, options: ResolvedPushOptions): Promise<Pusher> {
  const { store, secrets, logger } = parts
  if (options.subject === defaultVapidSubject) {
    logger.info({}, 'push services have no contact for questions: set push.subject')
  }
  const keys = await openPushKeys({ db: store.db, secrets }, options.subject)
  return createPusher({ ...parts, webPush, keys, hosts: options.hosts, agent: options.agent ?? createPublicAgent() })
}

/** The service's key pair, created at the first start of any node and never changed. */
async function openPushKeys(parts: PushKeyParts, subject: string): Promise<PushKeys> {
  const { publicKey, privateKey } = (await pushKey(parts.db)) ?? (await createPushKey(parts))
  return { publicKey, privateKey: parts.secrets.open(privateKey, record), subject }
}

interface PushKeyParts {
  readonly db: Queryable
  readonly secrets: Secrets
}

/** @returns that of another node, if it was first. */
async function createPushKey({ db, secrets }: PushKeyParts): Promise<PushKeyRow> {
  const { publicKey, privateKey } = newPushPair()
  await insertPushKey(db, { publicKey, privateKey: secrets.seal(privateKey, record) })
  const storedKey = await pushKey(db)
  if (!storedKey) throw new Error('The push key was deleted while it was created.')
  return storedKey
}
