import { codesPause } from '../../challenge/pauses.ts'
import { joined, pausedSaid } from './notice.ts'
import { nextRequest } from './status-view.ts'
import type { SessionReason } from '../../contract/sessions.ts'
import type { Message, Messages } from '../messages/messages.ts'
import type { StatusPage, StatusOf } from './status-view.ts'

type EndStatus = 'ended' | 'throttled' | 'no_device' | 'no_member' | 'similar_name'

/** The request ended without approval, or could not be sent. */
export function endView(page: StatusPage, status: StatusOf<EndStatus>) {
  const { layout, context, now } = page
  const { passwordUrl } = context.mfa.options
  return {
    ...layout,
    ...messageOf(page, status),
    // The service does not know the user, so codes are no alternative.
    hasWays: status.kind !== 'similar_name',
    ...wayOf(page, status),
    ...(isAlarming(status) && { alarming: true, passwordUrl }),
    ...(status.kind === 'throttled' ? { again: Math.max(0, status.until - now) } : {}),
  }
}

/** Whether the user denied or reported the request: then an attacker may know the password. */
function isAlarming(status: StatusOf<EndStatus>): boolean {
  return status.kind === 'ended' && !status.unexplained && /^(user_denied|reported)$/.test(status.reason)
}

/** The button leads to the other ways, and help is there. */
const noWays = { hasWays: false, helpUrl: undefined }

const isReported = (status: StatusOf<EndStatus>) => status.kind === 'ended' && status.reason === 'reported'

/** While no push request can be sent, a code is the alternative, if the user has a factor for it and codes are not paused. */
function wayOf(page: StatusPage, status: StatusOf<EndStatus>) {
  const { layout, context, challenge, pauses, availableCodes, now } = page
  const { words } = layout
  const codes = codesPause(pauses, challenge, page)
  const pausedSentence = codes ? pausedSaid(layout.language, codes.until, now).sentence : undefined
  if (status.kind === 'throttled') {
    return { addition: pausedSentence, button: layout.otherWays, target: `${layout.base}?use=other`, ...noWays }
  }
  if (status.kind === 'ended' && status.reason === 'phishing_resistance_required' && challenge.purpose !== 'sign_in') {
    return { button: words.newPasskey.offer.add, target: `${layout.base}/devices/passkey` }
  }
  const next = status.kind === 'ended' ? nextRequest(page) : undefined
  const advice = isAlarming(status) && context.mfa.options.passwordUrl === undefined ? words.changePassword : undefined
  if (next === undefined) {
    return { addition: advice, action: 'send', ...(isReported(status) && { button: words.waiting.sendAgain }) }
  }
  const sentences = [isReported(status) ? undefined : next, pausedSentence, advice]
  const addition = sentences.filter((sentence) => sentence !== undefined).join(' ')
  if (codes || availableCodes.length === 0) return { addition, button: undefined }
  return { addition, button: words.ended.reported.button, target: `${layout.base}?use=code` }
}

/** The words for a step-up and a change of devices, where users are signed in already. */
function endedSignedIn(
  { purpose }: StatusPage['challenge'],
  words: Messages,
): Partial<Record<SessionReason, Partial<Message>>> {
  if (purpose === 'sign_in') return {}
  return purpose === 'change_devices' ? words.changeEnded : { user_denied: words.changeEnded.user_denied }
}

function messageOf({ layout, challenge, pauses, now }: StatusPage, status: StatusOf<EndStatus>): Message {
  const { words, span } = layout
  if (status.kind === 'throttled') {
    return { ...words.throttled, sentence: words.throttled.sentence(span(Math.max(1, status.until - now))) }
  }
  if (status.kind !== 'ended') return words.problems[status.kind]
  if (status.unexplained) return words.ended.unexplained
  const ended = { ...words.ended[status.reason], ...endedSignedIn(challenge, words)[status.reason] }
  const until = pauses.push?.until ?? now
  if (isReported(status) && until > now) {
    return { ...ended, sentence: joined(ended.sentence, words.requestsPaused(span(until - now))) }
  }
  return status.lasted === undefined ? ended : { ...ended, sentence: words.timedOut(span(status.lasted)) }
}
