import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Id, Seconds, text } from '../contract/text.ts'
import { Email } from '../contract/users.ts'
import { AdminRole, needsDomains } from '../contract/roles.ts'

const AdministratorName = text(1, 128)

/** The domains that an administrator is limited to; empty for the whole organization. */
const DomainIds = z.array(Id).max(100)

/** A person with access to the console. */
export const Administrator = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  role: AdminRole,
  /** The domains that it is limited to; empty for the whole organization. */
  domains: z.array(Id),
  /** The user that this person is, as an owner has said; null for none. Administrators cannot act on their own record. */
  user: Id.nullable(),
  /** Users with the same e-mail address who are somebody else, as an owner has said. */
  namesakes: z.array(Id),
  createdAt: Seconds,
  lastSeenAt: Seconds.nullable(),
  revokedAt: Seconds.nullable(),
  /** Changes name it in `If-Match`, in quotes. */
  version: z.int(),
})
export type Administrator = z.infer<typeof Administrator>

/** An invitation to become an administrator by registering a passkey. */
export const Invitation = Administrator.pick({
  id: true,
  name: true,
  email: true,
  role: true,
  domains: true,
  user: true,
}).extend({
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type Invitation = z.infer<typeof Invitation>

const fitsRole = ({ role, domains }: { readonly role: AdminRole; readonly domains: readonly string[] }): boolean =>
  needsDomains(role) ? domains.length > 0 : role === 'auditor' || domains.length === 0

const domainsOfRole = {
  message: 'roles admin and helpdesk need at least one domain, and owners have none',
  path: ['domains'],
}

export const NewInvitation = z
  .object({
    name: AdministratorName,
    email: Email,
    role: AdminRole,
    domains: DomainIds.default([]),
    /** The user that this person is, if it is one. */
    user: Id.nullish(),
  })
  .refine(fitsRole, domainsOfRole)
export type NewInvitation = z.input<typeof NewInvitation>

/** The changes of an administrator: role and domains belong together. */
export const ChangedAdministrator = z
  .object({ role: AdminRole, domains: DomainIds.default([]) })
  .refine(fitsRole, domainsOfRole)
export type ChangedAdministrator = z.input<typeof ChangedAdministrator>

export const listAdministrators = endpoint({
  method: 'GET',
  path: '/admin/administrators',
  summary: 'Lists the administrators, revoked ones last.',
  response: z.array(Administrator),
  since: '1.4',
  admin: { role: 'owner', scope: 'organization' },
})

export const getAdministrator = endpoint({
  method: 'GET',
  path: '/admin/administrators/:administratorId',
  summary: 'Reads an administrator.',
  response: Administrator,
  since: '1.4',
  admin: { role: 'owner', scope: 'organization' },
})

export const changeAdministrator = endpoint({
  method: 'PUT',
  path: '/admin/administrators/:administratorId',
  summary:
    'Changes role and domains. Needs `If-Match` with the version; takes effect with the next request of the other.',
  body: ChangedAdministrator,
  response: Administrator,
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', fresh: true },
  errors: [
    'api.error.invalid.role',
    'api.error.invalid.domains',
    'api.error.notfound.domain',
    'api.error.precondition',
    'api.error.conflict.state',
  ],
})

export const decideAdministratorRecord = endpoint({
  method: 'PUT',
  path: '/admin/administrators/:administratorId/record',
  summary:
    'Says whether a user is the administrator, who then cannot act on it. Until an owner has said so, acting on a user with the same e-mail address needs the consent of another administrator.',
  body: z.object({
    user: Id,
    /** Whether the record is the administrator's own. It has one at most. */
    own: z.boolean(),
  }),
  response: Administrator,
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', fresh: true },
  errors: ['api.error.notfound.user', 'api.error.conflict.state'],
})

export const revokeAdministrator = endpoint({
  method: 'DELETE',
  path: '/admin/administrators/:administratorId',
  summary: 'Revokes the access of an administrator: its sessions end at once, and its passkeys are deleted.',
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', fresh: true },
  errors: ['api.error.conflict.state'],
})

/** A signed-in browser of an administrator. */
export const AdministratorSession = z.object({
  /** Names it in lists; not what the cookie holds. */
  id: z.string(),
  createdAt: Seconds,
  usedAt: Seconds,
  /** The last use of a passkey in this session. */
  passedAt: Seconds,
})
export type AdministratorSession = z.infer<typeof AdministratorSession>

export const listAdministratorSessions = endpoint({
  method: 'GET',
  path: '/admin/administrators/:administratorId/sessions',
  summary: 'Lists the sessions of an administrator, newest first.',
  response: z.array(AdministratorSession),
  since: '1.4',
  admin: { role: 'owner', scope: 'organization' },
})

export const endAdministratorSessions = endpoint({
  method: 'DELETE',
  path: '/admin/administrators/:administratorId/sessions',
  summary: 'Signs an administrator out of every browser.',
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', fresh: true },
})

export const inviteAdministrator = endpoint({
  method: 'POST',
  path: '/admin/invitations',
  summary: 'Invites a person to become an administrator: returns a token that is valid for 30 minutes, once.',
  body: NewInvitation,
  /** An invitation with the token for `invitationLink()`, which cannot be read again. */
  response: Invitation.extend({ token: z.string() }),
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', fresh: true },
  errors: ['api.error.notfound.domain', 'api.error.notfound.user'],
})

export const listInvitations = endpoint({
  method: 'GET',
  path: '/admin/invitations',
  summary: 'Lists the invitations that can still be used, newest first.',
  response: z.array(Invitation),
  since: '1.4',
  admin: { role: 'owner', scope: 'organization' },
})

export const withdrawInvitation = endpoint({
  method: 'DELETE',
  path: '/admin/invitations/:invitationId',
  summary: 'Withdraws an invitation.',
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', fresh: true },
})
