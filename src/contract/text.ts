import { z } from 'zod'

import { idShape } from './id-shape.ts'

/** The id of a user, domain, session, device or any other object of the service: 40 hexadecimal characters. */
export const Id = z.string().regex(idShape)
export type Id = z.infer<typeof Id>

/** A random 128-bit value, base64url without padding: challenges and nonces. */
export const Random128 = z.string().regex(/^[A-Za-z0-9_-]{21}[AQgw]$/)

/** Unix time, whole seconds. */
export const Seconds = z.int().nonnegative()

/** Text for people, without control characters. Its length counts code points. @param schema What is done with it before. */
export function text(minimum: number, maximum: number, schema = z.string()) {
  return schema
    .refine((value) => value.isWellFormed() && !controlCharacters.test(value), 'must not contain control characters')
    .refine((value) => withinLength(value, minimum, maximum), `must have ${minimum} to ${maximum} characters`)
    .meta({ minLength: minimum, maxLength: maximum })
}

/** An optional field, where null counts as absent: some clients always send all fields. */
export function optionalField<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** As `text`, after removing characters that could break or reverse the surrounding text. */
export function strippedText(minimum: number, maximum: number) {
  return z
    .string()
    .meta({ description: `${minimum} to ${maximum} characters, not counting control characters, which are removed.` })
    .transform(stripText)
    .refine((value) => withinLength(value, minimum, maximum), `must have ${minimum} to ${maximum} characters`)
}

/** Removes characters that could break or reverse the surrounding text. */
export const stripText = (value: string): string => value.toWellFormed().replace(disturbingCharacters, '')

/** Whether text contains characters that change the direction of the text around them: `ecila` can then look like `alice`. */
export const hasDirectionControls = (value: string): boolean => /\p{Bidi_Control}/u.test(value)

/** Shortens text to `maximum` code points, with an ellipsis at the end, and cuts between two graphemes. */
export function truncateText(value: string, maximum: number): string {
  if (withinLength(value, 0, maximum)) return value
  // Enough to find where the grapheme at the cut begins; the rest may be very long.
  const head = value.slice(0, 2 * (maximum + 1))
  const cut = Array.from(head)
    .slice(0, maximum - 1)
    .join('').length
  const boundary = new Intl.Segmenter().segment(head).containing(cut)?.index ?? 0
  // A grapheme may be very long, too: one that fills the whole text is cut between code points.
  return `${head.slice(0, boundary || cut)}…`
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/u

/** Control characters, and the bidirectional formatting characters of Unicode Standard Annex 9. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const disturbingCharacters = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

function withinLength(value: string, minimum: number, maximum: number): boolean {
  // A code point has one or two UTF-16 units, so most values need no counting.
  if (value.length > maximum * 2) return false
  const length = value.length <= maximum && value.length >= minimum * 2 ? value.length : Array.from(value).length
  return length >= minimum && length <= maximum
}
