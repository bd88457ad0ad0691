import { encodeQR } from 'qr'

import type { ChallengeRequest } from '../request/web-request.ts'
import { codeView, pausedView } from './code-view.ts'
import { endView } from './end-view.ts'
import { sendPage } from './layout.ts'
import { authenticatorLink, authenticatorUrl, foreignLink } from './link.ts'
import type { Page, View } from './page.ts'
import { pageOf } from './page.ts'
import { waitingView } from './waiting-view.ts'

/** The page of a challenge. */
export function showStatus(request: ChallengeRequest, view: View): void {
  const { res } = request
  const { status } = view
  const page = pageOf(request, view)
  if (wantsCode(page)) return showCode(page)
  if (status.kind === 'waiting') return sendPage(res, 200, 'waiting', waitingView(page, status))
  if (status.kind === 'enrolling') return sendPage(res, 200, 'enrolling', enrollingView(page, status.code))
  if (status.kind === 'code_needed') return sendPage(res, 200, 'code-needed', codeNeededView(page))
  if (status.kind === 'approved') return sendPage(res, 200, 'message', approvedView(page))
  sendPage(res, 200, 'message', endView(page, status))
}

/** Asked for by its link, or the only way there is. */
function wantsCode({ req, others, status }: Page): boolean {
  if (status.kind === 'enrolling' || status.kind === 'approved') return false
  return req.query['use'] === 'code' || (status.kind === 'no_device' && others.length > 0)
}

/** The field for a code, or what to do while none is taken. */
function showCode(page: Page): void {
  const paused = pausedView(page)
  if (paused) sendPage(page.res, 200, 'message', paused)
  else sendPage(page.res, 200, 'code', codeView(page))
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
    ownApp: version === '1.4' && context.mfa.options.factors.includes('otp'),
  }
}

/** Where the authenticator is, which takes the code of an administrator. */
function codeNeededView({ layout, req, context, baseUrl, version }: Page) {
  const { headline, codeNeeded: sentence } = layout.words.enrolling
  const link = version === '1.4' ? authenticatorUrl(req, context, baseUrl) : foreignLink(context)
  return { ...layout, live: true, headline, sentence, link, hasWays: true }
}

function approvedView({ layout }: Page) {
  return { ...layout, ...layout.words.approved, action: 'complete', live: true, settled: true }
}
