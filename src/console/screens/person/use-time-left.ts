import { useSpeech } from '../../words/speech.tsx'

const minute = 60

/** A stretch of time as people say it: in minutes, and in seconds once it is short. */
export function useTimeLeft(): (seconds: number) => string {
  const { locale } = useSpeech()
  return (seconds) => {
    const left = Math.max(0, seconds)
    const [value, unit] = left > 2 * minute ? [Math.ceil(left / minute), 'minute'] : [left, 'second']
    return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
  }
}
