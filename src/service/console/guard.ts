import { adminOperations } from '../../contract/admin/operations.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { KeyType } from '../../contract/pin.ts'
import { auditCall } from '../audit/audit.ts'
import { ApiProblem } from '../ground/problem.ts'
import type { Call } from '../http/route.ts'
import { consentDigest } from '../rules/consent.ts'
import { isCallerVerified, strongestDevice } from '../store/caller-verifications.ts'
import { givenConsent, useConsent } from '../store/consents.ts'
import { domainById } from '../store/domains.ts'
import type { Queryable } from '../store/schema.ts'
import { signedIn } from './call.ts'
import { subjectOf } from './consent-subject.ts'
import { isStanding } from './standing-consent.ts'

const names = new Map(adminOperations.map(({ endpoint, name }) => [endpoint, name]))

/**
 * What the help desk needs for a guarded action: a caller whom it has verified, or the consent of another administrator for exactly
 * this action, which is used up. In the transaction of the action: one that fails leaves the consent.
 *
 * @throws {ApiProblem} `api.error.forbidden.guarded`
 */
export async function useEvidence(
  call: Call,
  endpoint: Endpoint,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { id: requestedBy, role } = signedIn(call)
  const userId = String(input['userId'])
  const { db } = call.store
  const now = call.clock.now()
  const asked = { administratorId: requestedBy, userId }
  if (
    role !== 'helpdesk' ||
    (await isCallerVerified(db, asked, await neededStrength(db, endpoint, input, call.organizationId), now))
  )
    return
  const operation = names.get(endpoint) ?? ''
  // The digest of the action, not that of the request: what was not shown to the colleague needs another consent.
  const digest = consentDigest(await subjectOf(db, endpoint, input, now))
  const consent = await givenConsent(db, { userId, requestedBy }, now)
  const used =
    consent?.operation === operation &&
    (await isStanding(db, consent, now)) &&
    (await useConsent(db, consent.id, digest))
  if (!used)
    throw (await isCallerVerified(db, asked, 'NONE', now)) ? tooWeak() : new ApiProblem('api.error.forbidden.guarded')
  await auditCall(db, call, 'consent.used', { consent: consent.id, user: userId, operation })
}

/**
 * How strong a verification has to be: as the domain of the action asks for, or as the strongest device of the person for what
 * counts in every domain. Otherwise the device of an app without a PIN would open an app with one.
 */
export async function neededStrength(
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
