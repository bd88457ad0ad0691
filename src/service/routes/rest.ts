import * as approval from '../../contract/approvals.ts'
import * as browser from '../../contract/browsers.ts'
import * as bypassCode from '../../contract/bypass-codes.ts'
import * as domain from '../../contract/domains.ts'
import * as factor from '../../contract/factors.ts'
import * as factorImport from '../../contract/factor-import.ts'
import * as hardwareToken from '../../contract/hardware.ts'
import * as organization from '../../contract/organization.ts'
import * as passkey from '../../contract/passkeys.ts'
import * as session from '../../contract/sessions.ts'
import * as token from '../../contract/tokens.ts'
import * as user from '../../contract/users.ts'
import { preparedRoute, route } from '../engine/http/route.ts'
import type { Route } from '../engine/http/route.ts'
import { create as createApproval } from '../features/approvals/create.ts'
import * as approvals from '../features/approvals/operations.ts'
import * as approvalPasskeys from '../features/approvals/passkey.ts'
import * as browsers from '../features/browsers/operations.ts'
import * as bypassCodes from '../features/bypass-codes/operations.ts'
import * as domains from '../features/domains/operations.ts'
import * as sentCode from '../features/sent-codes/operations.ts'
import * as hardware from '../features/hardware/operations.ts'
import * as importSignIn from '../features/imported-factors/sign-in.ts'
import { importFactors } from '../features/imported-factors/operations.ts'
import * as members from '../features/domains/members.ts'
import * as organizations from '../features/domains/organization.ts'
import * as ownFactors from '../features/factors/operations.ts'
import * as passkeyCeremonies from '../features/passkeys/ceremony-operations.ts'
import * as passkeySignIn from '../features/sessions/passkey-sign-in.ts'
import * as passkeys from '../features/passkeys/operations.ts'
import * as replacements from '../features/devices/replacements.ts'
import { create as createSession } from '../features/sessions/create.ts'
import * as sessions from '../features/sessions/operations.ts'
import { redeem } from '../features/sessions/redeem.ts'
import { pauses } from '../features/sessions/pauses.ts'
import { giveUp } from '../features/devices/give-up.ts'
import * as tokens from '../features/devices/tokens.ts'
import * as users from '../features/users/operations.ts'

/** The whole REST interface. */
export const routes: readonly Route[] = [
  route(organization.getOrganization, organizations.getOrganization),
  route(organization.ping, organizations.ping),

  route(user.createUser, users.create),
  route(user.findUsers, users.find),
  route(user.getUser, users.get),
  route(user.updateUser, users.update),
  route(user.deleteUser, users.remove),
  route(user.endUserSessions, browsers.endSessions),

  route(domain.getDomain, domains.get),
  route(domain.getDomainImage, domains.image),
  route(domain.noteEmergency, domains.noteEmergency),
  route(domain.addMember, members.add),
  route(domain.getMember, members.get),
  route(domain.listMembers, members.list),
  route(domain.removeMember, members.remove),
  preparedRoute(domain.synchronizeMembers, members.drawTicket, members.synchronize),

  route(token.issueToken, tokens.issue),
  route(token.getToken, tokens.get),
  route(token.renameDevice, tokens.rename),
  route(token.revokeToken, tokens.revoke),
  route(token.issueFirstToken, tokens.issueFirst),
  route(token.issueReplacement, replacements.issue),
  route(token.withdrawReplacement, replacements.withdraw),
  route(factor.getChangeRequirement, ownFactors.getRequirement),
  route(token.giveUpFactor, giveUp),

  route(passkey.startPasskeyRegistration, passkeyCeremonies.startRegistration),
  route(passkey.startPasskeyAuthentication, passkeyCeremonies.startAuthentication),
  route(passkey.startPasskeySignIn, passkeySignIn.start),
  route(passkey.createPasskeySession, passkeySignIn.signIn),
  route(passkey.registerPasskey, passkeyCeremonies.register),
  route(passkey.listPasskeys, passkeys.list),
  route(passkey.renamePasskey, passkeys.rename),
  route(passkey.deletePasskey, passkeys.remove),
  route(passkey.giveUpPasskey, passkeys.giveUp),

  route(hardwareToken.createHardwareToken, hardware.create),
  route(hardwareToken.enrollHardwareToken, hardware.enroll),
  route(hardwareToken.listHardwareTokens, hardware.list),
  route(hardwareToken.getHardwareToken, hardware.get),
  route(hardwareToken.updateHardwareToken, hardware.update),
  route(hardwareToken.deleteHardwareToken, hardware.remove),
  route(hardwareToken.assignHardwareToken, hardware.assign),
  route(hardwareToken.getHardwareTokenOfUser, hardware.getOfUser),
  route(hardwareToken.releaseHardwareToken, hardware.release),

  route(factorImport.importFactors, importFactors),

  route(bypassCode.createBypassCode, bypassCodes.create),
  route(bypassCode.replaceBypassCodes, bypassCodes.replaceAll),
  route(bypassCode.listBypassCodes, bypassCodes.list),
  route(bypassCode.getBypassCode, bypassCodes.get),
  route(bypassCode.deleteBypassCodes, bypassCodes.removeAll),
  route(bypassCode.deleteBypassCode, bypassCodes.remove),

  route(browser.recognizeBrowser, browsers.recognize),
  route(browser.listBrowsers, browsers.list),
  route(browser.forgetBrowser, browsers.forgetOne),
  route(browser.forgetBrowsers, browsers.forget),
  route(browser.readPauses, pauses),

  route(session.createSession, createSession),
  route(session.importSession, importSignIn.signIn),
  // It stands before the route of one session, which would take "events" for an id.
  route(session.watchSessions, sessions.watch),
  route(session.getSession, sessions.get),
  route(session.listPendingSessions, sessions.listPending),
  route(session.cancelSession, sessions.cancel),
  route(session.redeemSession, redeem),
  route(session.sendEmailCode, sentCode.send),

  route(approval.createApproval, createApproval),
  route(approval.listApprovals, approvals.list),
  // It stands before the route of one approval.
  route(approval.watchApprovals, approvals.watch),
  route(approval.getApproval, approvals.get),
  route(approval.cancelApproval, approvals.cancel),
  route(approval.redeemApproval, approvals.redeem),
  route(approval.startApprovalByPasskey, approvalPasskeys.start),
  route(approval.approveByPasskey, approvalPasskeys.approve),
  route(approval.getApprovalKeys, approvals.keys),
]
