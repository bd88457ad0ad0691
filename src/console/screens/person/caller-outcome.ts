import type { CallerVerification } from '../../../admin-contract/caller-verifications.ts'
import type { CallState } from '../../../contract/phone-calls.ts'
import { check, clock, type IconPath, shield, warning } from '../../../ui/icons.ts'
import type { Words } from '../../texts/en.ts'

/** The message to the administrator about a question. */
export interface Outcome {
  readonly icon: IconPath
  readonly tone: 'plain' | 'ok' | 'danger'
  readonly title: string
  readonly sentence: string
}

interface About {
  readonly question: CallerVerification
  readonly words: Words
  /** The name of the person, isolated. */
  readonly name: string
  /** The time until which the outcome stands. */
  readonly until: string
}

export function outcomeOf({ question, words: { caller }, name, until }: About): Outcome {
  const outcomes: Readonly<Record<CallState, Outcome>> = {
    pending: { icon: clock, tone: 'plain', title: caller.waiting, sentence: caller.readOutSentence(name) },
    confirmed: { icon: check, tone: 'ok', title: caller.confirmed, sentence: caller.confirmedSentence(name, until) },
    denied: { icon: shield, tone: 'danger', title: caller.endCall, sentence: caller.deniedSentence(name) },
    reported: { icon: shield, tone: 'danger', title: caller.endCall, sentence: caller.reportedSentence(name) },
    wrong_number: {
      icon: warning,
      tone: 'danger',
      title: caller.wrongNumber,
      sentence: caller.wrongNumberSentence,
    },
    expired: { icon: clock, tone: 'plain', title: caller.expired, sentence: caller.expiredSentence },
  }
  return outcomes[question.state]
}

/** Answers of No, after which the help desk is blocked. */
export const isNo = ({ state }: Pick<CallerVerification, 'state'>): boolean =>
  state === 'denied' || state === 'reported'
