import type { Challenge } from '../../challenge/challenge.ts'
import { importByCode, readCode, readImportedCode, tryCode } from '../../challenge/code.ts'
import type { CodeOutcome } from '../../challenge/code.ts'
import type { Membership } from '../../challenge/passkey-policy.ts'
import { sendCode } from '../../challenge/sent-code.ts'
import type { SentOutcome } from '../../challenge/sent-code.ts'
import { findMember } from '../../challenge/user.ts'
import type { SentFactor } from '../../contract/factor-descriptions.ts'
import { codeKind } from '../pages/code-view.ts'
import type { CodeKind } from '../pages/code-view.ts'
import { languageTagFor } from '../pages/languages.ts'
import type { EventFacts } from '../options/mfa-event.ts'
import type { Outcome } from '../request/outcome.ts'
import { andThen, continueAt, leadTo } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { findBrought, hasCodes } from './brought-factors.ts'
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
    if (checked === 'too late') return leadTo(opened, opened.context.base)
    if (checked.notice) {
      const kind = codeKind(form['use']) ?? 'code'
      return withNotice(opened, { ...challenge, notice: checked.notice }, kind, checked.events)
    }
    const approved = { state: { save: { ...opened.state, challenge: checked.challenge } }, events: checked.events }
    return andThen(opened, approved, (saved, signal) =>
      finishAndContinue(saved, checked.challenge, { signal, redeemed: checked.redeemed }),
    )
  })
}

type Checked = CodeOutcome & { readonly events: readonly EventFacts[] }

/** Has the service check what the user typed. @returns `too late` if the page has to show what counts now. */
export async function checkCode(
  request: WebRequest,
  challenge: Challenge,
  input: unknown,
): Promise<Checked | 'too late'> {
  const { context } = request
  const { importFactors, clock } = context.mfa.options
  const digits = readCode(input)
  const code = digits ?? readImportedCode(input)
  if (code === undefined) return { notice: { kind: 'no_code' }, events: [] }
  const service = await context.mfa.connect()
  const member = importFactors || digits === undefined ? await findMember(service, request.user) : undefined
  const brought = await findBrought(request, service, member)
  // An e-mailed code would sign in without the factors that the user has.
  if (brought?.kind === 'refused') return { notice: { kind: 'wrong_code' }, events: [{ type: 'code.wrong' }] }
  if (digits === undefined && !member?.importedCodes && !(brought && hasCodes(brought.factors)))
    return { notice: { kind: 'no_code' }, events: [] }
  const tried = { code, browser: passedBrowser(request, challenge), now: clock.now() }
  if (!brought) {
    const outcome = await tryCode(service, challenge, senderOf(request), tried)
    // The page says how such a user gets a factor.
    if (outcome === 'no user') return 'too late'
    return { ...outcome, events: eventsOf(outcome) }
  }
  const { factors } = brought
  const outcome = await importByCode(service, challenge, senderOf(request), { ...tried, factors })
  if (outcome === 'too late') return outcome
  return { ...outcome, events: [...importedEvents(outcome), ...eventsOf(outcome)] }
}

/** The app may delete its secret now. */
const importedEvents = ({ challenge }: CodeOutcome): readonly EventFacts[] =>
  challenge ? [{ type: 'factors.imported', sessionId: challenge.sessionId }] : []

/** The events of a code that was tried. */
export function eventsOf(outcome: CodeOutcome): readonly EventFacts[] {
  if (!outcome.notice) return []
  const { notice, wasWrong, refused } = outcome
  const wrong = wasWrong ? [{ type: 'code.wrong' } as const] : []
  const paused = notice.kind === 'codes_paused' ? [{ type: 'code.paused', until: notice.until } as const] : []
  return [...(refused ? [{ type: 'code.refused', ...refused } as const] : wrong), ...paused]
}

/** `POST /mfa/email`, and so for each such factor: sends a code to the place that the service knows. */
export function requestCode(request: WebRequest, factor: SentFactor): Promise<Outcome> {
  return withChallenge(request, async (opened, challenge) => {
    const { req, context, user } = opened
    const policy = challengePolicy(opened, challenge)
    const accepts = (membership?: Membership) => acceptedFactors(policy, membership).includes(factor)
    // The app does not accept this factor.
    if (!accepts()) return leadTo(opened, context.base)
    const service = await context.mfa.connect()
    // A code that is sent does not replace the factors that another system of the app has of this user.
    if (context.mfa.options.importFactors && (await findBrought(opened, service, await findMember(service, user))))
      return leadTo(opened, context.base)
    const language = languageTagFor(req, context)
    const now = context.mfa.options.clock.now()
    const outcome = await sendCode(service, user, factor, { language, now, accepts })
    return withNotice(opened, { ...challenge, notice: outcome }, factor, sentEvents(factor, outcome))
  })
}

function sentEvents(factor: SentFactor, { kind }: SentOutcome): readonly EventFacts[] {
  if (kind === `${factor}_sent`) return [{ type: `${factor}.sent` }]
  return kind === `${factor}_failed` ? [{ type: `${factor}.failed` }] : []
}

/** Shows the page with the field for codes; it does not reload while the user types. */
function withNotice(request: WebRequest, challenge: Challenge, kind: CodeKind, events: readonly EventFacts[]): Outcome {
  return {
    state: { save: { ...request.state, challenge } },
    events,
    answer: continueAt(request, `${request.context.base}?use=${kind}`),
  }
}
