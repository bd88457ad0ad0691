import { passcodeLength, pinProblem } from '../../contract/pin.ts'
import { type Account, requiredSecret } from '../../device/account.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { askHidden, canPrompt, readLine } from '../terminal/prompt.ts'
import { pinWord } from './pin-word.ts'

export interface PinSettings {
  /** Whether to read it from standard input, for scripts. */
  readonly pinStdin?: boolean
  /** Ends the prompt. */
  readonly signal?: AbortSignal
}

export const pinOption = ['--pin-stdin', 'read the PIN or passcode from standard input'] as const

/** The PIN or passcode of an account; undefined when the account has none. */
export async function pinOf(account: Account, settings: PinSettings): Promise<string | undefined> {
  const kind = requiredSecret(account)
  return kind && readPin(kind, settings, `Your ${pinWord[kind]}: `)
}

/** Lets the person choose a PIN, typed twice. @throws {Failure} when a piped PIN is not acceptable. */
export async function newPin(kind: 'PIN' | 'PASSCODE', settings: PinSettings): Promise<string> {
  for (;;) {
    const pin = await readPin(kind, settings, `Choose a ${pinWord[kind]} (${format[kind]}): `)
    const problem = pinProblem(kind, pin)
    if (!problem && (settings.pinStdin || (await askHidden(`Repeat the ${pinWord[kind]}: `)) === pin)) return pin
    const reason = problem ? reasons[problem][kind] : "The two entries don't match."
    if (settings.pinStdin) throw new Failure(reason)
    console.error(reason)
  }
}

async function readPin(kind: 'PIN' | 'PASSCODE', settings: PinSettings, question: string): Promise<string> {
  if (settings.pinStdin) return readLine()
  if (!canPrompt()) {
    throw new Failure(`The ${pinWord[kind]} is required. Pipe it in and add --pin-stdin.`, exitCode.usage)
  }
  const pin = await askHidden(question, settings.signal)
  if (pin === undefined) throw new Failure('The request is gone.')
  return pin
}

const format = { PIN: '4 digits', PASSCODE: `${passcodeLength.min} to ${passcodeLength.max} characters` } as const

const reasons = {
  form: {
    PIN: 'A PIN has 4 digits. Choose another one.',
    PASSCODE: `A passcode has ${format.PASSCODE}. Choose another one.`,
  },
  guessable: {
    PIN: 'This PIN is too easy to guess. Choose another one.',
    PASSCODE: 'This passcode is too easy to guess. Choose another one.',
  },
} as const
