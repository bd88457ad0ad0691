import { giveConsent } from '../../../admin-contract/consents.ts'
import type { ConsentParameters } from '../../../admin-contract/consents.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { mayCall } from '../../../contract/roles.ts'
import { presentAdministrator } from './present-administrator.ts'
import type { PresentAdministrator } from './present-administrator.ts'
import { consentDigest, isSamePerson } from './rules.ts'
import type { ConsentRow } from './consent-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { userById } from '../users/statements.ts'
import type { UserRow } from '../users/statements.ts'
import { consentableOperation, subjectOf } from './consent-subject.ts'
import { ownership } from './own-record.ts'

export const parametersOf = ({ parameters }: ConsentRow): ConsentParameters =>
  JSON.parse(parameters) as ConsentParameters

export const domainIdsOf = ({ domainIds }: ConsentRow): string[] => JSON.parse(domainIds) as string[]

/**
 * Whether an administrator manages every domain in which an action counts. Otherwise the administrator of one app could consent
 * to what then happens in another app.
 */
export function managesConsent({ domainIds }: Pick<PresentAdministrator, 'domainIds'>, row: ConsentRow): boolean {
  if (domainIds === null) return true
  const concerned = domainIdsOf(row)
  return concerned.length > 0 && concerned.every((id) => domainIds.includes(id))
}

/**
 * Whether everything is as the request says: the person is in the same domains, requester and colleague still have the right,
 * and they are not the same person by now.
 */
export async function isStanding(db: Queryable, row: ConsentRow, now: number): Promise<boolean> {
  const person = await userById(db, row.organizationId, row.userId)
  const requester = await presentAdministrator(db, row.requestedBy)
  if (!person || !requester) return false
  const endpoint = consentableOperation(row.operation)
  const input = { userId: row.userId, because: row.because, ...parametersOf(row) }
  if (consentDigest(await subjectOf(db, endpoint, input, now)) !== row.digest) return false
  if (!mayRequest(requester, endpoint, row)) return false
  if (row.decidedBy === null) return true
  const colleague = await presentAdministrator(db, row.decidedBy)
  return colleague !== undefined && mayGive(db, colleague, { row, requester, person })
}

function mayRequest(requester: PresentAdministrator, endpoint: Endpoint, row: ConsentRow): boolean {
  const { method, admin } = endpoint
  if (!admin || !mayCall(requester.role, { method, admin })) return false
  return !(admin.everywhere || 'domainId' in parametersOf(row)) || managesConsent(requester, row)
}

interface Parties {
  readonly row: ConsentRow
  readonly requester: PresentAdministrator
  readonly person: UserRow
}

export async function mayGive(
  db: Queryable,
  colleague: PresentAdministrator,
  { row, requester, person }: Parties,
): Promise<boolean> {
  if (!mayCall(colleague.role, giveConsent) || !managesConsent(colleague, row)) return false
  return isAnother(db, colleague, { requester, person })
}

/** The requester cannot consent, and neither can the person it is about, nor a second account of either. */
export async function isAnother(
  db: Queryable,
  colleague: PresentAdministrator,
  { requester, person }: Pick<Parties, 'requester' | 'person'>,
): Promise<boolean> {
  const isRequester = colleague.id === requester.id || isSamePerson(colleague, requester)
  return !isRequester && (await ownership(db, colleague, person)) === 'other'
}
