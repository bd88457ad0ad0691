import { encodeQR } from 'qr'

import type { Challenge } from '../../challenge/challenge.ts'
import type { Standing } from '../../challenge/standing.ts'
import type { Version } from '../../contract/endpoint.ts'
import type { Factor } from '../../contract/users.ts'
import type { ChallengeRequest } from '../challenge-request.ts'
import { layoutOf, sendPage } from './layout.ts'
import { authenticatorLink, foreignLink } from './link.ts'
import type { Message } from './messages/en.ts'
import { noticeText } from './notice.ts'
import { secondsOf, spanOf } from './spans.ts'

/** What the page of a challenge shows. */
export interface View {
  readonly challenge: Challenge
  readonly standing: Standing
  /** What this user could pass with beside the device. */
  readonly others: readonly Factor[]
  /** Where the service's REST interface is. */
  readonly baseUrl: string
  readonly version: Version
}

/** The page of a challenge. */
export function showStanding(request: ChallengeRequest, view: View): void {
  const { res } = request
  const page: Page = { ...request, ...view, layout: challengeLayout(request, view) }
  if (wantsCode(page)) return sendPage(res, 200, 'code', codeView(page))
  const { standing } = view
  if (standing.kind === 'waiting') return sendPage(res, 200, 'waiting', waitingView(page, standing))
  if (standing.kind === 'enrolling') return sendPage(res, 200, 'enrolling', enrollingView(page, standing.code))
  if (standing.kind === 'approved') return sendPage(res, 200, 'message', approvedView(page))
  sendPage(res, 200, 'message', endView(page, standing))
}

interface Page extends ChallengeRequest, View {
  readonly layout: ReturnType<typeof challengeLayout>
}

function challengeLayout({ req, context }: ChallengeRequest, { challenge, others }: View) {
  return { ...layoutOf(req, context), token: challenge.page, others }
}

/** Asked for by its link, or the only way there is. */
function wantsCode({ req, others, standing }: Page): boolean {
  if (standing.kind === 'enrolling' || standing.kind === 'approved') return false
  return req.query['use'] === 'code' || (standing.kind === 'no_device' && others.length > 0)
}

function waitingView({ layout, challenge, context }: Page, standing: StandingOf<'waiting'>) {
  const now = context.mfa.options.clock.now()
  const { waiting } = layout.words
  const { number, expiresAt, createdAt } = standing
  return {
    ...layout,
    live: true,
    headline: challenge.purpose === 'step_up' ? waiting.stepUp : waiting.signIn,
    number,
    left: expiresAt === undefined ? undefined : expiresAt - now,
    age: now - createdAt,
    seconds: (count: number) => secondsOf(layout.language.tag, count),
  }
}

function enrollingView({ layout, req, context, baseUrl, version }: Page, code: string) {
  const link = version === '1.4' ? authenticatorLink(req, context, baseUrl, code) : foreignLink(context)
  return {
    ...layout,
    live: true,
    headline: layout.words.enrolling.headline,
    code: code.replace(/^(.{5})/, '$1 '),
    link,
    qr: link === undefined ? undefined : encodeQR(link, 'svg', { border: 2 }),
  }
}

function approvedView({ layout }: Page) {
  return { ...layout, ...layout.words.approved, action: 'complete', live: true, settled: true }
}

function codeView({ layout, context, challenge, standing, others }: Page) {
  const { notice } = challenge
  return {
    ...layout,
    live: standing.kind === 'waiting',
    typing: true,
    headline: layout.words.code.headline,
    said: notice && noticeText(layout.language, notice, context.mfa.options.clock.now()),
    wrong: notice !== undefined && notice.kind !== 'emailed',
    canEmail: others.includes('email'),
    canPush: standing.kind !== 'no_device',
  }
}

function endView({ layout, context }: Page, standing: StandingOf<Ending>) {
  const way = standing.kind === 'ended' && standing.reason === 'reported' ? useCode(layout.base) : { action: 'send' }
  return { ...layout, ...messageOf(layout, standing, context.mfa.options.clock.now()), ...way }
}

/** The device is not asked again for a while. */
function useCode(base: string) {
  return { action: undefined, target: `${base}?use=code` }
}

function messageOf({ words, language }: Page['layout'], standing: StandingOf<Ending>, now: number): Message {
  if (standing.kind === 'ended') return words.ended[standing.reason]
  if (standing.kind !== 'throttled') return words.problems[standing.kind]
  return { ...words.throttled, sentence: words.throttled.sentence(spanOf(language.tag, standing.until - now)) }
}

type StandingOf<Kind extends Standing['kind']> = Extract<Standing, { kind: Kind }>
type Ending = 'ended' | 'throttled' | 'no_device' | 'no_member'
