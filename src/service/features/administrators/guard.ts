import type { Endpoint } from '../../../contract/endpoint.ts'
import type { KeyType } from '../../../contract/pin.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import { consentDigest } from './rules.ts'
import { isCallerVerified, strongestDevice } from './caller-statements.ts'
import { givenConsent, useConsent } from './consent-statements.ts'
import type { ConsentRow } from './consent-statements.ts'
import { domainById } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { signedIn } from './call.ts'
import { isChangeOfPerson, subjectOf } from './consent-subject.ts'
import { ownershipOf } from './own-record.ts'
import { isStanding } from './standing-consent.ts'

type GuardInput = Readonly<Record<string, unknown>>

/**
 * What an administrator needs for an action besides its right to it. For a person with its own e-mail address, of whom no owner has
 * said whose record it is: the consent of another administrator, whatever the action. For guarded actions, see `requireGuard`.
 *
 * @returns the consent that the action uses up; undefined where it uses none up.
 * @throws {ApiProblem} `api.error.forbidden.sameaddress`, `api.error.forbidden.guarded`
 */
export async function requireEvidence(
  call: Call,
  endpoint: Endpoint,
  input: GuardInput,
): Promise<ConsentRow | undefined> {
  if (!(await needsColleague(call, endpoint, input)))
    return endpoint.admin?.guarded === true ? requireGuard(call, endpoint, input) : undefined
  const consent = await findGivenConsent(call, endpoint, input)
  if (!consent) throw new ApiProblem('api.error.forbidden.sameaddress')
  return consent
}

/** Uses a consent up. In the transaction of the action: one that fails leaves the consent. */
export async function useUp(call: Call, { id, userId, operation }: ConsentRow): Promise<void> {
  const { db } = call.store
  if (!(await useConsent(db, id))) throw new ApiProblem('api.error.forbidden.guarded')
  await auditCall(db, call, 'consent.used', { consent: id, user: userId, operation })
}

/** Whether the person of a change may be the administrator itself. Then a verified caller proves nothing. */
async function needsColleague(call: Call, endpoint: Endpoint, input: GuardInput): Promise<boolean> {
  if (!isChangeOfPerson(endpoint)) return false
  return (await ownershipOf(call.store.db, signedIn(call), String(input['userId']))) === 'undecided'
}

/**
 * What the help desk needs for a guarded action: a caller whom it has verified, or the consent of another administrator for exactly
 * this action.
 *
 * @returns the consent that the action uses up; undefined where it uses none up.
 * @throws {ApiProblem} `api.error.forbidden.guarded`
 */
export async function requireGuard(call: Call, endpoint: Endpoint, input: GuardInput): Promise<ConsentRow | undefined> {
  const { id: administratorId, role } = signedIn(call)
  if (role !== 'helpdesk') return undefined
  // The change itself then needs a consent.
  if (await needsColleague(call, endpoint, input)) return undefined
  const { db } = call.store
  const now = call.clock.now()
  const request = { administratorId, userId: String(input['userId']) }
  if (await isCallerVerified(db, request, await neededStrength(db, endpoint, input, call.organizationId), now))
    return undefined
  const consent = await findGivenConsent(call, endpoint, input)
  if (consent) return consent
  throw (await isCallerVerified(db, request, 'NONE', now)) ? tooWeak() : new ApiProblem('api.error.forbidden.guarded')
}

/** @returns the consent to exactly this action. */
async function findGivenConsent(call: Call, endpoint: Endpoint, input: GuardInput): Promise<ConsentRow | undefined> {
  const { id: requestedBy } = signedIn(call)
  const { db } = call.store
  const now = call.clock.now()
  // The digest of the action, not that of the request: what was not shown to the colleague needs another consent.
  const subject = await subjectOf(db, endpoint, input, now)
  const { operation, userId } = subject
  const consent = await givenConsent(db, { userId, requestedBy }, now)
  if (consent?.operation !== operation || consent.digest !== consentDigest(subject)) return undefined
  return (await isStanding(db, consent, now)) ? consent : undefined
}

/**
 * How strong a verification has to be: as the domain of the action asks for, or as the strongest device of the person for what
 * counts in every domain. Otherwise the device of an app without a PIN would open an app with one.
 */
async function neededStrength(
  db: Queryable,
  { admin }: Endpoint,
  { userId, domainId }: Readonly<Record<string, unknown>>,
  organizationId: string,
): Promise<KeyType> {
  if (admin?.everywhere || typeof domainId !== 'string') return strongestDevice(db, String(userId))
  return (await domainById(db, organizationId, domainId))?.keyType ?? 'NONE'
}

const tooWeak = () =>
  new ApiProblem(
    'api.error.forbidden.guarded',
    'A weaker device has verified the caller than this needs. Verify the caller with a device that asks for the PIN or passcode, or ask another administrator to consent to this first.',
  )
