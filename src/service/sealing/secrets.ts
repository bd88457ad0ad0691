import type { KeyRing } from './key-ring.ts'
import { lookupWith, seal, unseal } from './sealing.ts'
import type { Random } from '../rules/random.ts'

/** The one place where secrets are written and read: no other value in the database has to be kept from a reader of it. */
export interface Secrets {
  seal(secret: string, of: SealedRecord): string
  /** @throws {UnsealError} where it was changed, or belongs to another record. */
  open(sealed: string, of: SealedRecord): string
  /** Finds a secret without its being readable. */
  lookup(text: string): string
  /** All lookups it may have been stored under: with each key there is, the one for writing first. */
  lookups(text: string): readonly string[]
}

/**
 * What a sealed value belongs to; in another record, for another user, or as something else of the same one, it does not
 * open. So whoever can write to the database but has no keys cannot give somebody else a secret they know.
 */
export type SealedRecord =
  | {
      readonly kind: UserSecret
      readonly id: string
      /** Whose it is: null for the seed of a hardware token that nobody has. */
      readonly userId: string | null
    }
  | { readonly kind: ServiceSecret; readonly id: string }

/** What a user passes with: seeds and codes, and what a device is unlocked with and reached by. */
export type UserSecret = 'seed' | 'activation code' | 'replacement code' | 'bypass code' | 'pin' | 'push subscription'

/** What is nobody's, or has its user as id; and the key that messages to all devices are signed with. */
export type ServiceSecret = 'remembered browser' | 'key check' | 'push key'

/** @param present The ring as it is at the moment: keys come and go while a service runs. */
export function createSecrets(present: () => KeyRing, random: Random): Secrets {
  return {
    seal: (secret, of) => seal(present(), random, secret, nameOf(of)),
    open: (sealed, of) => unseal(present(), sealed, nameOf(of)),
    lookup: (text) => lookupWith(present().primary, text),
    lookups(text) {
      const { primary, keys } = present()
      return [primary, ...keys.filter((key) => key !== primary)].map((key) => lookupWith(key, text))
    },
  }
}

const nameOf = (of: SealedRecord): string =>
  'userId' in of ? `${of.kind}:${of.id}:${of.userId ?? ''}` : `${of.kind}:${of.id}`

/** Of the code a device is activated with: whoever types it says nothing else. */
export const activationCodeText = (code: string): string => `activation:${code}`

/** With the user in it, nobody sees that two have the same code. */
export const bypassCodeText = (userId: string, code: string): string => `bypass:${userId}:${code}`

export const emailCodeText = (of: { domainId: string; userId: string }, code: string): string =>
  `email:${of.domainId}:${of.userId}:${code}`
