import { userKeyOf } from '../../challenge/user.ts'
import { makeRecoveryCodes } from '../../challenge/own-factors.ts'
import { noStore, seeOther, sendJson, wantsJson } from '../request/answer.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { continueAt } from '../request/web-request.ts'
import { withNextEpoch } from '../sign-in/epochs.ts'
import { emit } from '../request/events.ts'
import { formToken } from './form-token.ts'
import { codesFile, codesPage, offerPage } from '../pages/recovery-page.ts'
import { saveMfaState, readMfaState, takeOwnSessionId } from '../session/web-session.ts'
import { changing, devicesPath, seen } from './guarded.ts'

/** `GET /mfa/recovery`: offered once, to who has just set up a first factor. */
export const offerCodes = seen(async (request) => {
  const { req, res, context, own } = request
  const { offer } = readMfaState(req)
  if (!offer || own.recoveryCodes !== 0) return seeOther(res, offer?.returnTo ?? `${context.prefix}/`)
  offerPage(request, { token: await formToken(request) })
})

/** `POST /mfa/recovery/later`: not now; the page asked for first is next. */
export async function declineCodes(request: ChallengeRequest): Promise<void> {
  const { req, context } = request
  const { offer, ...kept } = readMfaState(req)
  await saveMfaState(req, kept)
  continueAt(request, offer?.returnTo ?? `${context.prefix}/`)
}

/** `POST /mfa/devices/codes`: new recovery codes in place of the old ones. This answer shows them, and nothing ever again. */
export const makeCodes = changing('codes', async (request) => {
  const { req, res, context, user, service, own, pass } = request
  if (own.recoveryCodes === undefined) return continueAt(request, devicesPath(request))
  await takeOwnSessionId(req, userKeyOf(user))
  const token = await formToken(request)
  const { offer, ...kept } = readMfaState(req)
  await saveMfaState(req, kept)
  const codes = await withNextEpoch(req, context, (epoch) => makeRecoveryCodes(service, own, { pass, epoch }))
  emit(req, context, { type: 'recovery_codes.made', count: codes.length })
  if (wantsJson(req)) return sendJson(res, 200, { codes })
  codesPage(request, { codes, token, next: offer?.returnTo ?? devicesPath(request) })
})

/** `POST /mfa/devices/codes/file`: the codes of that page as a file. They come from the page itself: nothing keeps them. */
export async function downloadCodes(request: ChallengeRequest): Promise<void> {
  const { res, form } = request
  const codes = typeof form['codes'] === 'string' ? form['codes'].split(' ') : ['']
  if (codes.length > 5 || !codes.every((code) => /^\d{9}$/.test(code))) return seeOther(res, devicesPath(request))
  noStore(res)
  res.setHeader('Content-Type', 'text/plain; charset=utf-8')
  res.setHeader('Content-Disposition', 'attachment; filename="recovery-codes.txt"')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.end(codesFile(request, codes))
}
