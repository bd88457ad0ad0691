import { saidOf } from './notice.ts'
import type { Page } from './page.ts'

/** The field for a code, with what came of the last one. */
export function codeView({ layout, challenge, standing, others, now }: Page) {
  const { notice } = challenge
  const said = notice && saidOf(layout.language, notice, now)
  return {
    ...layout,
    live: standing.kind === 'waiting',
    typing: true,
    headline: said?.headline ?? layout.words.code.headline,
    said: said?.sentence,
    wrong: said !== undefined && notice?.kind !== 'emailed' && notice?.kind !== 'app_ready',
    canEmail: others.includes('email'),
    canPush: standing.kind !== 'no_device',
    ...untilOf(layout, notice),
  }
}

/** While codes are paused and there is a device, that is the way on. */
export function pausedView({ layout, challenge, standing, now }: Page) {
  const { notice } = challenge
  if (notice?.kind !== 'codes_paused' || notice.until <= now || standing.kind === 'no_device') return undefined
  const { paused } = layout.words
  const { headline = '', sentence } = saidOf(layout.language, notice, now)
  return {
    ...layout,
    live: standing.kind === 'waiting',
    typing: true,
    headline,
    sentence,
    addition: paused.device,
    button: paused.button,
    ...(standing.kind === 'waiting' ? { target: layout.base } : { action: 'send' }),
    ...untilOf(layout, notice),
    hasWays: true,
    usesCode: true,
  }
}

/** What time it is where the person is only the browser knows: it says until when, where we say for how long. */
function untilOf({ words }: Page['layout'], notice: Page['challenge']['notice']) {
  if (notice?.kind !== 'codes_paused') return {}
  return { until: notice.until, untilWords: words.notices.codes_paused.until('{time}') }
}
