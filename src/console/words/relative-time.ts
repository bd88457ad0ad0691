const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** How many days ago a month is more telling. */
const maxDays = 30

/**
 * A time as people say it; undefined for what is still to come.
 *
 * @param at Unix time, seconds.
 * @param now Unix time, seconds.
 */
export function relativeTime(at: number, now: number, locale: string): string | undefined {
  const ago = now - at
  if (ago < -minute) return undefined
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  // "This minute", in the words of the language.
  if (ago < minute) return format.format(0, 'minute')
  if (ago < hour) return format.format(-Math.floor(ago / minute), 'minute')
  // "Yesterday", "last month" and "last year" are those of the calendar: 47 hours ago was not yesterday.
  const [then, today] = [new Date(at * 1000), new Date(now * 1000)]
  const days = Math.round((dateOf(today) - dateOf(then)) / (day * 1000))
  // A day on which clocks are set back has more than 24 hours.
  if (ago < day || days === 0) return format.format(-Math.floor(ago / hour), 'hour')
  const years = today.getFullYear() - then.getFullYear()
  const months = years * 12 + today.getMonth() - then.getMonth()
  if (days < maxDays || months === 0) return format.format(-days, 'day')
  return months < 12 ? format.format(-months, 'month') : format.format(-years, 'year')
}

/** The local date as milliseconds, in which each day is equally long. */
const dateOf = (time: Date): number => Date.UTC(time.getFullYear(), time.getMonth(), time.getDate())
