import type { CallerVerification } from '../../../contract/admin/caller-verifications.ts'
import { check, clock, type IconPath, shield, warning } from '../../../ui/icons.ts'
import type { Words } from '../../words/en.ts'

/** What the administrator is told about a question. */
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
  /** Until when the outcome stands. */
  readonly until: string
}

export function outcomeOf({ question, words: { caller }, name, until }: About): Outcome {
  switch (question.state) {
    case 'pending':
      return { icon: clock, tone: 'plain', title: caller.waiting, sentence: caller.readOutSentence(name) }
    case 'confirmed':
      return { icon: check, tone: 'ok', title: caller.confirmed, sentence: caller.confirmedSentence(name, until) }
    case 'denied':
      return { icon: shield, tone: 'danger', title: caller.endCall, sentence: caller.deniedSentence(name) }
    case 'reported':
      return { icon: shield, tone: 'danger', title: caller.endCall, sentence: caller.reportedSentence(name) }
    case 'wrong_number':
      return { icon: warning, tone: 'danger', title: caller.wrongNumber, sentence: caller.wrongNumberSentence }
    case 'expired':
      return { icon: clock, tone: 'plain', title: caller.expired, sentence: caller.expiredSentence }
  }
}

/** Answers of No, after which the help desk is blocked. */
export const isNo = ({ state }: Pick<CallerVerification, 'state'>): boolean =>
  state === 'denied' || state === 'reported'
