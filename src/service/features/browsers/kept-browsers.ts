import { createPublicKey, hash, verify } from 'node:crypto'

import { isPhishingResistant } from '../../../contract/factor-descriptions.ts'
import { isBeforeEnd } from '../../../ground/clock.ts'
import { browserProofText } from '../../../contract/browser-proof-text.ts'
import type { BrowserProof, UnknownBrowser } from '../../../contract/browser-key.ts'
import type { PhishingResistance } from '../../../contract/phishing-resistance.ts'
import type { Factor } from '../../../contract/factor.ts'
import type { SessionBrowser } from '../../../contract/known-browser.ts'

/** How long a browser is kept after the user chose so, or used a passkey in it, seconds. */
export const keptFor = 90 * 24 * 60 * 60

/** Kept browsers per user, over all domains; those kept longest ago are dropped. */
export const keptPerUser = 10

/** A browser's key, and until when it counts. */
interface Key {
  readonly publicKey: string | null
  readonly keptUntil: number | null
}

export function isKept({ publicKey, keptUntil }: Key, now: number): boolean {
  return publicKey !== null && keptUntil !== null && isBeforeEnd(keptUntil, keptFor, now)
}

interface KeepConditions {
  readonly challenge?: string | undefined
  readonly browserProof?: BrowserProof | undefined
  readonly unknownBrowser?: UnknownBrowser | undefined
}

/** @param key The known browser of the user that the caller named. */
export function sessionBrowser(key: Key | undefined, conditions: KeepConditions, now: number): SessionBrowser | null {
  if (key && isKept(key, now) && isProven(key, conditions)) return 'kept'
  return conditions.unknownBrowser === undefined ? null : 'new'
}

/** Whether the key has signed the challenge and the origin. A signature for another challenge was recorded elsewhere. */
function isProven({ publicKey }: Key, { challenge, browserProof }: KeepConditions): boolean {
  if (publicKey === null || challenge === undefined || !browserProof) return false
  const text = browserProofText(hash('sha256', challenge, 'base64url'), browserProof.origin)
  try {
    const key = { key: importPoint(publicKey), dsaEncoding: 'ieee-p1363' } as const
    return verify('sha256', Buffer.from(text), key, Buffer.from(browserProof.signature, 'base64url'))
  } catch {
    // The point is not on the curve, so no one can sign with it.
    return false
  }
}

/** @throws if the point is not on the curve. */
function importPoint(publicKey: string) {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)]
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
}

/** A relay can pass on everything but a passkey from a browser that is not kept, so nothing else counts from there. */
export function policyForBrowser(
  browser: SessionBrowser | null,
  unknownBrowser: UnknownBrowser | undefined,
): PhishingResistance {
  return browser === 'kept' || unknownBrowser === undefined || unknownBrowser === 'number' ? 'off' : 'require'
}

/**
 * Whether a code that an administrator handed over keeps this browser, and allows nothing else: where the app accepts no
 * unknown browser, a passkey that a relay adds with such a code would be a way in, while a kept browser still needs a factor.
 */
export const isKeptByCode = (browser: SessionBrowser | null, unknownBrowser: UnknownBrowser | undefined): boolean =>
  unknownBrowser === 'deny' && browser !== 'kept'

/** Whether an approval allows to keep its browser. A number alone does not: the person may have typed it for a relay. */
export function mayKeep({
  factor,
  browser,
}: {
  readonly factor: Factor | null
  readonly browser: SessionBrowser | null
}) {
  return (factor !== null && isPhishingResistant(factor)) || browser === 'keeping'
}
