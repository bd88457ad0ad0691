import { z } from 'zod'

/** 40 hexadecimal characters: users, domains, sessions, devices and all else the service names. */
export const Id = z.string().regex(/^[0-9a-f]{40}$/)
export type Id = z.infer<typeof Id>

/** A random 128-bit value, base64url without padding: challenges and nonces. */
export const Random128 = z.string().regex(/^[A-Za-z0-9_-]{21}[AQgw]$/)

/** Unix time, whole seconds. */
export const Seconds = z.int().nonnegative()

/** Text a person reads, counted in characters (code points), without control characters. */
export function text(minimum: number, maximum: number) {
  return z
    .string()
    .refine((value) => value.isWellFormed() && !controlCharacters.test(value), 'must not contain control characters')
    .refine((value) => withinLength(value, minimum, maximum), `must have ${minimum} to ${maximum} characters`)
    .meta({ minLength: minimum, maxLength: maximum })
}

/** As `text`, but what could disturb or reverse the text around it is taken out first. */
export function strippedText(minimum: number, maximum: number) {
  return z
    .string()
    .meta({ description: `${minimum} to ${maximum} characters, counted without those that could disturb the text.` })
    .transform((value) => value.toWellFormed().replace(disturbingCharacters, ''))
    .refine((value) => withinLength(value, minimum, maximum), `must have ${minimum} to ${maximum} characters`)
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/u

/** Controls, and the bidirectional formatting characters of Unicode Standard Annex 9. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const disturbingCharacters = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

function withinLength(value: string, minimum: number, maximum: number): boolean {
  // A code point has one or two units: most values need no counting.
  if (value.length > maximum * 2) return false
  const length = value.length <= maximum && value.length >= minimum * 2 ? value.length : Array.from(value).length
  return length >= minimum && length <= maximum
}
