import { spanOf } from '../../contract/spans.ts'
import type { Message } from './messages/en.ts'
import type { Page, StandingOf } from './page.ts'

type Ending = 'ended' | 'throttled' | 'no_device' | 'no_member'

/** It ended badly, or could not begin. */
export function endView(page: Page, standing: StandingOf<Ending>) {
  const { layout, now } = page
  return {
    ...layout,
    ...messageOf(page, standing),
    ...wayOf(layout.base, standing),
    hasWays: true,
    ...(standing.kind === 'throttled' ? { again: Math.max(0, standing.until - now) } : {}),
  }
}

/** Where the device is not asked for a while, a code is the way on. */
function wayOf(base: string, standing: StandingOf<Ending>) {
  const rests = standing.kind === 'throttled' || (standing.kind === 'ended' && standing.reason === 'reported')
  return rests ? { target: `${base}?use=code`, usesCode: true } : { action: 'send' }
}

function messageOf({ layout, now }: Page, standing: StandingOf<Ending>): Message {
  const { words, language } = layout
  if (standing.kind === 'throttled') {
    return {
      ...words.throttled,
      sentence: words.throttled.sentence(spanOf(language.tag, Math.max(1, standing.until - now))),
    }
  }
  if (standing.kind !== 'ended') return words.problems[standing.kind]
  const ended = words.ended[standing.reason]
  if (standing.reason !== 'timeout' || standing.lasted === undefined) return ended
  return { ...ended, sentence: words.timedOut(spanOf(language.tag, standing.lasted)) }
}
