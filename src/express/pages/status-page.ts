import { encodeQR } from 'qr'

import { browserName } from '../request/client-facts.ts'
import { canAddPasskeys } from '../request/passkeys.ts'
import type { Page } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { codeKind, codeView, pausedView } from './code-view.ts'
import { endView } from './end-view.ts'
import { handedOverView } from './handed-over-view.ts'
import { page } from './layout.ts'
import { activationLink, authenticatorAddress } from './link.ts'
import { otherWaysView } from './other-ways-view.ts'
import { passkeyView } from './passkey-view.ts'
import type { StatusPage, View } from './status-view.ts'
import { statusPageOf } from './status-view.ts'
import { waitingView } from './waiting-view.ts'

/** The page of a challenge. */
export function statusPage(request: WebRequest, view: View): Page {
  const { status } = view
  const model = statusPageOf(request, view)
  if (wantsOtherWays(model)) return page(200, 'other-ways', otherWaysView(model))
  if (status.kind === 'importing') return unlessPaused(model, () => page(200, 'code', codeView(model)))
  if (wantsHandedOverCode(model)) return unlessPaused(model, () => page(200, 'handed-over', handedOverView(model)))
  if (wantsCode(model)) return unlessPaused(model, () => page(200, 'code', codeView(model)))
  if (status.kind === 'passkey' || wantsPasskey(model)) return page(200, 'passkey', passkeyView(model))
  if (status.kind === 'waiting') return page(200, 'waiting', waitingView(model, status))
  if (status.kind === 'enrolling') return enrollingPage(model, status.code)
  if (status.kind === 'code_needed') return page(200, 'code-needed', codeNeededView(model))
  if (status.kind === 'approved') return page(200, 'message', approvedView(model))
  return page(200, 'message', endView(model, status))
}

/** The service has to know the user, who has to have a first factor. */
function wantsOtherWays({ query, status }: StatusPage): boolean {
  return query.get('use') === 'other' && !/^(enrolling|approved|similar_name)$/.test(status.kind)
}

/** Requested by its link, or the only way there is. */
function wantsCode({ query, availableCodes, status, passkeyNeeded }: StatusPage): boolean {
  if (status.kind === 'enrolling' || status.kind === 'approved' || passkeyNeeded) return false
  return codeKind(query.get('use')) !== undefined || (status.kind === 'no_device' && availableCodes.length > 0)
}

/** Requested by its link, or the only way for a user who has no passkey. */
function wantsHandedOverCode({ query, status, takesHandedOver }: StatusPage): boolean {
  if (!takesHandedOver) return false
  return query.get('use') === 'handed-over' || status.kind === 'ended'
}

/** Requested by its link. */
function wantsPasskey({ query, passkey, status }: StatusPage): boolean {
  return passkey && query.get('use') === 'passkey' && status.kind !== 'approved'
}

/** The page with the field for a code, or what to do while codes are paused. */
function unlessPaused(model: StatusPage, withField: () => Page): Page {
  const paused = pausedView(model)
  return paused ? page(200, 'message', paused) : withField()
}

/** Where passkeys can be used, the user chooses first. */
function enrollingPage(model: StatusPage, code: string): Page {
  const { layout, context, service, req, query } = model
  const ownApp = service.managesFactors && context.mfa.options.factors.includes('otp')
  const ownPasskey = canAddPasskeys(model, model.member ?? {})
  if (!ownPasskey || query.get('use') === 'phone') {
    return page(200, 'enrolling', { ...enrollingView(model, code), ownApp: ownApp && !ownPasskey, ownPasskey })
  }
  const { choose: headline, chooseSentence: sentence } = layout.words.enrolling
  return page(200, 'first-factor', {
    ...layout,
    usesPasskeys: true,
    headline,
    sentence,
    suggested: browserName(req),
    ownApp,
  })
}

function enrollingView(model: StatusPage, code: string) {
  const { layout, service } = model
  const link = activationLink(model, service, code)
  return {
    ...layout,
    live: true,
    headline: layout.words.enrolling.headline,
    sentence: layout.words.enrolling.sentence,
    code: code.replace(/^(.{5})/, '$1 '),
    link,
    qr: link === undefined ? undefined : encodeQR(link, 'svg', { border: 2 }),
  }
}

/** Links to the authenticator, where users type the code of their administrator. */
function codeNeededView(model: StatusPage) {
  const { layout, service } = model
  const { headline, codeNeeded: sentence } = layout.words.enrolling
  return { ...layout, live: true, headline, sentence, link: authenticatorAddress(model, service), hasWays: true }
}

function approvedView({ layout }: StatusPage) {
  return { ...layout, ...layout.words.approved, helpUrl: undefined, action: 'complete', live: true, settled: true }
}
