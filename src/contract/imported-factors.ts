import { z } from 'zod'

import { CodeAlgorithm, CodeDigits, CodePeriod } from './hardware.ts'

/** How many recovery codes of another system a user can have, besides bypass codes of this one. */
export const maxImportedCodes = 20

/** A person's authenticator app, as another system knows it. Nothing has a default: what is not said would have to be guessed. */
export const ImportedApp = z.object({
  /** Hexadecimal. At least 80 bits: other systems made shorter seeds than `EnrolledHardwareToken` accepts. */
  seed: z.string().regex(/^(?:[0-9a-fA-F]{2}){10,64}$/, 'must be 20 to 128 hexadecimal digits'),
  algorithm: CodeAlgorithm,
  digits: CodeDigits,
  /** Seconds. */
  period: CodePeriod,
})
export type ImportedApp = z.infer<typeof ImportedApp>

/** What of a recovery code is compared: blanks and hyphens only make it easier to read. */
export const withoutGroups = (code: string): string => code.normalize('NFC').replace(/[\s\p{Pd}]/gu, '')

/** Whether a recovery code is long enough: people may try a hundred codes, and have twenty. */
export function isGuessedRarely(code: string): boolean {
  const compared = withoutGroups(code)
  return compared.length >= (/^\d+$/.test(compared) ? 8 : 6)
}

const hexDigest = (bytes: number) =>
  z.string().regex(new RegExp(`^[0-9a-fA-F]{${2 * bytes}}$`), `must be ${2 * bytes} hexadecimal digits`)

/**
 * A recovery code of another system: as its person has it, or its hash without a salt. Slow hashes cannot be imported: comparing one
 * typed code with ten of them would take seconds.
 */
export const ImportedCode = z.union([
  z
    .string()
    // No control or format character, which nobody types.
    .regex(/^[^\p{Cc}\p{Cf}\p{Cs}]{6,64}$/u, 'must have 6 to 64 characters')
    // As bcrypt, scrypt, Argon2 and crypt(3) write theirs: https://github.com/P-H-C/phc-string-format
    .refine(isGuessedRarely, 'must have 6 characters that are no blanks or hyphens, or 8 digits')
    .refine((code) => !/^\$[\w-]+\$/.test(code), 'is a slow hash, which cannot be imported'),
  z.object({ sha256: hexDigest(32) }).strict(),
  z.object({ sha512: hexDigest(64) }).strict(),
])
export type ImportedCode = z.infer<typeof ImportedCode>

/** What a person passes the second step with in another system. */
export const ImportedFactors = z.object({
  app: ImportedApp,
  /** They are valid once, without an end. */
  recovery: z.array(ImportedCode).max(maxImportedCodes).optional(),
})
export type ImportedFactors = z.infer<typeof ImportedFactors>
