import { makeRecoveryCodes } from '../../challenge/own-factors.ts'
import { codesAgainPage, codesFile, codesPage, offerPage } from '../pages/recovery-page.ts'
import { wantsJson } from '../request/navigation.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt, json, leadTo, redirect } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { withFormToken } from '../request/form.ts'
import { changing, devicesPath, seen, seenByNewer } from './guarded.ts'
import type { OwnRequest } from './guarded.ts'
import { withNextEpoch } from './next-epoch.ts'
import { keepCodes, shownCodes } from './shown-codes.ts'

/** `GET /mfa/recovery`: offers recovery codes, once, to users who have just set up a first factor. */
export const offerCodes = seen((request) => {
  const { ownFactors, context } = request
  const { offer } = request.state
  if (!offer || ownFactors.recoveryCodes !== 0) {
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

/**
 * `POST /mfa/devices/codes`: replaces the recovery codes. A form that was sent twice, or from a page that the back button has brought
 * back, replaces nothing: the page of the codes asks first.
 */
export const makeCodes = seenByNewer((request, signal) =>
  isRepeated(request) ? leadTo(request, codesPath(request)) : replaceCodes(request, signal),
)

/** A script says what it wants, and gets the codes at once. */
const answersScript = ({ req, carried }: WebRequest): boolean => wantsJson(req) && !carried

/** An offer is pressed once: with the codes it is gone. */
function isRepeated(request: OwnRequest): boolean {
  const { ownFactors, form, state } = request
  return ownFactors.hadRecoveryCodes && !state.offer && form['again'] !== 'yes' && !answersScript(request)
}

const replaceCodes = changing('codes', (request) => {
  const { ownFactors } = request
  if (ownFactors.recoveryCodes === undefined) return leadTo(request, devicesPath(request))
  const { offer, ...rest } = request.state
  const returnTo = offer?.returnTo ?? devicesPath(request)
  return withNextEpoch({ ...request, state: rest }, async (changed, epoch) => {
    const { service, pass, state } = changed
    const newCodes = await makeRecoveryCodes(service, ownFactors, { pass, epoch })
    const codes = newCodes.flatMap(({ code }) => code ?? [])
    const events = [{ type: 'recovery_codes.made', count: codes.length } as const]
    if (answersScript(changed)) return { state: 'as-is', events, answer: json(200, { codes }) }
    return {
      state: {
        save: { ...state, codes: keepCodes(changed, service, { codes, ids: newCodes.map(({ id }) => id), returnTo }) },
      },
      events,
      answer: continueAt(changed, codesPath(changed)),
    }
  })
})

/** `GET /mfa/devices/codes`: the codes that were just made; otherwise asks whether to make new ones. */
export const showCodes = seenByNewer((request) => {
  const { ownFactors } = request
  const codes = shownCodes(request)
  if (!codes && (ownFactors.recoveryCodes === undefined || !ownFactors.hadRecoveryCodes))
    return leadTo(request, devicesPath(request))
  const { token, state } = withFormToken(request)
  return {
    state: state === request.state ? 'as-is' : { save: state },
    answer: codes ? codesPage(request, { ...codes, token }) : codesAgainPage(request, { token }),
  }
})

/** `POST /mfa/devices/codes/done`: the user has saved the codes, which are not shown again. */
export function finishCodes(request: WebRequest): Outcome {
  const { codes, ...state } = request.state
  return { state: { save: state }, answer: continueAt(request, codes?.returnTo ?? devicesPath(request)) }
}

const codesPath = (request: WebRequest): string => `${devicesPath(request)}/codes`

/** `POST /mfa/devices/codes/file`: the codes of that page as a file. The page itself sends them: they are stored nowhere. */
export function downloadCodes(request: WebRequest): Outcome {
  const { form } = request
  const codes = typeof form['codes'] === 'string' ? form['codes'].split(' ') : ['']
  if (codes.length > 5 || !codes.every((code) => /^\d{9}$/.test(code))) {
    return { state: 'as-is', answer: redirect(devicesPath(request)) }
  }
  return { state: 'as-is', answer: { kind: 'file', name: 'recovery-codes.txt', text: codesFile(request, codes) } }
}
