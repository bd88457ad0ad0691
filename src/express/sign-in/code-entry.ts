import type { Challenge } from '../../challenge/challenge.ts'
import { readCode, tryCode } from '../../challenge/code.ts'
import type { CodeOutcome } from '../../challenge/code.ts'
import { sendEmailCode } from '../../challenge/email-code.ts'
import type { Membership } from '../../challenge/passkey-policy.ts'
import { codeKind } from '../pages/code-view.ts'
import type { CodeKind } from '../pages/code-view.ts'
import { languageTagFor } from '../pages/languages.ts'
import type { EventFacts } from '../options/mfa-event.ts'
import type { Outcome } from '../request/outcome.ts'
import { andThen, continueAt, leadTo } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { finishAndContinue } from './finish.ts'
import { acceptedFactors, challengePolicy } from './challenge-policy.ts'
import { withChallenge } from './open-challenge.ts'
import { passedBrowser, withChoice } from './remembered.ts'
import { senderOf } from './start-once.ts'

/** `POST /mfa/code`: a correct code passes the second step, whatever the device answers. */
export function enterCode(request: WebRequest): Promise<Outcome> {
  return withChallenge(request, async (opened, openedChallenge) => {
    const { form } = opened
    const challenge = form['remembers'] === 'yes' ? withChoice(openedChallenge, form) : openedChallenge
    const checked = await checkCode(opened, challenge, form['code'])
    if (checked.notice) {
      const kind = codeKind(form['use']) ?? 'code'
      return withNotice(opened, { ...challenge, notice: checked.notice }, kind, checked.events)
    }
    const approved = { state: { save: { ...opened.state, challenge: checked.challenge } } }
    return andThen(opened, approved, (saved, signal) =>
      finishAndContinue(saved, checked.challenge, { signal, redeemed: checked.redeemed }),
    )
  })
}

/** Has the service check what the user typed. */
export async function checkCode(
  request: WebRequest,
  challenge: Challenge,
  input: unknown,
): Promise<CodeOutcome & { readonly events: readonly EventFacts[] }> {
  const { context } = request
  const code = readCode(input)
  if (code === undefined) return { notice: { kind: 'no_code' }, events: [] }
  const service = await context.mfa.connect()
  const now = context.mfa.options.clock.now()
  const browser = passedBrowser(request, challenge)
  const outcome = await tryCode(service, challenge, senderOf(request), { code, browser, now })
  return { ...outcome, events: eventsOf(outcome) }
}

/** The events of a code that was tried. */
export function eventsOf(outcome: CodeOutcome): readonly EventFacts[] {
  if (!outcome.notice) return []
  const { notice, wasWrong, refused } = outcome
  const wrong = wasWrong ? [{ type: 'code.wrong' } as const] : []
  const paused = notice.kind === 'codes_paused' ? [{ type: 'code.paused', until: notice.until } as const] : []
  return [...(refused ? [{ type: 'code.refused', ...refused } as const] : wrong), ...paused]
}

/** `POST /mfa/email`: sends a code to the address the service knows. */
export function emailCode(request: WebRequest): Promise<Outcome> {
  return withChallenge(request, async (opened, challenge) => {
    const { req, context, user } = opened
    const policy = challengePolicy(opened, challenge)
    const accepts = (membership?: Membership) => acceptedFactors(policy, membership).includes('email')
    // The app does not accept this factor.
    if (!accepts()) return leadTo(opened, context.base)
    const language = languageTagFor(req, context)
    const now = context.mfa.options.clock.now()
    const outcome = await sendEmailCode(await context.mfa.connect(), user, { language, now, accepts })
    return withNotice(opened, { ...challenge, notice: outcome }, 'email', emailEvents[outcome.kind])
  })
}

const emailEvents = {
  emailed: [{ type: 'email.sent' }],
  email_failed: [{ type: 'email.failed' }],
  email_paused: [],
  passkey_needed: [],
} as const

/** Shows the page with the field for codes; it does not reload while the user types. */
function withNotice(request: WebRequest, challenge: Challenge, kind: CodeKind, events: readonly EventFacts[]): Outcome {
  return {
    state: { save: { ...request.state, challenge } },
    events,
    answer: continueAt(request, `${request.context.base}?use=${kind}`),
  }
}
