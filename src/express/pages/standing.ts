import { encodeQR } from 'qr'

import type { Challenge } from '../../challenge/challenge.ts'
import type { Standing } from '../../challenge/standing.ts'
import type { Version } from '../../contract/endpoint.ts'
import type { Factor } from '../../contract/users.ts'
import type { ChallengeRequest } from '../challenge-request.ts'
import { layoutOf, sendPage } from './layout.ts'
import { authenticatorLink, foreignLink } from './link.ts'
import * as words from './messages.ts'

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
  const { req, res, context } = request
  const layout = { ...layoutOf(req, context), token: view.challenge.page, others: view.others, ways: words.ways }
  const { standing } = view
  if (wantsCode(request, view)) return sendPage(res, 200, 'code', { ...layout, ...codeView(request, view) })
  if (standing.kind === 'waiting') return sendPage(res, 200, 'waiting', { ...layout, ...waitingView(request, view) })
  if (standing.kind === 'enrolling') {
    const ours = view.version === '1.4'
    const link = ours ? authenticatorLink(req, context, view.baseUrl, standing.code) : foreignLink(context)
    return sendPage(res, 200, 'enrolling', { ...layout, ...enrollingView(standing.code, link) })
  }
  if (standing.kind === 'approved') {
    return sendPage(res, 200, 'message', {
      ...layout,
      ...words.approved,
      action: 'complete',
      live: true,
      settled: true,
    })
  }
  const message = messageOf(request, standing)
  const way = message.way === undefined ? { action: 'send' } : { action: undefined, target: layout.base + message.way }
  return sendPage(res, 200, 'message', { ...layout, ...message, ...way })
}

/** Asked for by its link, or the only way there is. */
function wantsCode({ req }: ChallengeRequest, { others, standing }: View): boolean {
  if (standing.kind === 'enrolling' || standing.kind === 'approved') return false
  return req.query['use'] === 'code' || (standing.kind === 'no_device' && others.length > 0)
}

function waitingView({ context }: ChallengeRequest, { challenge, standing }: View) {
  const now = context.mfa.options.clock.now()
  const { number, expiresAt, createdAt } = standing as Extract<Standing, { kind: 'waiting' }>
  return {
    live: true,
    headline: challenge.purpose === 'step_up' ? words.waiting.stepUp : words.waiting.signIn,
    words: words.waiting,
    number,
    left: expiresAt === undefined ? undefined : expiresAt - now,
    age: now - createdAt,
  }
}

function enrollingView(code: string, link: string | undefined) {
  return {
    live: true,
    headline: words.enrolling.headline,
    words: words.enrolling,
    code: code.replace(/^(.{5})/, '$1 '),
    link,
    qr: link === undefined ? undefined : encodeQR(link, 'svg', { border: 2 }),
  }
}

function codeView({ context }: ChallengeRequest, { challenge, standing, others }: View) {
  const { notice } = challenge
  const said = notice && words.noticeText(notice, context.mfa.options.clock.now())
  return {
    live: standing.kind === 'waiting',
    typing: true,
    headline: words.code.headline,
    words: words.code,
    said,
    wrong: notice !== undefined && notice.kind !== 'emailed',
    canEmail: others.includes('email'),
    canPush: standing.kind !== 'no_device',
  }
}

function messageOf({ context }: ChallengeRequest, standing: Standing): words.Message {
  if (standing.kind === 'ended') return words.ended[standing.reason]
  if (standing.kind === 'throttled') return words.throttled(standing.until - context.mfa.options.clock.now())
  return words.messages[standing.kind as 'no_device' | 'no_member']
}
