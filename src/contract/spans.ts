/**
 * A span of time as people say it in their language: seconds up to a minute and a half, then minutes, then hours. The page
 * and its script must say it alike.
 */
export function spanOf(language: string, seconds: number): string {
  if (seconds <= 90) return unitOf(language, Math.max(0, seconds), 'second')
  if (seconds <= 90 * 60) return unitOf(language, Math.ceil(seconds / 60), 'minute')
  return unitOf(language, Math.ceil(seconds / 3600), 'hour')
}

function unitOf(language: string, value: number, unit: 'second' | 'minute' | 'hour'): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}
