import type { Challenge } from '../../challenge/challenge.ts'
import type { ChallengeStatus } from '../../challenge/challenge-status.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import type { Pauses } from '../../contract/browsers.ts'
import { formatDuration, formatUnit } from '../../contract/format-duration.ts'
import type { User } from '../../contract/users.ts'
import type { Factor } from '../../contract/factor.ts'
import type { WebRequest } from '../request/web-request.ts'
import { layoutOf } from './layout.ts'

/** The data that the page of a challenge shows. */
export interface View {
  readonly challenge: Challenge
  readonly status: ChallengeStatus
  /** The factors of this user that are codes. */
  readonly availableCodes: readonly Factor[]
  /** Whether the user has a passkey that passes. */
  readonly passkey: boolean
  /** Whether nothing else passes. */
  readonly passkeyNeeded: boolean
  /** Whether a code that an administrator hands over may lead to a new passkey. */
  readonly takesHandedOver: 'passkey' | 'browser' | undefined
  /** The service's record of the user, if there is one. */
  readonly member: User | undefined
  /** The factors that are paused. */
  readonly pauses: Pauses
  readonly service: ConnectedService
}

/** A page of a challenge with its request and layout. */
export interface StatusPage extends WebRequest, View {
  readonly layout: ReturnType<typeof challengeLayout>
  /** Unix time, seconds. */
  readonly now: number
}

export type StatusOf<Kind extends ChallengeStatus['kind']> = Extract<ChallengeStatus, { kind: Kind }>

export function statusPageOf(request: WebRequest, view: View): StatusPage {
  const now = request.context.mfa.options.clock.now()
  return { ...request, ...view, layout: challengeLayout(request, view), now }
}

function challengeLayout(request: WebRequest, view: View) {
  const { context } = request
  const { challenge, availableCodes, passkey } = view
  const layout = layoutOf(request)
  return {
    ...layout,
    token: challenge.page,
    availableCodes,
    passkey,
    helpUrl: context.mfa.options.helpUrl,
    otherWays: challenge.purpose === 'sign_in' ? layout.words.ways.signIn : layout.words.ways.confirm,
    remember: rememberOf(layout.language.tag, canRemember(view) && context.mfa.options.remember, challenge),
    span: (seconds: number) => formatDuration(layout.language.tag, seconds),
  }
}

/** The action that a step-up confirms, if the app names it. */
export function stepUpHeadline({ layout, challenge: { action } }: StatusPage): string | undefined {
  return action === undefined ? undefined : layout.words.waiting.stepUpFor(action)
}

/** The time of the next possible request, in words; undefined if one can be sent now. */
export function nextRequest({ layout, status, pauses, now }: StatusPage): string | undefined {
  const until = status.kind === 'throttled' ? status.until : (pauses.push?.until ?? now)
  return until > now ? layout.words.throttled.sentence(layout.span(until - now)) : undefined
}

/** A remembered browser passes the gate without a passkey. */
const canRemember = ({ service, passkeyNeeded }: View): boolean => service.knowsBrowsers && !passkeyNeeded

/** The offer to remember this browser, and whether the user has accepted it. */
function rememberOf(language: string, option: false | { readonly days: number }, { remember = false }: Challenge) {
  if (!option) return undefined
  return { days: formatUnit(language, option.days, 'day'), chosen: remember }
}
