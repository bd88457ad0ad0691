import { notFoundByParam } from '../../../contract/errors.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { domainIdsOf } from './invitations.ts'
import type { SignedIn } from '../../engine/context/caller.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import { passkeysOfAdministrator } from './passkey-statements.ts'
import { openInvitationsOf } from './invitation-statements.ts'
import { administratorById, domainsOfAdministrators } from './statements.ts'
import { consentById } from './consent-statements.ts'
import { belongings } from '../users/belongings.ts'
import { apiKeysOf } from '../domains/api-key-statements.ts'
import { bulkJobById, stockTokenById } from './scope-statements.ts'
import { domainById, domainsOf } from '../domains/statements.ts'
import { isMemberOfSome } from '../users/member-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { oidcClientById } from '../oidc/client-statements.ts'
import { userById } from '../users/statements.ts'
import { signedIn } from './call.ts'
import { managesConsent } from './standing-consent.ts'
import { isConcernedBy } from './concern.ts'

/** An administrator, and what is needed to look up what it may see. */
export interface Scope {
  readonly db: Queryable
  readonly administrator: SignedIn
  readonly now: number
}

/** Whether an id of a path is one that the administrator may see. */
type IsVisible = (id: string, scope: Scope) => Promise<boolean>

const places: Readonly<Record<string, IsVisible>> = {
  domainId: async (id, { db, administrator: { organizationId, domainIds } }) =>
    (domainIds === null || domainIds.includes(id)) && (await domainById(db, organizationId, id)) !== undefined,
  userId: isVisiblePerson,
  administratorId: async (id, { db, administrator }) => {
    const other = await administratorById(db, id)
    if (other?.organizationId !== administrator.organizationId) return false
    const domains = (await domainsOfAdministrators(db, [id])).map(({ domainId }) => domainId)
    return isConcernedBy(administrator, { role: other.role, domains })
  },
  consentId: async (id, scope) => {
    const { administrator } = scope
    const consent = await consentById(scope.db, id, scope.now)
    return consent?.organizationId === administrator.organizationId && managesConsent(administrator, consent)
  },
  hardwareTokenId: async (id, scope) => {
    const { db, administrator } = scope
    const token = await stockTokenById(db, administrator.organizationId, id)
    return token !== undefined && (token.userId === null || isVisiblePerson(token.userId, scope))
  },
  bulkJobId: async (id, { db, administrator }) => {
    const job = await bulkJobById(db, id)
    const isVisible = administrator.domainIds === null || job?.requestedBy === administrator.id
    return job?.organizationId === administrator.organizationId && isVisible
  },
  // The handler checks that it is a passkey of the person in the same path.
  passkeyId: () => Promise.resolve(true),
  // The handler checks that it is about the person and the domain in the same path.
  callerVerificationId: () => Promise.resolve(true),
  apiKeyId: async (id, { db, administrator: { organizationId, domainIds } }) =>
    (await apiKeysOf(db, organizationId)).some(
      (key) => key.id === id && (domainIds === null || (key.domainId !== null && domainIds.includes(key.domainId))),
    ),
  // The handler checks that it is a client of the domain in the same path.
  oidcClientId: async (id, { db, administrator: { organizationId, domainIds } }) => {
    const client = await oidcClientById(db, id)
    if (!client || !(await domainById(db, organizationId, client.domainId))) return false
    return domainIds === null || domainIds.includes(client.domainId)
  },
  invitationId: async (id, { db, administrator, now }) =>
    (await openInvitationsOf(db, administrator.organizationId, now)).some(
      (invitation) =>
        invitation.id === id &&
        isConcernedBy(administrator, { role: invitation.role, domains: domainIdsOf(invitation) }),
    ),
}

async function isVisiblePerson(id: string, { db, administrator: { organizationId, domainIds } }: Scope) {
  if (!(await userById(db, organizationId, id))) return false
  return domainIds === null || isMemberOfSome(db, id, domainIds)
}

const ownPlaces: Readonly<Record<string, IsVisible>> = {
  passkeyId: async (id, { db, administrator }) =>
    (await passkeysOfAdministrator(db, administrator.id)).some((passkey) => passkey.id === id),
}

/**
 * Rejects ids that the administrator must not see, with the same error as for ids that do not exist. An id of a kind that is not
 * listed here is an error of the program: no operation may go unchecked.
 */
export async function requireVisible(
  scope: Scope,
  kind: 'self' | 'domain' | 'organization',
  params: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, id] of Object.entries(params)) {
    const isVisible = (kind === 'self' ? ownPlaces : places)[name]
    if (!isVisible) throw new Error(`Nothing checks the scope of :${name}.`)
    if (!(await isVisible(id, scope))) throw new ApiProblem(notFound(name))
  }
}

/** Whether an administrator manages every domain of its organization, as what belongs to no domain counts in all of them. */
export async function managesEveryDomain({ db, administrator }: Scope): Promise<boolean> {
  const { organizationId, domainIds } = administrator
  if (domainIds === null) return true
  return (await domainsOf(db, organizationId)).every(({ id }) => domainIds.includes(id))
}

/** Rejects what counts in every domain of the organization for an administrator who does not manage all of them. */
export async function requireWholeOrganization(scope: Scope): Promise<void> {
  if (!(await managesEveryDomain(scope))) throw new ApiProblem('api.error.forbidden.elsewhere')
}

/**
 * Rejects what counts in every domain of a person for an administrator who does not manage all of them. Otherwise an
 * administrator of one app could reset the factors of another app.
 */
export async function requireEveryDomain({ db, administrator, now }: Scope, userId: string): Promise<void> {
  const { domainIds } = administrator
  if (domainIds === null) return
  const userDomainIds = (await belongings(db, [userId], now)).get(userId)?.domainIds ?? []
  if (!userDomainIds.every((id) => domainIds.includes(id))) throw new ApiProblem('api.error.forbidden.elsewhere')
}

const notFound = (name: string): ErrorCode => notFoundByParam[name] ?? 'api.error.notfound.operation'

/**
 * The domains that a list is limited to; null for the whole organization.
 * @param domainId The domain that the administrator has chosen.
 * @throws {ApiProblem} `api.error.notfound.domain` for one that it must not see.
 */
export async function domainsFor(call: Call, domainId: string | undefined): Promise<readonly string[] | null> {
  const administrator = signedIn(call)
  if (domainId === undefined) return administrator.domainIds
  await requireVisible({ db: call.store.db, administrator, now: call.clock.now() }, 'domain', { domainId })
  return [domainId]
}
