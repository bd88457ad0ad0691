import { useSpeech } from '../../words/speech.tsx'

const minute = 60

/** A stretch of time as people say it: in minutes, and in seconds once it is short. */
export function useTimeLeft(): (seconds: number) => string {
  const { locale } = useSpeech()
  return (seconds) => {
    const remaining = Math.max(0, seconds)
    const [value, unit] = remaining > 2 * minute ? [Math.ceil(remaining / minute), 'minute'] : [remaining, 'second']
    return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
  }
}
