import type { CodeAlgorithm, CodeParameters } from '../../../../contract/hardware.ts'

/** How a secret is written: `text` is a key of characters, as UTF-8. */
export const secretEncodings = ['hex', 'base32', 'text'] as const
export type SecretEncoding = (typeof secretEncodings)[number]

/** The key that a secret stands for, and how long the text of the secret is in the package that made it. */
export interface Key {
  readonly bytes: Buffer
  readonly encoding: SecretEncoding
}

/** What is known of the system that a file comes from. */
export interface Source {
  /** How its secrets are written, where the file does not say it. */
  readonly encoding?: SecretEncoding
  /** The parameters that it cannot change. */
  readonly fixed?: Partial<CodeParameters>
  /** Its secrets are encrypted. */
  readonly sealed?: true
  /** An otpauth address of it may say less than the app that checks the codes: only what stands in it counts. */
  readonly terseUris?: true
  /** The key that it makes of a short one. */
  readonly lengthen?: (key: Key, algorithm: CodeAlgorithm) => Buffer
}

/** Where files come from: systems, and formats of no system. */
export const sourceNames = [
  'uri',
  'csv',
  'speakeasy',
  'otplib',
  'passport-totp',
  'better-auth',
  'keycloak',
  'privacyidea',
  'entra',
] as const
export type SourceName = (typeof sourceNames)[number]

export const sources: Readonly<Record<SourceName, Source>> = {
  uri: {},
  csv: {},
  // `generateSecret()` writes the same secret as `ascii`, `hex` and `base32`, and its address without the parameters.
  speakeasy: { encoding: 'base32', terseUris: true },
  otplib: { encoding: 'base32', lengthen: repeatKey },
  // notp computes nothing else.
  'passport-totp': { encoding: 'text', fixed: { algorithm: 'SHA1', digits: 6 } },
  'better-auth': { encoding: 'text', fixed: { algorithm: 'SHA1' }, sealed: true },
  keycloak: {},
  privacyidea: {},
  entra: { encoding: 'base32' },
}

/** The length of a hash, bytes. */
const hashLength = { SHA1: 20, SHA256: 32, SHA512: 64 } as const

/**
 * otplib 12 compares the length of the secret's text with that of the hash, and repeats a key whose text is shorter: hexadecimal, which
 * has two characters a byte, for `authenticator`, and the secret itself for `totp`. It repeats it so many times as characters are missing.
 */
function repeatKey({ bytes, encoding }: Key, algorithm: CodeAlgorithm): Buffer {
  const [length, minimum] = [encoding === 'text' ? bytes.length : bytes.length * 2, hashLength[algorithm]]
  if (length >= minimum) return bytes
  return Buffer.concat(Array.from({ length: minimum - length }, () => bytes)).subarray(0, minimum)
}
