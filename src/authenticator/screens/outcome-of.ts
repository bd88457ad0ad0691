import type { Answered } from '../../contract/device-answers.ts'
import type { Outcome } from './outcome.tsx'

/** The outcome of an answer that the service accepted. */
export function outcomeOf(answered: Pick<Answered, 'state' | 'reason' | 'blocked'>): Outcome {
  // The service blocks the person also where the request had ended.
  if (answered.blocked !== undefined) return 'reported'
  if (answered.state === 'approved') return 'approved'
  if (answered.state === 'expired') return 'expired'
  if (answered.state === 'cancelled') return 'gone'
  if (answered.reason === 'wrong_number') return 'wrongNumber'
  return answered.reason === 'reported' ? 'reported' : 'denied'
}
