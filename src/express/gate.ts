import { passesInEmergency } from './request/emergency.ts'
import { isLetThrough } from './request/let-through.ts'
import type { Effects, Outcome } from './request/outcome.ts'
import { isLogout, isPublic } from './request/public-path.ts'
import type { GateDecision } from './request/trace.ts'
import { requirementOf } from './request/required.ts'
import { findVerified } from './request/verified.ts'
import { warnOnce } from './request/warn.ts'
import type { WebRequest } from './request/web-request.ts'
import { requireRemovedPrefix } from './setup-checks/require-removed-prefix.ts'
import { gatedLogin } from './setup-checks/ungated-routes.ts'
import { demand } from './sign-in/demand.ts'
import { recognize } from './sign-in/remembered.ts'

/**
 * Whether the user is verified and nothing has to be asked, saved or sent: then the request passes in the same turn, without
 * `apply.ts`.
 */
export function passesAtOnce({ req, context, state }: WebRequest): boolean {
  const { options, epochs } = context.mfa
  const verdict = findVerified(state, context)
  if (typeof verdict === 'string' || !epochs.isKnown(verdict.userKey) || isLogout(req, options.logoutPath)) return false
  context.trace?.note({ kind: 'gate', decision: options.gate ? 'verified' : 'off' })
  return true
}

/** Denies by default: only users who need no second step now reach the app's next handler. */
export async function passGate(request: WebRequest): Promise<Outcome> {
  const { req, context, state } = request
  requireRemovedPrefix(req, context)
  const unverified = findVerified(state, context)
  const { decision, effects } = await decide(request, typeof unverified !== 'string')
  const reason = typeof unverified === 'string' ? unverified : undefined
  context.trace?.note({ kind: 'gate', decision, unverified: reason })
  if (decision !== 'stopped') return { state: 'as-is', ...effects, answer: { kind: 'next' } }
  const login = gatedLogin(req)
  if (login !== undefined) warnOnce(context.mfa.options, login)
  return demand(request, { purpose: 'sign_in' })
}

interface GateResult {
  readonly decision: GateDecision
  readonly effects?: Effects
}

async function decide(request: WebRequest, isVerified: boolean): Promise<GateResult> {
  const { req, context, state, user } = request
  const { options } = context.mfa
  if (!options.gate) return { decision: 'off' }
  if (isVerified) return { decision: 'verified' }
  if (isLetThrough(state, context)) return { decision: 'let_through' }
  if (isLogout(req, options.logoutPath)) return { decision: 'logout' }
  if (isPublic(req, options)) return { decision: 'public' }
  if ((await requirementOf(request, user)) !== 'here') return { decision: 'not_required' }
  if (passesInEmergency(request)) return { decision: 'emergency' }
  // Last, because it may ask the service.
  const effects = await recognize(request)
  return effects ? { decision: 'remembered', effects } : { decision: 'stopped' }
}
