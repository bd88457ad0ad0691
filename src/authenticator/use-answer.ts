import { useRef } from 'preact/hooks'

import type { Device } from '../device/device.ts'
import type { Answer } from '../device/requests.ts'
import { outcomeOf, outcomeOfError } from './answer-outcome.ts'
import { problemOf } from './problem.ts'
import type { Screen } from './screen.ts'
import type { Inbox, Pending } from './use-inbox.ts'
import { useWords } from './words/speech.tsx'

/** Sends what somebody answered, and shows what came of it. */
export function useAnswer(
  device: Device,
  inbox: Inbox,
  show: (screen: Screen) => void,
): (pending: Pending, given: Answer) => Promise<void> {
  const words = useWords()
  /** Another press while one is under way must not start a second one. */
  const answering = useRef(false)

  async function send(pending: Pending, given: Answer): Promise<Screen> {
    try {
      const answered = await device.answer(pending.account, pending.request, given)
      inbox.forget(pending.request)
      return { name: 'outcome', outcome: outcomeOf(answered) }
    } catch (error) {
      const outcome = outcomeOfError(error, given.pin !== undefined)
      if (!outcome) return { name: 'request', pending, problem: problemOf(error, words) }
      inbox.forget(pending.request)
      return { name: 'outcome', outcome }
    }
  }

  return async (pending, given) => {
    if (answering.current) return
    answering.current = true
    show({ name: 'request', pending, busy: true })
    show(await send(pending, given))
    answering.current = false
  }
}
