import type { IncomingMessage } from 'node:http'

import { parseIpAddress } from '../../contract/ip-address.ts'
import type { Attribute } from '../../contract/sessions.ts'

/** What helps a person tell their own sign-in from somebody else's. As good as the browser's word for it. */
export function clientAttributes(req: IncomingMessage): Attribute[] {
  const agent = (req.headers['user-agent'] ?? '').slice(0, maxAgentLength)
  const facts: [string, string | undefined][] = [
    ['Browser', named(browsers, agent)],
    ['System', named(systems, agent)],
  ]
  return facts.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]))
}

/** Browsers need half of it; what is longer is there to keep us busy, characters. */
const maxAgentLength = 512

/**
 * The address the request came from, as Express sees it through the proxies the app trusts; undefined where what they
 * say is not an address. A proxy's own address would name the wrong machine.
 */
export function clientAddress(req: IncomingMessage & { ip?: string | undefined }): string | undefined {
  const address = req.ip ?? req.socket.remoteAddress
  return address === undefined ? undefined : parseIpAddress(address)
}

/** First match wins: browsers name those they want to be taken for as well. */
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
