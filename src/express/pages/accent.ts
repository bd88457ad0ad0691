/** The one colour of the pages that is the app's to choose, for light and for dark pages: `#rgb` or `#rrggbb`. */
export interface Accent {
  readonly light: string
  readonly dark: string
}

/** What the accent is read on; the same as `--surface` in style.css. */
export const surfaces: Accent = { light: '#ffffff', dark: '#1a1d23' }

/** For text, WCAG 2.2 section 1.4.3. */
const enough = 4.5

/** A single colour is the one for light pages; dark ones get it as much lighter as it needs to be read there. */
export function resolveAccent(given: string | Accent): Accent {
  if (typeof given !== 'string') return given
  return { light: given, dark: lightened(given) }
}

/** Goes behind the style sheet. */
export function accentStyle({ light, dark }: Accent): string {
  return `:root{${tokens(light)}}@media (prefers-color-scheme:dark){:root{${tokens(dark)}}}`
}

/** Those that links cannot well be read in. */
export function paleAccents({ light, dark }: Accent): string[] {
  const isPale = (colour: string, surface: string) => contrast(colour, surface) < enough
  return [
    ...(isPale(light, surfaces.light) ? [`${light} on light pages`] : []),
    ...(isPale(dark, surfaces.dark) ? [`${dark} on dark pages`] : []),
  ]
}

/** Relative luminance decides, WCAG 2.2 "contrast ratio": 1 to 21. */
export function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function tokens(accent: string): string {
  const onAccent = contrast(accent, '#ffffff') >= enough ? '#ffffff' : '#0b0d12'
  return `--accent:${accent};--on-accent:${onAccent}`
}

function lightened(colour: string): string {
  const steps = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
  const mixes = steps.map((share) => mixedWithWhite(colour, share))
  return mixes.find((mix) => contrast(mix, surfaces.dark) >= enough) ?? '#ffffff'
}

function mixedWithWhite(colour: string, share: number): string {
  const mixed = channels(colour).map((value) => Math.round(value + (255 - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channels(colour: string): number[] {
  const digits = colour.slice(1)
  const long = digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits
  return [0, 2, 4].map((start) => Number.parseInt(long.slice(start, start + 2), 16))
}
