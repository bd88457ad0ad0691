import { createHmac, createSecretKey } from 'node:crypto'

import { Secret } from 'otpauth'

import type { CodeAlgorithm, CodeDigits } from '../../../contract/hardware.ts'
import { isSameText } from '../../../ground/same-text.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import type { Random } from '../../engine/base/random.ts'

/** The accepted distance of a code from the remembered drift, steps (RFC 6238 section 5.2). */
const window = 1
/** The accepted distance for a resynchronization, steps (RFC 6238 section 6). */
const wideWindow = 10
/** How long the first of two consecutive codes counts, steps: long enough to read and type the second. */
const maxStepsBetween = 3

/** A source of codes, and what is remembered of its codes. */
export interface CodeSource {
  /** Hexadecimal. */
  readonly seed: string
  readonly algorithm: CodeAlgorithm
  readonly digits: CodeDigits
  /** Seconds. */
  readonly period: number
  /** The last step of an accepted code; -1 before the first. */
  readonly lastStep: number
  /** The steps its clock was ahead at that time. */
  readonly drift: number
  /** The last step seen in the wide window only, and when. */
  readonly seenStep: number | null
  readonly seenAt: number | null
  /**
   * Whether its clock can drift: the clock of a hardware token cannot be set, so drift is remembered and two consecutive
   * codes resynchronize it (RFC 6238 section 6). Phones synchronize over the network, and accepting codes that are minutes
   * old would only help an attacker who has noted them.
   */
  readonly resynchronizes: boolean
}

export type Verdict =
  | { readonly outcome: 'accepted'; readonly step: number; readonly drift: number }
  /** Denied. If the next code follows, the clock of the source is off by this distance. */
  | { readonly outcome: 'seen'; readonly step: number }
  | { readonly outcome: 'wrong' }

/** What decides which codes there are. Without an algorithm it is SHA-1, as in RFC 4226. */
export type Codes = Pick<CodeSource, 'seed' | 'digits'> & Partial<Pick<CodeSource, 'algorithm'>>

/** The code of one time step (RFC 4226 section 5.3, with the hashes of RFC 6238 section 1.2). */
export function codeAt(source: Codes, step: number): string {
  return codesOf(source)(step)
}

/**
 * Computes codes by `node:crypto`: the HMACs of a wrong code take most of its time. Creates the key once for all steps, because an
 * HMAC in Node takes several times as long if its key is given as bytes.
 */
export function codesOf({ seed, digits, algorithm = 'SHA1' }: Codes): (step: number) => string {
  const key = createSecretKey(seed, 'hex')
  const counter = Buffer.alloc(8)
  return (step) => {
    counter.writeBigUInt64BE(BigInt(step))
    const hash = createHmac(algorithm, key).update(counter).digest()
    const offset = (hash.at(-1) ?? 0) & 0xf
    const number = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits
    return String(number).padStart(digits, '0')
  }
}

/** A new secret of 160 bits (RFC 4226 section 4, R6), hexadecimal. */
export const newSeed = (random: Random): string => Buffer.from(random(20)).toString('hex')

/** The seed in the format of authenticator apps. */
export const seedInBase32 = (seed: string): string => Secret.fromHex(seed).base32

export const stepAt = (now: number, period: number): number => Math.floor(now / period)

/** The steps that a code is compared with: the nearest ones, in which it is accepted, or those that a resynchronization adds. */
export type Reach = 'near' | 'far'

/** Judges a code. Steps up to the last accepted one are used up. */
export function judgeCode(source: CodeSource, code: string, now: number): Verdict {
  const near = judgeWithin('near', source, code, now)
  return near.outcome === 'wrong' ? judgeWithin('far', source, code, now) : near
}

/** Judges a code by the steps in reach. */
export function judgeWithin(reach: Reach, source: CodeSource, code: string, now: number): Verdict {
  const currentStep = stepAt(now, source.period)
  const expected = currentStep + (source.resynchronizes ? source.drift : 0)
  const step = matchingStep(source, code, expected, reach)
  if (step === undefined) return { outcome: 'wrong' }
  if (Math.abs(step - expected) <= window) return { outcome: 'accepted', step, drift: step - currentStep }
  if (!source.resynchronizes) return { outcome: 'wrong' }
  return follows(source, step, now)
    ? { outcome: 'accepted', step, drift: step - currentStep }
    : { outcome: 'seen', step }
}

/** The distances of the wide window, nearest first. */
const distances = [0, ...Array.from({ length: wideWindow }, (_, index) => [-1 - index, 1 + index]).flat()]
const reaches: Readonly<Record<Reach, readonly number[]>> = {
  near: distances.slice(0, 2 * window + 1),
  far: distances.slice(2 * window + 1),
}

/** How many codes are computed for each. */
export const reachSizes: Readonly<Record<Reach, number>> = { near: reaches.near.length, far: reaches.far.length }

/** The nearest step in reach with this code. Computes all of them, so that timing does not tell which one it is. */
function matchingStep(source: CodeSource, code: string, expected: number, reach: Reach): number | undefined {
  const codeOf = codesOf(source)
  const matches = (step: number) => step >= 0 && isSameText(codeOf(step), code) && step > source.lastStep
  return reaches[reach].map((distance) => expected + distance).filter(matches)[0]
}

/**
 * The later step of two consecutive codes within the wide window, and how far ahead the token is then; nearest first. Steps that
 * were used do not count. A wider window would accept codes that `endAllAccess` does not end after a restore.
 */
export function resynchronizedStep(
  source: Pick<CodeSource, 'seed' | 'algorithm' | 'digits' | 'period' | 'lastStep' | 'drift'>,
  [first, second]: readonly [string, string],
  now: number,
): { readonly step: number; readonly drift: number } | undefined {
  const codeOf = codesOf(source)
  const currentStep = stepAt(now, source.period)
  for (const distance of distances) {
    const step = currentStep + source.drift + distance
    if (step <= source.lastStep || step < 0 || !isSameText(codeOf(step), first)) continue
    if (isSameText(codeOf(step + 1), second)) return { step: step + 1, drift: step + 1 - currentStep }
  }
  return undefined
}

function follows({ seenStep, seenAt, period }: CodeSource, step: number, now: number): boolean {
  if (seenStep === null || seenAt === null || step !== seenStep + 1) return false
  return now - seenAt <= maxStepsBetween * period && seenAt <= latestBeginning(now)
}

/** The time at which the last code of a generator was accepted, Unix time in seconds, to the step; undefined before the first one. */
export function lastCodeAt({ lastStep, drift, period }: Pick<CodeSource, 'lastStep' | 'drift' | 'period'>) {
  return lastStep < 0 ? undefined : (lastStep - drift) * period
}
