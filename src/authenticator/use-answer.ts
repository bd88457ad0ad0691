import { useRef } from 'preact/hooks'

import type { Answered } from '../contract/device.ts'
import { DeviceError } from '../device/device-error.ts'
import type { Device } from '../device/device.ts'
import type { Answer } from '../device/requests.ts'
import { problemOf } from './problem.ts'
import type { RequestShown, Screen } from './screen.ts'
import type { Outcome } from './screens/outcome.tsx'
import type { Inbox } from './use-inbox.ts'
import { useWords } from './words/speech.tsx'

/** Returns the function that sends an answer and shows its outcome. */
export function useAnswer(
  device: Device,
  inbox: Inbox,
  show: (screen: Screen) => void,
): (shown: RequestShown, answer: Answer) => Promise<void> {
  const words = useWords()
  /** Ignores further presses while an answer is being sent. */
  const answering = useRef(false)

  async function send({ pending, denied = false }: RequestShown, answer: Answer): Promise<Screen> {
    try {
      const answered = await device.answer(pending.account, pending.request, answer)
      inbox.forget(pending.request)
      return { name: 'outcome', outcome: outcomeOf(answered) }
    } catch (error) {
      const outcome = outcomeOfError(error, answer.pin !== undefined)
      if (!outcome) return { name: 'request', pending, denied, problem: problemOf(error, words) }
      inbox.forget(pending.request)
      return { name: 'outcome', outcome }
    }
  }

  return async (shown, answer) => {
    if (answering.current) return
    answering.current = true
    show({ ...shown, busy: true, problem: undefined })
    show(await send(shown, answer))
    answering.current = false
  }
}

/** The outcome of an answer that the service accepted. */
function outcomeOf(answered: Answered): Outcome {
  if (answered.state === 'approved') return 'approved'
  if (answered.state === 'expired') return 'expired'
  if (answered.state === 'cancelled') return 'gone'
  if (answered.reason === 'wrong_number') return 'wrongNumber'
  return answered.reason === 'reported' ? 'reported' : 'denied'
}

/** The outcome of a failed answer; undefined when a retry makes sense. */
function outcomeOfError(error: unknown, withPin: boolean): Outcome | undefined {
  if (!(error instanceof DeviceError)) return undefined
  switch (error.code) {
    case 'api.error.conflict.state':
    case 'api.error.notfound.session':
      return 'gone'
    case 'api.error.device.moved':
      return 'moved'
    // The service does not say why. With a PIN, it was the last attempt.
    case 'api.error.device.revoked':
      return withPin ? 'locked' : 'removed'
    default:
      return undefined
  }
}
