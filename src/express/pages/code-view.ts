import type { Notice } from '../../challenge/challenge.ts'
import { isTyped, sentFactors } from '../../contract/factor-descriptions.ts'
import type { TypedFactor } from '../../contract/factor-descriptions.ts'
import { Factor } from '../../contract/factor.ts'
import { codesPause } from '../../challenge/pauses.ts'
import { pausedSaid, saidOf } from './notice.ts'
import { nextRequest, stepUpHeadline } from './status-view.ts'
import type { StatusPage } from './status-view.ts'

/** The code that the user chose to enter; `code` for any. */
export type CodeKind = TypedFactor | 'code'

/** @param name From an address or a form, so anything. */
export function codeKind(name: unknown): CodeKind | undefined {
  return kinds.find((kind) => kind === name)
}

const kinds: readonly CodeKind[] = ['code', ...Factor.options.filter(isTyped)]

type Tone = 'done' | 'note' | 'wrong'

/** How a result is shown that does not concern what was typed. */
const tones: ReadonlyMap<Notice['kind'], Tone> = new Map<Notice['kind'], Tone>([
  ['app_ready', 'done'],
  ...sentFactors.flatMap((factor): [Notice['kind'], Tone][] => [
    [`${factor}_sent`, 'done'],
    [`${factor}_failed`, 'wrong'],
    [`${factor}_paused`, 'note'],
  ]),
])

/** The field for a code, with the result of the last one. */
export function codeView(page: StatusPage) {
  const { layout, query, challenge, status, availableCodes, now } = page
  const kind = codeKind(query.get('use')) ?? 'code'
  const { notice: last } = challenge
  // While codes are paused, there is no field; and a passkey has a page of its own.
  const isElsewhere = last?.kind === 'codes_paused' || last?.kind === 'wrong_passkey'
  const notice = isElsewhere ? undefined : last
  const noticeText = notice && saidOf(layout.language, notice, now)
  const tone = notice && tones.get(notice.kind)
  const { code } = layout.words
  const takesText =
    status.kind === 'importing' ? status.withCodes : kind !== 'otp' && page.member?.importedCodes === true
  return {
    ...layout,
    live: status.kind === 'waiting',
    typing: true,
    hasField: true,
    usesPasskeys: page.passkey,
    usesBrowserKey: page.passkey,
    kind,
    headline: noticeText?.headline ?? headline(),
    sentence: sentence(),
    takesText,
    said: notice?.kind === 'no_code' && takesText ? code.imported : noticeText?.sentence,
    tone: tone ?? 'wrong',
    invalid: noticeText !== undefined && tone === undefined,
    sendable: sentFactors
      .filter((factor) => availableCodes.includes(factor) && (kind === factor || kind === 'code'))
      .map((factor) => ({ factor, send: code[factor].send })),
    canPush: status.kind !== 'passkey' && canPush(page),
  }

  function headline(): string {
    if (challenge.purpose === 'change_devices') return code.changeDevices
    return stepUpHeadline(page) ?? code[kind].headline
  }

  function sentence(): string {
    if (status.kind === 'importing') return takesText ? code.bringCodes(layout.appName) : code.bring(layout.appName)
    if (kind === 'otp' && hasOnlyDevice(page)) return layout.words.ways.device.sentence
    return kind === 'bypass' && takesText ? code.imported : code[kind].sentence
  }
}

/** Whether a request waits on the device, or can be sent. */
export function canPush(page: StatusPage): boolean {
  if (page.passkeyNeeded) return false
  return hasDevice(page.status) && (page.status.kind === 'waiting' || nextRequest(page) === undefined)
}

/** Whether the codes of this user come from the device alone. */
export function hasOnlyDevice({ service, member }: StatusPage): boolean {
  return service.knowsFactors && member?.hardware === ''
}

function hasDevice(status: StatusPage['status']): boolean {
  if (status.kind === 'passkey') return status.canAskDevice
  return !/^(no_device|code_needed|importing)$/.test(status.kind)
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
  }
}

/** Offers the device, or says when it can be used again. */
function deviceWay(page: StatusPage) {
  const { layout, status } = page
  const { paused } = layout.words
  if (!hasDevice(status) || page.passkeyNeeded) return {}
  if (status.kind === 'waiting') return { addition: paused.device, button: paused.button, target: layout.base }
  const addition = nextRequest(page)
  return addition === undefined ? { addition: paused.device, button: paused.button, action: 'send' } : { addition }
}

/** Only the browser knows the user's time zone: it says until when, while the server says for how long. */
function untilOf({ words, span }: StatusPage['layout'], until: number | undefined, now: number) {
  if (until === undefined) return {}
  return { until, untilWords: words.notices.codes_paused.until('{time}', span(Math.max(1, until - now))) }
}
