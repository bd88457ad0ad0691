import { latinDigits } from './languages.ts'

/**
 * Formats a duration in a person's language: seconds up to a minute and a half, then minutes, then hours. Shared, as a page
 * and its script have to show the same text.
 */
export function formatDuration(language: string, seconds: number): string {
  if (seconds <= 90) return formatUnit(language, Math.max(0, seconds), 'second')
  if (seconds <= 90 * 60) return formatUnit(language, Math.ceil(seconds / 60), 'minute')
  return formatUnit(language, Math.ceil(seconds / 3600), 'hour')
}

export function formatUnit(language: string, value: number, unit: 'second' | 'minute' | 'hour' | 'day'): string {
  const format = new Intl.NumberFormat(language, { ...latinDigits, style: 'unit', unit, unitDisplay: 'long' })
  const text = format.format(value)
  // Japanese text has no space there, but Intl has.
  return /^ja\b/i.test(language) ? text.replace(' ', '') : text
}

/** How long ago something was; undefined after a month, when a date says more. */
export function formatAgo(language: string, seconds: number): string | undefined {
  const format = new Intl.RelativeTimeFormat(language, { ...latinDigits, numeric: 'always' })
  if (seconds < 60 * 60) return format.format(-Math.max(1, Math.floor(seconds / 60)), 'minute')
  if (seconds < 24 * 60 * 60) return format.format(-Math.floor(seconds / 3600), 'hour')
  return seconds < 30 * 24 * 60 * 60 ? format.format(-Math.floor(seconds / (24 * 3600)), 'day') : undefined
}
