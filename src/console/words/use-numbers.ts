import { useSpeech } from './speech.tsx'

/** Numbers and days in the language of the person. */
export function useNumbers() {
  const { locale } = useSpeech()
  const plain = new Intl.NumberFormat(locale)
  const compact = new Intl.NumberFormat(locale, { notation: 'compact' })
  const percent = new Intl.NumberFormat(locale, { style: 'percent' })
  // Sign-ins are counted by days in UTC.
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return {
    count: (value: number) => plain.format(value),
    /** Formats a number for the scale of a chart. */
    rough: (value: number) => compact.format(value),
    /** Rounded down, so that "100 %" means all. */
    share: (part: number, whole: number) => percent.format(whole === 0 ? 0 : Math.floor((100 * part) / whole) / 100),
    /** @param at Unix time, seconds. */
    day: (at: number) => day.format(at * 1000),
  }
}
