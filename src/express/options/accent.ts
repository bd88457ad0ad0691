/** The color of buttons and links, for light and for dark pages: `#rgb` or `#rrggbb`. */
export interface Accent {
  readonly light: string
  readonly dark: string
}

/** The accent of light pages where the app sets none; the same as `--accent` in style.css. */
export const defaultAccent = '#2450c8'

/** The backgrounds of the accent; the same as `--surface` in style.css. */
export const surfaces: Accent = { light: '#ffffff', dark: '#1a1d23' }

/** The contrast for text, WCAG 2.2 section 1.4.3. */
const minContrast = 4.5

/** A single color is for light pages; for dark ones it is lightened until it is readable there. */
export function resolveAccent(accent: string | Accent): Accent {
  if (typeof accent !== 'string') return accent
  return { light: accent, dark: lightened(accent) }
}

/** Appended to the style sheet. */
export function accentStyle({ light, dark }: Accent): string {
  return `:root{${tokens(light)}}@media (prefers-color-scheme:dark){:root{${tokens(dark)}}}`
}

/** The accents that are hard to read as links. */
export function paleAccents({ light, dark }: Accent): string[] {
  const isPale = (color: string, surface: string) => contrast(color, surface) < minContrast
  return [
    ...(isPale(light, surfaces.light) ? [`${light} on light pages`] : []),
    ...(isPale(dark, surfaces.dark) ? [`${dark} on dark pages`] : []),
  ]
}

/** The contrast ratio of WCAG 2.2, from 1 to 21. */
export function contrast(color: string, background: string): number {
  const [lighter, darker] = [luminance(color), luminance(background)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function tokens(accent: string): string {
  return `--accent:${accent};--on-accent:${textOn(accent)}`
}

/** The color of a text on the accent. */
export const textOn = (accent: string): string => (contrast(accent, '#ffffff') >= minContrast ? '#ffffff' : '#0b0d12')

function lightened(color: string): string {
  const steps = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
  const mixes = steps.map((share) => mixedWithWhite(color, share))
  return mixes.find((mix) => contrast(mix, surfaces.dark) >= minContrast) ?? '#ffffff'
}

function mixedWithWhite(color: string, share: number): string {
  const mixed = channels(color).map((value) => Math.round(value + (255 - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channels(color: string): number[] {
  const digits = color.slice(1)
  const long = digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits
  return [0, 2, 4].map((start) => Number.parseInt(long.slice(start, start + 2), 16))
}
