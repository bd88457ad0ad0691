import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import type { KeyRing } from './key-ring.ts'
import { lookupWith, seal, unseal } from './sealing.ts'
import type { Random } from '../base/random.ts'

/** The only place where secrets are written and read: no other value in the database is confidential. */
export interface Secrets {
  seal(secret: string, record: SealedRecord): string
  /** @throws {UnsealError} if it was changed or belongs to another record. */
  open(sealed: string, record: SealedRecord): string
  /** A lookup for a secret that does not reveal it. */
  lookup(text: string): string
  /** All lookups under which it may be stored: one for each key, the one for writing first. */
  lookups(text: string): readonly string[]
}

/**
 * What a sealed value belongs to. It does not open in another record, for another user, or as another kind of value. So an
 * attacker who can write to the database but has no keys cannot assign a known secret to another user.
 */
export type SealedRecord =
  | {
      readonly kind: UserSecret
      readonly id: string
      /** The user, administrator or API key it belongs to; null for the seed of an unassigned hardware token. */
      readonly userId: string | null
    }
  | { readonly kind: ServiceSecret; readonly id: string }

/**
 * Secrets of a user, an administrator or an API key: seeds and codes, what unlocks and reaches a device, public keys of passkeys, and
 * answers, which contain codes. Also what people approve, which is sealed for the domain, proofs of it, and the keys of receipts;
 * what the OpenID provider stores, and the keys that it signs with.
 */
export type UserSecret =
  | 'seed'
  | 'activation code'
  | 'replacement code'
  | 'bypass code'
  | 'pin'
  | 'push subscription'
  | 'passkey'
  | 'administrator passkey'
  | 'remembered answer'
  | 'approval content'
  | 'approval proof'
  | 'receipt key'
  | 'OpenID artifact'
  | 'OpenID key'

/** Secrets without a user, or with the user as id, and the key that signs messages to all devices. */
export type ServiceSecret = 'remembered browser' | 'key check' | 'push key'

/** @param currentRing Returns the current ring, because keys change while a service runs. */
export function createSecrets(currentRing: () => KeyRing, random: Random): Secrets {
  return {
    seal: (secret, record) => seal(currentRing(), random, secret, nameOf(record)),
    open: (sealed, record) => unseal(currentRing(), sealed, nameOf(record)),
    lookup: (text) => lookupWith(currentRing().primary, text),
    lookups(text) {
      const { primary, keys } = currentRing()
      return [primary, ...keys.filter((key) => key !== primary)].map((key) => lookupWith(key, text))
    },
  }
}

const nameOf = (record: SealedRecord): string =>
  'userId' in record ? `${record.kind}:${record.id}:${record.userId ?? ''}` : `${record.kind}:${record.id}`

/** The lookup text of an activation code: the device sends nothing else with it. */
export const activationCodeText = (code: string): string => `activation:${code}`

/** The lookup text of the code of a move. */
export const moveCodeText = (code: string): string => `move:${code}`

/** Contains the user, so that equal codes of two users do not show. */
export const bypassCodeText = (userId: string, code: string): string => `bypass:${userId}:${code}`

/** Contains the factor, so that the lookup of a code says how it was sent. */
export const sentCodeText = (factor: SentFactor, user: { domainId: string; userId: string }, code: string): string =>
  `${factor}:${user.domainId}:${user.userId}:${code}`
