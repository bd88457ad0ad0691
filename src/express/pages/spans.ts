/** As people say it in their language: seconds up to a minute and a half, then minutes, then hours. */
export function spanOf(language: string, seconds: number): string {
  if (seconds <= 90) return secondsOf(language, Math.max(1, seconds))
  if (seconds <= 90 * 60) return unitOf(language, Math.ceil(seconds / 60), 'minute')
  return unitOf(language, Math.ceil(seconds / 3600), 'hour')
}

/** What counts down: always seconds, as the page's script says it. */
export function secondsOf(language: string, seconds: number): string {
  return unitOf(language, Math.max(0, seconds), 'second')
}

function unitOf(language: string, value: number, unit: 'second' | 'minute' | 'hour'): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}
