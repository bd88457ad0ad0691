import type { Words } from '../texts/en.ts'

/** The order matters: the user agent of most browsers contains the names of others, and those on iPhones are all alike. */
const browsers: readonly (readonly [keyof Words['blockedSteps'], RegExp])[] = [
  ['iphone', /iPhone|iPad/],
  ['samsung', /SamsungBrowser/],
  ['firefox', /Firefox/],
  ['android', /Android/],
]

/** Finds the browser whose steps allow notifications again. */
export function browserOf(userAgent: string): keyof Words['blockedSteps'] {
  return browsers.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'desktop'
}
