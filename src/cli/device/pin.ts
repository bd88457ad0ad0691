import { passcodeLength, pinProblem } from '../../contract/pin.ts'
import { type Account, asksFor } from '../../device/account.ts'
import { askHidden, canAsk, readLine } from './ask.ts'
import { exitCode } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { pinWord } from './print.ts'

export interface PinSettings {
  /** Takes it from what is piped in, for scripts. */
  readonly pinStdin?: boolean
}

export const pinOption = ['--pin-stdin', 'read the PIN or passcode from standard input'] as const

/** The PIN or passcode of an account; nothing where it has none. */
export async function pinOf(account: Account, settings: PinSettings): Promise<string | undefined> {
  const asked = asksFor(account)
  return asked && typed(asked, settings, `Your ${pinWord[asked]}: `)
}

/** One to be set, typed twice where somebody types it. @throws {Failure} where it will not do and nobody can be asked again. */
export async function newPin(asked: 'PIN' | 'PASSCODE', settings: PinSettings): Promise<string> {
  for (;;) {
    const pin = await typed(asked, settings, `Choose a ${pinWord[asked]} (${form[asked]}): `)
    const problem = pinProblem(asked, pin)
    if (!problem && (settings.pinStdin || (await askHidden('Once more: ')) === pin)) return pin
    const reason = problem ? reasons[problem][asked] : 'The two were not the same.'
    if (settings.pinStdin) throw new Failure(reason)
    console.error(reason)
  }
}

async function typed(asked: 'PIN' | 'PASSCODE', { pinStdin }: PinSettings, question: string): Promise<string> {
  if (pinStdin) return readLine()
  if (canAsk()) return askHidden(question)
  throw new Failure(`The ${pinWord[asked]} is needed. Pipe it in and add --pin-stdin.`, exitCode.usage)
}

const form = { PIN: '4 digits', PASSCODE: `${passcodeLength.least} to ${passcodeLength.most} characters` } as const

const reasons = {
  form: {
    PIN: 'A PIN has 4 digits. Choose another one.',
    PASSCODE: `A passcode has ${form.PASSCODE}. Choose another one.`,
  },
  guessable: {
    PIN: 'That PIN is too easy to guess. Choose another one.',
    PASSCODE: 'That passcode is too easy to guess. Choose another one.',
  },
} as const
