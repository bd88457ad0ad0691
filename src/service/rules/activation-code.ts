import { activationCodeAlphabet, activationCodeLength } from '../../contract/tokens.ts'
import { randomText } from './random.ts'
import type { Random } from './random.ts'

const day = 24 * 60 * 60

export function newActivationCode(random: Random): string {
  return randomText(random, activationCodeAlphabet, activationCodeLength)
}

/** @param days As the domain has it. */
export const codeExpiry = (now: number, days: number): number => now + days * day

/** A pending token whose code has expired reads as none. */
export function hasExpired(token: { state: string; codeExpiresAt: number | null }, now: number): boolean {
  return token.state === 'pending' && (token.codeExpiresAt ?? 0) <= now
}
