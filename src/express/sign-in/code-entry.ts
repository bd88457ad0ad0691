import type { Challenge, Notice } from '../../challenge/challenge.ts'
import { readCode, tryCode } from '../../challenge/code.ts'
import { sendEmailCode } from '../../challenge/email-code.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { factorsOf, continueAt, senderOf, defaultChallenge } from '../request/web-request.ts'
import { verify } from './complete.ts'
import { openChallenge } from './demand.ts'
import { emit } from '../request/events.ts'
import { saveMfaState, readMfaState } from '../session/web-session.ts'

/** The page with the field for codes; it does not reload by itself while somebody types. */
const codePage = '?use=code'

/** `POST /mfa/code`: a right code passes the second step, whatever the device says. */
export async function enterCode(request: ChallengeRequest): Promise<void> {
  const { req, form } = request
  const challenge = await challengeOf(request)
  const checked = await checkCode(request, challenge, form['code'])
  if (checked.notice) return say(request, challenge, checked.notice)
  await saveMfaState(req, { ...readMfaState(req), challenge: checked.challenge })
  return verify(request, checked.challenge)
}

/** A right code: the challenge, now approved. Any other: what there is to say. */
export type CheckedCode =
  | { readonly challenge: Challenge; readonly notice?: never }
  | {
      readonly challenge?: never
      readonly notice: Exclude<Notice, { readonly kind: 'emailed' | 'email_paused' | 'email_failed' }>
    }

/** Has what somebody typed checked, and tells the app of it. */
export async function checkCode(request: ChallengeRequest, challenge: Challenge, typed: unknown): Promise<CheckedCode> {
  const { req, context } = request
  const code = readCode(typed)
  if (code === undefined) return { notice: { kind: 'no_code' } }
  const service = await context.mfa.connect()
  const now = context.mfa.options.clock.now()
  const outcome = await tryCode(service, challenge, senderOf(request), { code, now })
  if (outcome.kind === 'wrong') {
    emit(req, context, { type: 'code.wrong' })
    return { notice: { kind: 'wrong_code', triesLeft: outcome.triesLeft } }
  }
  if (outcome.kind === 'paused') {
    emit(req, context, { type: 'code.paused', until: outcome.until })
    return { notice: { kind: 'codes_paused', until: outcome.until, ofChallenge: outcome.ofChallenge } }
  }
  return { challenge: outcome.challenge }
}

/** `POST /mfa/email`: sends a code to the address the service knows. */
export async function emailCode(request: ChallengeRequest): Promise<void> {
  const { context, user } = request
  const challenge = await challengeOf(request)
  const { clock } = context.mfa.options
  // Not named among what people may pass with.
  if (!factorsOf(request, challenge).includes('email')) return continueAt(request, context.base)
  const outcome = await sendEmailCode(await context.mfa.connect(), user, clock.now())
  if (outcome.kind === 'emailed') emit(request.req, context, { type: 'email.sent' })
  if (outcome.kind === 'email_failed') emit(request.req, context, { type: 'email.failed' })
  return say(request, challenge, outcome)
}

export async function challengeOf(request: ChallengeRequest): Promise<Challenge> {
  const { req, context } = request
  return readMfaState(req).challenge ?? openChallenge(req, context, defaultChallenge(request))
}

async function say(request: ChallengeRequest, challenge: Challenge, notice: Notice): Promise<void> {
  const { req, context } = request
  await saveMfaState(req, { ...readMfaState(req), challenge: { ...challenge, notice } })
  continueAt(request, context.base + codePage)
}
