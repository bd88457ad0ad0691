import { type Dispatch, type StateUpdater, useRef } from 'preact/hooks'

import type { Answered, Scanned } from '../contract/device-answers.ts'
import type { Device } from '../device/device.ts'
import type { Answer } from '../device/requests.ts'
import { problemOf } from './hooks/problem.ts'
import type { RequestShown, Screen } from './screen.ts'
import type { Outcome } from './screens/outcome.tsx'
import type { Inbox, Pending } from './inbox/use-inbox.ts'
import { useWords } from './words/speech.tsx'
import { outcomeOf } from './screens/outcome-of.ts'
import { outcomeOfError } from './screens/outcome-of-error.ts'

interface Answering {
  /** Sends an answer and shows its outcome. */
  readonly answer: (requestScreen: RequestShown, answer: Answer) => Promise<void>
  /** Sends the secret of a scanned code. @returns the number; if there is none, it shows why. */
  readonly scan: (requestScreen: RequestShown, secret: string) => Promise<string | undefined>
}

export function useAnswer(device: Device, inbox: Inbox, show: Dispatch<StateUpdater<Screen>>): Answering {
  const words = useWords()
  /** The requests whose answers are being sent: further presses on them are ignored. */
  const answering = useRef(new Set<string>())

  async function send(requestScreen: RequestShown, call: Call, withPin: boolean): Promise<Sent> {
    const { pending, denied = false } = requestScreen
    const endedScreen = (outcome: Outcome) => (endedWithoutAnswer(outcome) ? requestScreen : undefined)
    try {
      const answered = await call(pending)
      if (answered.number !== undefined) return { screen: { name: 'request', pending }, number: answered.number }
      inbox.forget(pending.request)
      const outcome = outcomeOf(answered)
      return { screen: { name: 'outcome', outcome, report: reportOf(answered), ended: endedScreen(outcome) } }
    } catch (error) {
      const outcome = outcomeOfError(error, withPin)
      if (!outcome) return { screen: { name: 'request', pending, denied, problem: problemOf(error, words) } }
      inbox.forget(pending.request)
      return { screen: { name: 'outcome', outcome, ended: endedScreen(outcome) } }
    }
  }

  async function once(requestScreen: RequestShown, call: Call, withPin = false): Promise<string | undefined> {
    const { id } = requestScreen.pending.request
    if (answering.current.has(id)) return undefined
    answering.current.add(id)
    show({ ...requestScreen, busy: true, problem: undefined })
    const { screen, number } = await send(requestScreen, call, withPin)
    show((before) => (isAt(before, id) ? screen : before))
    answering.current.delete(id)
    return number
  }

  return {
    async answer(requestScreen, answer) {
      await once(
        requestScreen,
        ({ account, request }) => device.answer(account, request, answer),
        answer.pin !== undefined,
      )
    },
    scan: (requestScreen, secret) =>
      once(requestScreen, ({ account, request }) => device.scan(account, request, secret)),
  }
}

/** Whether what came of an answer takes nothing away: the person may be answering another request by now. */
const isAt = (screen: Screen, id: string): boolean =>
  screen.name === 'home' || (screen.name === 'request' && screen.pending.request.id === id)

type Call = (pending: Pending) => Promise<Scanned>

interface Sent {
  readonly screen: Screen
  readonly number?: string
}

const reportOf = ({ blocked, pausedFor }: Answered) => (blocked === undefined ? undefined : { blocked, pausedFor })

const endedWithoutAnswer = (outcome: Outcome) => outcome === 'gone' || outcome === 'expired'
