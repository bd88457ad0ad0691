import { useSpeech } from '../words/speech.tsx'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

/** The largest unit that a time is told in, and how long ago it may be, seconds. */
const units = [
  { unit: 'minute', length: minute, until: hour },
  { unit: 'hour', length: hour, until: day },
  { unit: 'day', length: day, until: 30 * day },
  { unit: 'month', length: year / 12, until: year },
  { unit: 'year', length: year, until: Infinity },
] as const

/**
 * A time as people say it. The exact one takes its place where the pointer is, and where the focus is in the same row.
 * @param at Unix time, seconds.
 */
export function Time({ at }: { readonly at: number }) {
  const { locale } = useSpeech()
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at * 1000)
  const text = relative(at, Date.now() / 1000, locale)
  return (
    <time class={text === undefined ? '' : 'said'} dateTime={new Date(at * 1000).toISOString()} title={exact}>
      {text === undefined ? (
        exact
      ) : (
        <>
          <span class="relative">{text}</span>
          <span class="exact" aria-hidden="true">
            {exact}
          </span>
        </>
      )}
    </time>
  )
}

/** Undefined for what is still to come. */
function relative(at: number, now: number, locale: string): string | undefined {
  const ago = now - at
  if (ago < -minute) return undefined
  const unit = units.find(({ until }) => ago < until)
  if (!unit) return undefined
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  // "This minute", in the words of the language.
  if (ago < minute) return format.format(0, 'minute')
  return format.format(-Math.floor(ago / unit.length), unit.unit)
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
