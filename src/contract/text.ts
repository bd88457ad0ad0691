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

/** A field of an update. Clients that always send all fields write null where nothing changes. */
export function unlessNull<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** As `text`, but what could disturb or reverse the text around it is taken out first. */
export function strippedText(minimum: number, maximum: number) {
  return z
    .string()
    .meta({ description: `${minimum} to ${maximum} characters, counted without those that could disturb the text.` })
    .transform(stripText)
    .refine((value) => withinLength(value, minimum, maximum), `must have ${minimum} to ${maximum} characters`)
}

/** Takes out what could disturb or reverse the text around it. */
export const stripText = (value: string): string => value.toWellFormed().replace(disturbingCharacters, '')

/** Shortens what is too long to `maximum` characters (code points), the last one an ellipsis, between two graphemes. */
export function truncateText(value: string, maximum: number): string {
  if (withinLength(value, 0, maximum)) return value
  // Enough to see where the grapheme at the cut begins; what follows may be of any length.
  const head = value.slice(0, 2 * (maximum + 1))
  const cut = Array.from(head)
    .slice(0, maximum - 1)
    .join('').length
  const boundary = new Intl.Segmenter().segment(head).containing(cut)?.index ?? 0
  // A grapheme can be of any length, too: one that fills the text is cut between code points.
  return `${head.slice(0, boundary || cut)}…`
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
