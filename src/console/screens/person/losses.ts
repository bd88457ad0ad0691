import type { Person } from '../../../admin-contract/people.ts'

/** The possessions that an action takes from a person, as its dialog names them. */
export type Losses = Partial<Pick<Person, 'tokens' | 'hardware' | 'passkeys' | 'codes' | 'browsers'>>

/** Codes that have been used up are nothing to lose. */
export const codesOf = ({ codes }: Person): Pick<Losses, 'codes'> => ({
  codes: codes.filter(({ usesRemaining }) => usesRemaining > 0),
})

/** A kept browser ends with a change of what signs in, in every app. */
export const browsersOf = ({ browsers }: Person): Pick<Losses, 'browsers'> => ({ browsers })

/** @param domain That of the device; all of them by default. */
export const devicesOf = ({ tokens }: Person, domain?: string): Pick<Losses, 'tokens'> => ({
  tokens: tokens.filter((token) => token.device && (domain === undefined || token.domain === domain)),
})

export const passkeysOf = ({ passkeys }: Person, id?: string): Pick<Losses, 'passkeys'> => ({
  passkeys: passkeys.filter((passkey) => id === undefined || passkey.id === id),
})

export const hardwareOf = ({ hardware }: Person): Pick<Losses, 'hardware'> => ({ ...(hardware && { hardware }) })

/** Everything that signs a person in. */
export const everythingOf = (person: Person): Losses => ({
  ...devicesOf(person),
  ...hardwareOf(person),
  ...passkeysOf(person),
  ...codesOf(person),
  ...browsersOf(person),
})

export const isNothing = (losses: Losses): boolean =>
  Object.values(losses).every((each) => Array.isArray(each) && each.length === 0)
