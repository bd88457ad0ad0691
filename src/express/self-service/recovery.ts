import { makeRecoveryCodes } from '../../challenge/own-factors.ts'
import { codesFile, codesPage, offerPage } from '../pages/recovery-page.ts'
import { wantsJson } from '../request/navigation.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt, json, leadTo, redirect } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { withFormToken } from '../request/form.ts'
import { changing, devicesPath, seen } from './guarded.ts'
import { withNextEpoch } from './next-epoch.ts'

/** `GET /mfa/recovery`: offers recovery codes, once, to users who have just set up a first factor. */
export const offerCodes = seen((request) => {
  const { own, context } = request
  const { offer } = request.state
  if (!offer || own.recoveryCodes !== 0) {
    return { state: 'as-is', answer: redirect(offer?.returnTo ?? `${context.prefix}/`) }
  }
  const { token, state } = withFormToken(request)
  return { state: state === request.state ? 'as-is' : { save: state }, answer: offerPage(request, { token }) }
})

/** `POST /mfa/recovery/later`: declines the offer, and continues at the page requested first. */
export function declineCodes(request: WebRequest): Outcome {
  const { offer, ...state } = request.state
  return { state: { save: state }, answer: continueAt(request, offer?.returnTo ?? `${request.context.prefix}/`) }
}

/** `POST /mfa/devices/codes`: replaces the recovery codes. Only this answer shows the new ones. */
export const makeCodes = changing('codes', (request) => {
  const { own } = request
  if (own.recoveryCodes === undefined) return leadTo(request, devicesPath(request))
  const { token, state } = withFormToken(request)
  const { offer, ...rest } = state
  const next = offer?.returnTo ?? devicesPath(request)
  return withNextEpoch({ ...request, state: rest }, async (changed, epoch) => {
    const { service, pass, req } = changed
    const codes = await makeRecoveryCodes(service, own, { pass, epoch })
    return {
      state: 'as-is',
      events: [{ type: 'recovery_codes.made', count: codes.length }],
      answer: wantsJson(req) ? json(200, { codes }) : codesPage(changed, { codes, token, next }),
    }
  })
})

/** `POST /mfa/devices/codes/file`: the codes of that page as a file. The page itself sends them: they are stored nowhere. */
export function downloadCodes(request: WebRequest): Outcome {
  const { form } = request
  const codes = typeof form['codes'] === 'string' ? form['codes'].split(' ') : ['']
  if (codes.length > 5 || !codes.every((code) => /^\d{9}$/.test(code))) {
    return { state: 'as-is', answer: redirect(devicesPath(request)) }
  }
  return { state: 'as-is', answer: { kind: 'file', name: 'recovery-codes.txt', text: codesFile(request, codes) } }
}
