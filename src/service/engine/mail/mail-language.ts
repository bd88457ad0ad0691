import { latinDigits, matchLanguage, textDirection } from '../../../contract/languages.ts'
import { isTimeZone } from '../../../contract/time-zones.ts'
import { plainLine } from './plain-line.ts'
import type { Words } from './texts/en.ts'
import { loadTexts } from './texts/load.ts'

/** A language of the mails. */
export interface MailLanguage {
  /** The tag with the region of the user (BCP 47), if it is known: it decides how times look. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  readonly words: Words
}

/** The language for a user's tag; English if there is no tag, or none of our languages. Its texts are loaded on first use. */
export async function mailLanguage(requestedTag: string | null): Promise<MailLanguage> {
  const ownTag = requestedTag === null ? undefined : matchLanguage(requestedTag)
  const words = await loadTexts[ownTag ?? 'en']()
  const tag = ownTag && requestedTag !== null ? new Intl.Locale(requestedTag).baseName : 'en'
  return { tag, direction: textDirection(tag), words }
}

/** A name that is part of a sentence. In right-to-left text it is isolated (Unicode Standard Annex 9). */
export function nameIn({ direction }: MailLanguage, name: string): string {
  return direction === 'rtl' ? `\u2068${plainLine(name)}\u2069` : plainLine(name)
}

/**
 * A point in time, Unix seconds, with the name of its time zone.
 * @param zone Of the user (IANA); null if it is not known, which is UTC.
 */
export function timeIn({ tag }: MailLanguage, time: number, zone: string | null): string {
  // Another version of Node, which has stored it, may know more of them.
  const timeZone = zone !== null && isTimeZone(zone) ? zone : 'UTC'
  const format = { ...latinDigits, timeZone } as const
  const text = new Intl.DateTimeFormat(tag, { ...format, dateStyle: 'long', timeStyle: 'short' }).format(time * 1000)
  return `${text} ${nameOfZone(new Intl.DateTimeFormat(tag, { ...format, timeZoneName: 'short' }), time)}`
}

/** Returns a name such as CET, or the offset where the language has no name for it. */
function nameOfZone(format: Intl.DateTimeFormat, time: number): string {
  return format.formatToParts(time * 1000).find(({ type }) => type === 'timeZoneName')?.value ?? ''
}
