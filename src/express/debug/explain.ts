import type { Unverified } from '../../challenge/policy.ts'
import type { Need } from '../request/need.ts'
import type { GateDecision, GuardDecision, TraceStep } from '../request/trace.ts'

/** Explains a step in a sentence. The debug page is in English only, because its readers are developers. */
export function explain(step: TraceStep): string {
  switch (step.kind) {
    case 'gate':
      return step.decision === 'stopped'
        ? `Stopped by the gate: ${unverifiedWords[step.unverified ?? 'never']}`
        : gate[step.decision]
    case 'guard':
      return `requireMfa(${needOf(step.need)}): ${guard[step.decision]}`
    case 'own_page':
      return 'A page of mfa() itself. The gate is not asked.'
    case 'sent':
      return `Sent to ${step.to}, because a browser opens a page here.`
    case 'refused':
      return `Answered 403 with JSON that names ${step.to}, because the request does not open a page (Sec-Fetch-Mode: navigate, or Accept: text/html).`
    default:
      return `Failed: ${step.reason}`
  }
}

const gate: Readonly<Record<Exclude<GateDecision, 'stopped'>, string>> = {
  nobody: 'Let through: no user is signed in, as the option user says. Your app decides what the visitor sees.',
  off: 'Let through: the option gate is false. Only requireMfa() guards.',
  verified: 'Let through: this user has passed the second step in this web session.',
  let_through: 'Let through: failMode allowed it while the service did not answer. The user is not verified.',
  logout: 'Let through: this is logoutPath.',
  public: 'Let through: the option public names this path.',
  not_required: 'Let through: required(req, user) said that this user needs no second step.',
  emergency: 'Let through: MFA_EMERGENCY_OFF_UNTIL is set. The user is not verified.',
  remembered:
    'Let through: this browser is remembered. The user is not verified, and requireMfa() still demands the second step.',
}

export const unverifiedWords: Readonly<Record<Unverified, string>> = {
  never: 'this user has not passed the second step in this web session.',
  other_user: 'another user passed the second step in this web session.',
  too_old: 'the second step was passed too long ago.',
  ended: 'the pass was ended, because the factors of the user changed or an administrator ended it.',
  other_factor: 'the second step was passed with a factor that is not accepted here.',
  passkey_needed: 'phishingResistant accepts only a passkey here, and the second step was passed with another factor.',
  unknown_browser:
    'unknownBrowser accepts only a passkey here, or a browser that the user keeps, and the second step was passed with another factor in a browser that had not shown its key.',
}

const guard: Readonly<Record<GuardDecision, string>> = {
  ...unverifiedWords,
  passed: 'let through.',
  not_required: "let through, because required(req, user) said 'never'. The user is not verified.",
  emergency: 'let through, because MFA_EMERGENCY_OFF_UNTIL is set. The user is not verified.',
  nobody: 'answered 401, because no user is signed in, as the option user says.',
  later_user: 'refused, because the user was set after mfa() ran. Put the login before mfa().',
}

function needOf({ maxAge, factors, phishingResistant, unknownBrowser }: Need): string {
  const parts = [
    ...(maxAge === undefined ? [] : [`maxAge: ${maxAge}`]),
    ...(factors === undefined ? [] : [`factors: ${factors.join(', ')}`]),
    ...(phishingResistant === undefined ? [] : [`phishingResistant: ${phishingResistant}`]),
    ...(unknownBrowser === undefined ? [] : [`unknownBrowser: ${unknownBrowser}`]),
  ]
  return parts.length === 0 ? '' : `{ ${parts.join(', ')} }`
}
