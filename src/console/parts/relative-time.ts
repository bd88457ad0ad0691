const minute = 60
const hour = 60 * minute
const day = 24 * hour

/**
 * How long ago a time is, in the words of the language: "yesterday", "last month". From a day on it counts dates, in the time zone of the
 * person: what was 47 hours ago was not yesterday.
 *
 * @param at Unix time, seconds. @param now The same. @returns undefined for what is still to come.
 */
export function relativeTime(at: number, now: number, locale: string): string | undefined {
  const ago = now - at
  if (ago < -minute) return undefined
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  // "This minute", in the words of the language.
  if (ago < minute) return format.format(0, 'minute')
  if (ago < hour) return format.format(-Math.floor(ago / minute), 'minute')
  if (ago < day) return format.format(-Math.floor(ago / hour), 'hour')
  const { days, months, years } = datesBetween(new Date(at * 1000), new Date(now * 1000))
  if (ago < 30 * day || months === 0) return format.format(-days, 'day')
  return months < 12 ? format.format(-months, 'month') : format.format(-years, 'year')
}

/** How many dates, months and years later a time is. Dates are counted in UTC, because days with a change of the clock are no 24 hours. */
function datesBetween(from: Date, to: Date) {
  const years = to.getFullYear() - from.getFullYear()
  const dateOf = (time: Date) => Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) / (day * 1000)
  return { days: dateOf(to) - dateOf(from), months: 12 * years + to.getMonth() - from.getMonth(), years }
}
