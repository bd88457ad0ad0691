import { pinProblem } from '../../contract/pin.ts'
import type { KeyType } from '../../contract/pin.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { ApiProblem } from '../ground/problem.ts'
import { hashPin } from './pin-hash.ts'

/**
 * What is kept of the PIN or passcode of a device that is about to be activated. Takes its time: not to be waited for in
 * a transaction.
 * @throws {ApiProblem} where it has not the form, or is among the first that anybody would try.
 */
export async function newPin(
  { random, secrets }: Pick<ServiceContext, 'random' | 'secrets'>,
  device: { readonly id: string; readonly userId: string },
  { keyType, pin }: { readonly keyType: KeyType; readonly pin: string | undefined },
): Promise<string | null> {
  if (keyType === 'NONE') return null
  const problem = pinProblem(keyType, pin ?? '')
  if (problem) throw new ApiProblem('api.error.invalid.pin', messages[problem][keyType])
  return secrets.seal(await hashPin(random, pin ?? ''), { kind: 'pin', id: device.id, userId: device.userId })
}

const messages = {
  form: { PIN: 'pin: 4 digits.', PASSCODE: 'pin: 6 to 64 characters.' },
  guessable: { PIN: 'pin: is too easy to guess.', PASSCODE: 'pin: is too easy to guess.' },
} as const
