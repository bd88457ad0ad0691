import type { HttpRequest } from '../framework/http-request.ts'
import { parseIpAddress } from '../../contract/ip-address.ts'
import { placeKey } from '../../contract/sessions.ts'
import type { Attribute } from '../../contract/sessions.ts'
import { pause } from '../../ground/clock.ts'
import type { ResolvedOptions } from '../options/options.ts'
import { warnOnce } from './warn.ts'

/** Browser and system, which help users recognize their own sign-in. The browser may lie about them. */
export function clientAttributes(req: HttpRequest): Attribute[] {
  const agent = (req.headers['user-agent'] ?? '').slice(0, maxAgentLength)
  const facts: [string, string | undefined][] = [
    ['Browser', named(browsers, agent)],
    ['System', named(systems, agent)],
  ]
  return facts.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]))
}

/** The same in a few words, for the list of a user's browsers; empty if neither is known. */
export const browserName = (req: HttpRequest): string =>
  clientAttributes(req)
    .map(({ value }) => value)
    .join(' · ')

/** Browsers need half of it, and longer ones are an attack; characters. */
const maxAgentLength = 512

/**
 * The address the request came from, as Express sees it through the proxies that the app trusts; undefined if they report
 * no valid address, because a proxy's own address would name the wrong machine.
 */
export function clientAddress(req: HttpRequest): string | undefined {
  const address = req.ip ?? req.socket.remoteAddress
  return address === undefined ? undefined : parseIpAddress(address)
}

/** How long the app may look for a place, milliseconds: the user waits for the request meanwhile. */
const locateTimeout = 500

/** The place of an address, if the app knows it. A look-up that fails or takes too long does not delay the request. */
export async function placeAttributes(options: ResolvedOptions, address: string | undefined): Promise<Attribute[]> {
  const { locate, clock } = options
  if (!locate || address === undefined) return []
  const lookupEnd = new AbortController()
  try {
    const place = await Promise.race([locate(address), pause(clock, locateTimeout, lookupEnd.signal)])
    return typeof place === 'string' && place !== '' ? [{ key: placeKey, value: place }] : []
  } catch (error) {
    warnOnce(options, `locate failed, so devices show no place: ${String(error)}`, 'locate')
    return []
  } finally {
    lookupEnd.abort()
  }
}

/** The first match wins: browsers also name those that they imitate. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/\d.*\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

function named(table: typeof browsers, agent: string): string | undefined {
  return table.find(([pattern]) => pattern.test(agent))?.[1]
}
