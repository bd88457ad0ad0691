import { z } from 'zod'

import type { Domain } from './domains.ts'

/** The key that a domain requires in addition to the device: nothing, a PIN or a passcode. */
export type KeyType = Domain['keyType']

/** A PIN or passcode, normalized (NFC) for comparison. Use `pinProblem` to check a new one. */
export const Pin = z
  .string()
  .max(256)
  .transform((value) => value.normalize('NFC'))

/** The length of a passcode, characters. A PIN has 4 digits. */
export const passcodeLength = Object.freeze({ min: 6, max: 64 })

/** `form`: not four digits, or too short or too long. `guessable`: among the first that an attacker would try. */
export type PinProblem = 'form' | 'guessable'

/** Checks a new PIN or passcode: on the device, before anything is sent, and again in the service. */
export function pinProblem(keyType: KeyType, pin: string): PinProblem | undefined {
  if (keyType === 'NONE') return undefined
  const text = pin.normalize('NFC')
  if (!hasForm(keyType, text)) return 'form'
  return isGuessable(text) ? 'guessable' : undefined
}

function hasForm(keyType: KeyType, pin: string): boolean {
  if (keyType === 'PIN') return /^[0-9]{4}$/.test(pin)
  const length = Array.from(pin).length
  return length >= passcodeLength.min && length <= passcodeLength.max && !/\p{Cc}/u.test(pin) && pin.isWellFormed()
}

/** NIST SP 800-63B-4 section 3.1.1.2: rejects common values. A thief of the device has a few attempts to guess. */
function isGuessable(pin: string): boolean {
  return isRun(pin) || /^(.{1,2})\1+$/u.test(pin) || common.has(pin.toLowerCase())
}

/** A sequence up or down: 1234, 8765, abcdef. */
function isRun(pin: string): boolean {
  const points = Array.from(pin, (character) => character.codePointAt(0) ?? 0)
  return [1, -1].some((step) =>
    points.every((point, index) => index === 0 || point - (points[index - 1] ?? 0) === step),
  )
}

/**
 * PINs: the twenty most used (DataGenetics, 2012), without patterns that the other rules find. Passcodes: the most common
 * words.
 */
const common: ReadonlySet<string> = new Set(
  (
    '1004 1122 2000 2001 ' +
    'password passcode password1 passwort qwerty qwertyuiop azerty qwertz letmein iloveyou ' +
    '1234567890 123123 654321 abc123 qwerty123 welcome secret dragon monkey admin123'
  ).split(' '),
)
