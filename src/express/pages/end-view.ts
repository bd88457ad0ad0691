import { formatDuration } from '../../contract/format-duration.ts'
import { codesPause } from '../../challenge/pauses.ts'
import { pausedSaid } from './notice.ts'
import { nextRequest } from './status-view.ts'
import type { SessionReason } from '../../contract/sessions.ts'
import type { Message, Messages } from './messages/en.ts'
import type { StatusPage, StatusOf } from './status-view.ts'

type Ending = 'ended' | 'throttled' | 'no_device' | 'no_member' | 'similar_name'

/** The request ended without approval, or could not be sent. */
export function endView(page: StatusPage, status: StatusOf<Ending>) {
  const { layout, now } = page
  return {
    ...layout,
    ...messageOf(page, status),
    ...wayOf(page, status),
    // The service does not know the user, so codes are no alternative.
    ...(status.kind === 'similar_name' ? { help: layout.helpUrl } : { hasWays: true }),
    ...(status.kind === 'throttled' ? { again: Math.max(0, status.until - now) } : {}),
  }
}

/** While no push request can be sent, a code is the alternative, if the user has a factor for it and codes are not paused. */
function wayOf(page: StatusPage, status: StatusOf<Ending>) {
  const { layout, challenge, pauses, others, now } = page
  const codes = codesPause(pauses, challenge, page)
  const codesPaused = codes !== undefined
  const rests = status.kind === 'throttled' || (status.kind === 'ended' && status.reason === 'reported')
  const next = status.kind === 'ended' ? nextRequest(page) : undefined
  if (!rests && next === undefined) return { action: 'send', codesPaused }
  const said = codes ? pausedSaid(layout.language, codes.until, now).sentence : undefined
  const addition = [rests ? undefined : next, said].filter((sentence) => sentence !== undefined).join(' ')
  if (codesPaused || others.length === 0) return { addition, button: undefined, codesPaused }
  return { addition, button: layout.words.throttled.button, target: `${layout.base}?use=code`, usesCode: true }
}

/** The words for a change of devices, which is no sign-in. */
function changeEnded(
  { purpose }: StatusPage['challenge'],
  words: Messages,
): Partial<Record<SessionReason, Partial<Message>>> {
  return purpose === 'change_devices' ? words.changeEnded : {}
}

function messageOf({ layout, challenge, now }: StatusPage, status: StatusOf<Ending>): Message {
  const { words, language } = layout
  if (status.kind === 'throttled') {
    return {
      ...words.throttled,
      sentence: words.throttled.sentence(formatDuration(language.tag, Math.max(1, status.until - now))),
    }
  }
  if (status.kind !== 'ended') return words.problems[status.kind]
  const ended = { ...words.ended[status.reason], ...changeEnded(challenge, words)[status.reason] }
  if (status.reason !== 'timeout' || status.lasted === undefined) return ended
  return { ...ended, sentence: words.timedOut(formatDuration(language.tag, status.lasted)) }
}
