import { useEffect, useState } from 'preact/hooks'

import { relativeTime } from '../words/relative-time.ts'
import { useSpeech } from '../words/speech.tsx'

/** How often relative times are told anew, milliseconds: a page may stay open for hours. */
const interval = 60_000

/**
 * A time as people say it. The exact one takes its place where the pointer is, and where the focus is in the same row.
 * @param at Unix time, seconds.
 */
export function Time({ at }: { readonly at: number }) {
  const { locale } = useSpeech()
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at * 1000)
  const [, setTimesTold] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTimesTold((before) => before + 1), interval)
    return () => clearInterval(timer)
  }, [])
  const text = relativeTime(at, Date.now() / 1000, locale)
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
