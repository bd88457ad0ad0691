import { Factor } from './factor.ts'

/** The properties of a factor, for all decisions about it. A new factor declares all of them here. */
interface FactorDescription {
  /**
   * Whether the mailbox of the user does not give it. A weak factor confirms nothing but the first strong one, makes no browser known,
   * and counts as enrolled once it was used.
   */
  readonly strong: boolean
  /** Whether a page that passes on what people type and approve cannot pass it on: so it counts from any browser, and may keep it. */
  readonly phishingResistant: boolean
  /** Whether it is a code that people type. */
  readonly typed: boolean
  /** Whether an administrator hands it over in person to a user who needs a passkey: it leads to a new one, and to nothing else. */
  readonly handedOver: boolean
  /** The member of the user that says where its code is sent; null where none is sent. */
  readonly sentTo: 'email' | null
}

const descriptions = {
  passkey: { strong: true, phishingResistant: true, typed: false, handedOver: false, sentTo: null },
  push: { strong: true, phishingResistant: false, typed: false, handedOver: false, sentTo: null },
  otp: { strong: true, phishingResistant: false, typed: true, handedOver: false, sentTo: null },
  email: { strong: false, phishingResistant: false, typed: true, handedOver: false, sentTo: 'email' },
  bypass: { strong: true, phishingResistant: false, typed: true, handedOver: true, sentTo: null },
} as const satisfies Readonly<Record<Factor, FactorDescription>>

/** A factor whose code people type. */
export type TypedFactor = { [F in Factor]: (typeof descriptions)[F]['typed'] extends true ? F : never }[Factor]

/** A factor whose code is sent to the user. */
export type SentFactor = { [F in Factor]: (typeof descriptions)[F]['sentTo'] extends null ? never : F }[Factor]

export const isStrong = (factor: Factor): boolean => descriptions[factor].strong

export const isPhishingResistant = (factor: Factor): boolean => descriptions[factor].phishingResistant

export const isTyped = (factor: Factor): factor is TypedFactor => descriptions[factor].typed

export const isHandedOver = (factor: Factor): boolean => descriptions[factor].handedOver

export const isSent = (factor: Factor): factor is SentFactor => descriptions[factor].sentTo !== null

/** The factors whose code is sent to the user, in the order in which they are offered. */
export const sentFactors: readonly SentFactor[] = Factor.options.filter(isSent)

/** A member of the user that codes are sent to. */
export type SentPlace = (typeof descriptions)[SentFactor]['sentTo']

/** Where the code of a factor is sent. */
export const sentTo = (factor: SentFactor): SentPlace => descriptions[factor].sentTo

type Places = { readonly [Place in SentPlace]?: string | undefined }

/** The place of a user that the code of a factor is sent to; `''` for none. */
export const placeOf = (user: Places, factor: SentFactor): string => user[sentTo(factor)] ?? ''

/** All places of a user that codes are sent to; `''` for none. */
export const placesOf = (user: Places) =>
  Object.fromEntries(sentFactors.map((factor) => [sentTo(factor), placeOf(user, factor)])) as Record<SentPlace, string>

/** Makes an object with the same value for each factor whose code is sent. */
export const forSentFactors = <const Name extends string, const T>(nameOf: (factor: SentFactor) => Name, value: T) =>
  Object.fromEntries(sentFactors.map((factor) => [nameOf(factor), value])) as Record<Name, T>
