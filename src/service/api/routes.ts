import * as domain from '../../contract/domains.ts'
import * as organization from '../../contract/organization.ts'
import * as session from '../../contract/sessions.ts'
import * as token from '../../contract/tokens.ts'
import * as user from '../../contract/users.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import * as domains from './domains.ts'
import * as members from './members.ts'
import * as organizations from './organization.ts'
import * as sessions from './sessions.ts'
import * as tokens from './tokens.ts'
import * as users from './users.ts'

/** The whole REST interface. */
export const routes: readonly Route[] = [
  route(organization.getOrganization, organizations.getOrganization),
  route(organization.ping, organizations.ping),

  route(user.createUser, users.create),
  route(user.findUsers, users.find),
  route(user.getUser, users.get),
  route(user.updateUser, users.update),
  route(user.deleteUser, users.remove),

  route(domain.getDomain, domains.get),
  route(domain.getDomainImage, domains.image),
  route(domain.addMember, members.add),
  route(domain.getMember, members.get),
  route(domain.listMembers, members.list),
  route(domain.removeMember, members.remove),

  route(token.issueToken, tokens.issue),
  route(token.getToken, tokens.get),
  route(token.revokeToken, tokens.revoke),

  route(session.createSession, sessions.create),
  // Before the sessions by id: "events" is none.
  route(session.watchSessions, sessions.watch),
  route(session.getSession, sessions.get),
  route(session.cancelSession, sessions.cancel),
  route(session.redeemSession, sessions.redeem),
]
