import type { PushMessage, PushSubscription } from '../../contract/device.ts'
import { loadIfInstalled } from '../ground/optional-package.ts'
import type { OutgoingMessage } from './post-message.ts'

/** The pair messages are signed with, base64url (RFC 8292), and who can be asked about them: an https: or mailto: URL. */
export interface PushKeys {
  readonly publicKey: string
  readonly privateKey: string
  readonly subject: string
}

/** How long a message is worth being delivered, and which other one it replaces. */
export interface Delivery {
  /** Seconds. */
  readonly timeToLive: number
  readonly topic: string
}

/** What the package `web-push` does for us: it encrypts and signs. Sending is our own, as it is to go nowhere else. */
export interface WebPush {
  newPair(): Pick<PushKeys, 'publicKey' | 'privateKey'>
  /** @throws where the subscription's keys are none. */
  seal(keys: PushKeys, to: PushSubscription, message: PushMessage, delivery: Delivery): OutgoingMessage
}

/**
 * @returns nothing where the package is not installed.
 * @throws {SetupError} where it is too old.
 */
export async function loadWebPush(): Promise<WebPush | undefined> {
  const loaded = await loadIfInstalled(optional, () => import('web-push'))
  if (!loaded) return undefined
  const { default: library } = loaded
  return {
    newPair: () => library.generateVAPIDKeys(),
    seal(vapidDetails, to, message, { timeToLive: TTL, topic }) {
      const options = { vapidDetails, TTL, contentEncoding: 'aes128gcm' } as const
      const { endpoint, headers, body } = library.generateRequestDetails(to, JSON.stringify(message), options)
      // RFC 8030 sections 5.3 and 5.4. Most versions of the library know neither.
      return { endpoint, headers: { ...headers, Urgency: 'high', Topic: topic }, body }
    },
  }
}

const optional = { name: 'web-push', purpose: 'Sending push messages', oldest: '3.3' }
