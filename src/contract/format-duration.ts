/**
 * Formats a duration in a person's language: seconds up to a minute and a half, then minutes, then hours. Shared, as a page
 * and its script have to show the same text.
 */
export function formatDuration(language: string, seconds: number): string {
  if (seconds <= 90) return formatUnit(language, Math.max(0, seconds), 'second')
  if (seconds <= 90 * 60) return formatUnit(language, Math.ceil(seconds / 60), 'minute')
  return formatUnit(language, Math.ceil(seconds / 3600), 'hour')
}

function formatUnit(language: string, value: number, unit: 'second' | 'minute' | 'hour'): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}
