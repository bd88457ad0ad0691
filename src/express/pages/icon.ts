import { textOn } from '../options/accent.ts'

const icons = new Map<string, string>()

/**
 * The icon of a page in the browser's tab: the letter that stands for the app. It is part of the page, because browsers would ask the app for
 * `/favicon.ico`, which `mfa()` rejects for unverified users.
 *
 * @returns a `data:` address.
 */
export function iconOf(letter: string, color: string): string {
  const key = color + letter
  const icon = icons.get(key) ?? draw(letter, color)
  icons.set(key, icon)
  return icon
}

function draw(letter: string, color: string): string {
  const text = letter.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const image =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${color}"/>` +
    `<text x="16" y="23" font-family="sans-serif" font-size="20" text-anchor="middle" fill="${textOn(color)}">${text}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(image)}`
}
