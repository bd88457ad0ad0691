import { timingSafeEqual } from 'node:crypto'

import { isBeforeEnd } from '../../../ground/clock.ts'
import { ceremonyLifetime } from '../../../contract/passkeys.ts'
import type { Random } from '../../engine/base/random.ts'
import type { Secrets } from '../../engine/secrets/secrets.ts'

interface Context {
  readonly secrets: Pick<Secrets, 'lookup' | 'lookups'>
  readonly random: Random
}

/** The values that a challenge is made for. No part but the last may contain a colon, so that two purposes never have one text. */
export type ChallengePurpose = readonly string[]

/** Random bytes, and the end in Unix seconds. */
const [randomLength, endLength] = [16, 6]

/**
 * A WebAuthn challenge that carries its own proof and its end, so nothing is stored until a right answer comes: anonymous visitors
 * can ask for as many as they like.
 */
export function newSignedChallenge({ secrets, random }: Context, purpose: ChallengePurpose, now: number): string {
  const head = Buffer.alloc(randomLength + endLength)
  head.set(random(randomLength))
  head.writeUIntBE(now + ceremonyLifetime, randomLength, endLength)
  return Buffer.concat([head, proofOf(secrets.lookup(textOf(purpose, head)))]).toString('base64url')
}

/** @returns until when it is good, Unix seconds; undefined for one that this service did not make for this, or that has ended. */
export function signedChallengeEnd(
  { secrets }: Pick<Context, 'secrets'>,
  webauthnChallenge: string,
  purpose: ChallengePurpose,
  now: number,
): number | undefined {
  const bytes = Buffer.from(webauthnChallenge, 'base64url')
  const [head, proof] = [bytes.subarray(0, randomLength + endLength), bytes.subarray(randomLength + endLength)]
  if (head.length < randomLength + endLength) return undefined
  const isOurs = secrets.lookups(textOf(purpose, head)).some((lookup) => isSame(proof, proofOf(lookup)))
  const end = head.readUIntBE(randomLength, endLength)
  return isOurs && isBeforeEnd(end, ceremonyLifetime, now) ? end : undefined
}

const textOf = (purpose: ChallengePurpose, head: Buffer): string => [...purpose, head.toString('hex')].join(':')

/** A lookup names its key, which the challenge need not. */
const proofOf = (lookup: string): Buffer => Buffer.from(lookup.slice(lookup.indexOf('.') + 1), 'base64url')

const isSame = (first: Buffer, second: Buffer): boolean =>
  first.length === second.length && timingSafeEqual(first, second)
