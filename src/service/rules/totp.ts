import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

import { HOTP, Secret } from 'otpauth'

import { latestBeginning } from './present.ts'
import type { Random } from './random.ts'

/** How far from the remembered drift a code may be to be accepted, steps (RFC 6238 section 5.2). */
const window = 1
/** How far it may be to count for a resynchronisation, steps (RFC 6238 section 6). */
const wideWindow = 10
/** For how long the first of two consecutive codes counts, steps: the second has come up by then and been typed. */
const patience = 3

/** What makes codes, and what is remembered of the ones it made. */
export interface CodeSource {
  /** Hexadecimal. */
  readonly seed: string
  readonly digits: 6 | 8
  /** Seconds. */
  readonly period: 30 | 60
  /** The last step a code was accepted of; -1 before the first. */
  readonly lastStep: number
  /** By how many steps its clock was ahead of ours then. */
  readonly drift: number
  /** The last step that was seen only in the wide window, and when. */
  readonly seenStep: number | null
  readonly seenAt: number | null
  /**
   * Whether its clock may be off: nobody can set the clock of a hardware token, so drift is remembered and two
   * consecutive codes resynchronize it (RFC 6238 section 6). Phones set theirs by the network, and accepting codes that
   * are minutes old would only help whoever noted them.
   */
  readonly resynchronizes: boolean
}

export type Verdict =
  | { readonly outcome: 'accepted'; readonly step: number; readonly drift: number }
  /** Denied. But if the very next code follows, the clock of the source is off, and that far. */
  | { readonly outcome: 'seen'; readonly step: number }
  | { readonly outcome: 'wrong' }

/** The code of one time step (RFC 4226 section 5.3, SHA-1). */
export function codeAt(source: Pick<CodeSource, 'seed' | 'digits'>, step: number): string {
  return codesOf(source)(step)
}

/** Makes the key once for all steps: Node takes several times as long for an HMAC whose key are bytes. */
function codesOf({ seed, digits }: Pick<CodeSource, 'seed' | 'digits'>): (step: number) => string {
  const secret = Secret.fromHex(seed)
  const key = createSecretKey(secret.bytes)
  const hmac = (algorithm: string, _bytes: Uint8Array, message: Uint8Array) =>
    createHmac(algorithm, key).update(message).digest()
  return (step) => HOTP.generate({ secret, algorithm: 'SHA1', digits, counter: step, hmac })
}

/** A new secret of 160 bits (RFC 4226 section 4, R6), hexadecimal. */
export const newSeed = (random: Random): string => Buffer.from(random(20)).toString('hex')

/** As authenticators take it. */
export const seedInBase32 = (seed: string): string => Secret.fromHex(seed).base32

export const stepAt = (now: number, period: number): number => Math.floor(now / period)

/** What a code is worth. Steps that were accepted before, and all before them, are over. */
export function judgeCode(source: CodeSource, code: string, now: number): Verdict {
  const present = stepAt(now, source.period)
  const expected = present + (source.resynchronizes ? source.drift : 0)
  // The wide window also where it does not count: how long a code takes must not say what its user has.
  const step = matchingStep(source, code, expected)
  if (step === undefined) return { outcome: 'wrong' }
  if (Math.abs(step - expected) <= window) return { outcome: 'accepted', step, drift: step - present }
  if (!source.resynchronizes) return { outcome: 'wrong' }
  return follows(source, step, now) ? { outcome: 'accepted', step, drift: step - present } : { outcome: 'seen', step }
}

/** The step nearest to the expected one that has this code; all are looked at, whichever it is. */
function matchingStep(source: CodeSource, code: string, expected: number): number | undefined {
  const steps = Array.from({ length: 2 * wideWindow + 1 }, (_, index) => expected - wideWindow + index)
  const codeOf = codesOf(source)
  const matching = steps.filter((step) => step >= 0 && isSame(codeOf(step), code) && step > source.lastStep)
  return matching.toSorted((a, b) => Math.abs(a - expected) - Math.abs(b - expected))[0]
}

function follows({ seenStep, seenAt, period }: CodeSource, step: number, now: number): boolean {
  if (seenStep === null || seenAt === null || step !== seenStep + 1) return false
  return now - seenAt <= patience * period && seenAt <= latestBeginning(now)
}

function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
