import type { Notice } from '../../challenge/challenge.ts'
import { codesPause } from '../../challenge/pauses.ts'
import { pausedSaid, saidOf } from './notice.ts'
import { nextRequest } from './status-view.ts'
import type { StatusPage } from './status-view.ts'

/** How a result is shown that is no mistake. */
const tones: Partial<Record<Notice['kind'], 'done' | 'note'>> = {
  emailed: 'done',
  app_ready: 'done',
  email_paused: 'note',
}

/** The field for a code, with the result of the last one. */
export function codeView(page: StatusPage) {
  const { layout, challenge, status, others, now } = page
  const { notice: last } = challenge
  // While codes are paused, there is no field.
  const notice = last?.kind === 'codes_paused' ? undefined : last
  const said = notice && saidOf(layout.language, notice, now)
  const { code } = layout.words
  return {
    ...layout,
    live: status.kind === 'waiting',
    typing: true,
    headline: said?.headline ?? (challenge.purpose === 'change_devices' ? code.changeDevices : code.headline),
    said: said?.sentence,
    tone: (notice && tones[notice.kind]) ?? 'wrong',
    // A notice about an e-mail does not concern what was typed.
    invalid: said !== undefined && !notice?.kind.startsWith('email') && notice?.kind !== 'app_ready',
    canEmail: others.includes('email'),
    canPush: hasDevice(status) && (status.kind === 'waiting' || nextRequest(page) === undefined),
  }
}

function hasDevice({ kind }: StatusPage['status']): boolean {
  return kind !== 'no_device' && kind !== 'code_needed'
}

/** Shown instead of the field while codes are paused; offers a push request if one can be sent. */
export function pausedView(page: StatusPage) {
  const { layout, challenge, status, pauses, now } = page
  const pause = codesPause(pauses, challenge, page)
  if (!pause) return undefined
  return {
    ...layout,
    live: status.kind === 'waiting',
    typing: true,
    ...pausedSaid(layout.language, pause.until, now),
    ...deviceWay(page),
    ...untilOf(layout, pause.until, now),
    hasWays: true,
    codesPaused: true,
  }
}

/** Offers the device, or says when it can be used again. */
function deviceWay(page: StatusPage) {
  const { layout, status } = page
  const { paused } = layout.words
  if (!hasDevice(status)) return {}
  if (status.kind === 'waiting') return { addition: paused.device, button: paused.button, target: layout.base }
  const addition = nextRequest(page)
  return addition === undefined ? { addition: paused.device, button: paused.button, action: 'send' } : { addition }
}

/** Only the browser knows the user's time zone: it says until when, while the server says for how long. */
function untilOf({ words, span }: StatusPage['layout'], until: number | undefined, now: number) {
  if (until === undefined) return {}
  return { until, untilWords: words.notices.codes_paused.until('{time}', span(Math.max(1, until - now))) }
}
