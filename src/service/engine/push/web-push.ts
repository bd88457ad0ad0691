import { createECDH } from 'node:crypto'

import type { PushMessage, PushSubscription } from '../../../contract/device.ts'
import { isSupported, loadOptional } from '../base/optional-package.ts'
import type { OutgoingMessage } from '../outgoing/post-message.ts'

/** The key pair that signs messages, base64url (RFC 8292), and the contact for questions: an https: or mailto: URL. */
export interface PushKeys {
  readonly publicKey: string
  readonly privateKey: string
  readonly subject: string
}

/** How long a message is valid, and which earlier message it replaces. */
export interface Delivery {
  /** Seconds. */
  readonly timeToLive: number
  readonly topic: string
}

/**
 * The parts of the package `web-push` that are used: encryption and signatures. Sending is our own, to restrict where it
 * connects. The package is loaded when it is first used, because it takes 2 MB.
 */
export interface WebPush {
  /** @throws if the subscription's keys are invalid. */
  seal(keys: PushKeys, to: PushSubscription, message: PushMessage, delivery: Delivery): Promise<OutgoingMessage>
}

/** A new key pair of P-256. Node creates it, because the library would be loaded for that alone at the first start. */
export function newPushPair(): Pick<PushKeys, 'publicKey' | 'privateKey'> {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  // OpenSSL omits leading zero bytes of a private key.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
    .subarray(-32)
    .toString('base64url')
  return { publicKey, privateKey }
}

/**
 * @returns undefined if the package is not installed.
 * @throws {SetupError} if it is too old.
 */
export function findWebPush(): WebPush | undefined {
  if (!isSupported(optional)) return undefined
  const load = async () => (await loadOptional(optional, () => import('web-push'))).default
  return {
    async seal(vapidDetails, to, message, { timeToLive: TTL, topic }) {
      const options = { vapidDetails, TTL, contentEncoding: 'aes128gcm' } as const
      const { endpoint, headers, body } = (await load()).generateRequestDetails(to, JSON.stringify(message), options)
      // From RFC 8030 sections 5.3 and 5.4. Most versions of the library support neither.
      return { endpoint, headers: { ...headers, Urgency: 'high', Topic: topic }, body }
    },
  }
}

const optional = { name: 'web-push', purpose: 'Sending push messages', oldest: '3.3' }
