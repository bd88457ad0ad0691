import { useSpeech } from '../words/speech.tsx'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** The largest unit that a time is told in, and how long ago it may be, seconds. */
const units = [
  { unit: 'minute', length: minute, until: hour },
  { unit: 'hour', length: hour, until: day },
  { unit: 'day', length: day, until: 7 * day },
] as const

/** A time as people say it, with the exact one on its tooltip. @param at Unix time, seconds. */
export function Time({ at }: { readonly at: number }) {
  const { locale } = useSpeech()
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at * 1000)
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={exact}>
      {relative(at, Date.now() / 1000, locale) ?? exact}
    </time>
  )
}

/** Undefined for what was longer ago than a week, or is still to come. */
function relative(at: number, now: number, locale: string): string | undefined {
  const ago = now - at
  if (ago < -minute) return undefined
  const found = units.find(({ until }) => ago < until)
  if (!found) return undefined
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  // "This minute", in the words of the language.
  if (ago < minute) return format.format(0, 'minute')
  return format.format(-Math.floor(ago / found.length), found.unit)
}

/** A time of day. @param at Unix time, seconds. */
export function useClockTime(): (at: number) => string {
  const { locale } = useSpeech()
  return (at) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(at * 1000)
}

export function useDateTime(): (at: number) => string {
  const { locale } = useSpeech()
  return (at) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at * 1000)
}

/** A time, with its day unless that is today. */
export function useDayTime(): (at: number) => string {
  const [clockTime, dateTime] = [useClockTime(), useDateTime()]
  return (at) => (new Date(at * 1000).toDateString() === new Date().toDateString() ? clockTime(at) : dateTime(at))
}
