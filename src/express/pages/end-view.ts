import { spanOf } from '../../contract/spans.ts'
import { codesPause } from '../../challenge/pauses.ts'
import { pausedSaid } from './notice.ts'
import { nextRequest } from './page.ts'
import type { SessionReason } from '../../contract/sessions.ts'
import type { Message, Messages } from './messages/en.ts'
import type { Page, StandingOf } from './page.ts'

type Ending = 'ended' | 'throttled' | 'no_device' | 'no_member' | 'similar_name'

/** It ended badly, or could not begin. */
export function endView(page: Page, standing: StandingOf<Ending>) {
  const { layout, now } = page
  return {
    ...layout,
    ...messageOf(page, standing),
    ...wayOf(page, standing),
    // Nobody is known by this name: no code is, either.
    ...(standing.kind === 'similar_name' ? { help: layout.helpUrl } : { hasWays: true }),
    ...(standing.kind === 'throttled' ? { again: Math.max(0, standing.until - now) } : {}),
  }
}

/** Where the device is not asked for a while, a code is the way on, if the person has one and codes are not paused as well. */
function wayOf(page: Page, standing: StandingOf<Ending>) {
  const { layout, challenge, pauses, others, now } = page
  const codes = codesPause(pauses, challenge, page)
  const codesPaused = codes !== undefined
  const rests = standing.kind === 'throttled' || (standing.kind === 'ended' && standing.reason === 'reported')
  const next = standing.kind === 'ended' ? nextRequest(page) : undefined
  if (!rests && next === undefined) return { action: 'send', codesPaused }
  const said = codes ? pausedSaid(layout.language, codes.until, now).sentence : undefined
  const addition = [rests ? undefined : next, said].filter((sentence) => sentence !== undefined).join(' ')
  if (codesPaused || others.length === 0) return { addition, button: undefined, codesPaused }
  return { addition, button: layout.words.throttled.button, target: `${layout.base}?use=code`, usesCode: true }
}

/** The sign-in is long over when somebody changes devices. */
function changeEnded(
  { purpose }: Page['challenge'],
  words: Messages,
): Partial<Record<SessionReason, Partial<Message>>> {
  return purpose === 'change_devices' ? words.changeEnded : {}
}

function messageOf({ layout, challenge, now }: Page, standing: StandingOf<Ending>): Message {
  const { words, language } = layout
  if (standing.kind === 'throttled') {
    return {
      ...words.throttled,
      sentence: words.throttled.sentence(spanOf(language.tag, Math.max(1, standing.until - now))),
    }
  }
  if (standing.kind !== 'ended') return words.problems[standing.kind]
  const ended = { ...words.ended[standing.reason], ...changeEnded(challenge, words)[standing.reason] }
  if (standing.reason !== 'timeout' || standing.lasted === undefined) return ended
  return { ...ended, sentence: words.timedOut(spanOf(language.tag, standing.lasted)) }
}
