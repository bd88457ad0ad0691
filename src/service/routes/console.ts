import * as administrator from '../../admin-contract/administrators.ts'
import * as apps from '../../admin-contract/domains.ts'
import * as oidc from '../../admin-contract/oidc-clients.ts'
import * as provider from '../../admin-contract/oidc-provider.ts'
import * as trail from '../../admin-contract/audit.ts'
import * as trailVerification from '../../admin-contract/audit-verification.ts'
import * as consent from '../../admin-contract/consents.ts'
import * as bulk from '../../admin-contract/bulk-jobs.ts'
import * as person from '../../admin-contract/people.ts'
import * as enrollmentContract from '../../admin-contract/enrollment.ts'
import * as personExport from '../../admin-contract/people-export.ts'
import * as timelines from '../../admin-contract/timeline.ts'
import * as callerVerification from '../../admin-contract/caller-verifications.ts'
import * as figures from '../../admin-contract/overview.ts'
import * as qrCode from '../../admin-contract/qr-codes.ts'
import * as stockContract from '../../admin-contract/stock.ts'
import * as signIn from '../../admin-contract/sign-in.ts'
import { route } from '../engine/http/route.ts'
import type { Route } from '../engine/http/route.ts'
import * as administrators from '../features/administrators/console.ts'
import * as apiKeys from '../features/administrators/api-keys.ts'
import * as oidcClients from '../features/administrators/oidc-clients.ts'
import * as oidcProvider from '../features/administrators/oidc-provider.ts'
import * as audit from '../features/administrators/audit.ts'
import * as auditVerification from '../features/administrators/audit-verification.ts'
import * as consents from '../features/administrators/consents.ts'
import * as bulkJobs from '../features/bulk-jobs/jobs.ts'
import { prepare as prepareBulkJob } from '../features/bulk-jobs/prepare.ts'
import { report as bulkReport } from '../features/bulk-jobs/report.ts'
import * as people from '../features/people/console.ts'
import * as peopleExport from '../features/people/export.ts'
import * as actions from '../features/people/actions.ts'
import * as enrollment from '../features/people/enrollment.ts'
import * as timeline from '../features/people/timeline.ts'
import { changeRoute } from '../features/administrators/change.ts'
import * as callerVerifications from '../features/callers/console.ts'
import * as domains from '../features/people/domains.ts'
import * as overview from '../features/people/overview.ts'
import * as ownPasskeys from '../features/administrators/own-passkeys.ts'
import * as qrCodes from '../features/administrators/qr-codes.ts'
import * as registration from '../features/administrators/registration.ts'
import * as stock from '../features/people/stock.ts'
import * as signingIn from '../features/administrators/sign-in.ts'

/** The whole REST interface of the console. */
export const consoleRoutes: readonly Route[] = [
  route(signIn.startAdminRegistration, registration.start),
  route(signIn.finishAdminRegistration, registration.finish),
  route(signIn.startAdminSignIn, signingIn.startSignIn),
  route(signIn.adminSignIn, signingIn.signIn),
  route(signIn.getAdminSession, signingIn.get),
  changeRoute(signIn.adminSignOut, signingIn.signOut),
  route(signIn.startConfirmation, signingIn.startConfirmation),
  changeRoute(signIn.confirmAdmin, signingIn.confirm),
  route(signIn.listAdminPasskeys, ownPasskeys.list),
  route(signIn.startAdminPasskey, ownPasskeys.start),
  changeRoute(signIn.addAdminPasskey, ownPasskeys.add),
  changeRoute(signIn.deleteAdminPasskey, ownPasskeys.remove),

  route(administrator.listAdministrators, administrators.list),
  route(administrator.getAdministrator, administrators.get),
  changeRoute(administrator.changeAdministrator, administrators.change),
  changeRoute(administrator.decideAdministratorRecord, administrators.decideRecord),
  changeRoute(administrator.revokeAdministrator, administrators.revoke),
  route(administrator.listAdministratorSessions, administrators.sessions),
  changeRoute(administrator.endAdministratorSessions, administrators.endSessions),
  changeRoute(administrator.inviteAdministrator, administrators.invite),
  route(administrator.listInvitations, administrators.listInvitations),
  changeRoute(administrator.withdrawInvitation, administrators.withdraw),

  route(figures.getOverview, overview.get),

  route(apps.listAdminDomains, domains.list),
  changeRoute(apps.createAdminDomain, domains.create),
  route(apps.getAdminDomain, domains.get),
  changeRoute(apps.changeAdminDomain, domains.change),
  route(apps.getAdminDomainImage, domains.image),
  changeRoute(apps.setAdminDomainImage, domains.setImage),
  changeRoute(apps.removeAdminDomainImage, domains.removeImage),
  route(apps.listAdminApiKeys, apiKeys.list),
  changeRoute(apps.createAdminApiKey, apiKeys.create),
  changeRoute(apps.revokeAdminApiKey, apiKeys.revoke),

  route(provider.getOidcProvider, oidcProvider.get),
  route(provider.listEveryOidcClient, oidcProvider.clients),
  changeRoute(provider.rotateOidcKeys, oidcProvider.rotate),
  changeRoute(provider.replaceOidcKeys, oidcProvider.replace),
  route(oidc.listOidcClients, oidcClients.list),
  changeRoute(oidc.createOidcClient, oidcClients.create),
  changeRoute(oidc.changeOidcClient, oidcClients.set),
  changeRoute(oidc.rotateOidcSecret, oidcClients.rotate),
  changeRoute(oidc.removeOidcClient, oidcClients.remove),

  route(trail.listAudit, audit.list),
  route(trail.exportAuditCsv, audit.exportCsv),
  route(trail.exportAuditLines, audit.exportLines),
  route(trailVerification.getAuditVerification, auditVerification.get),
  changeRoute(trailVerification.startAuditVerification, auditVerification.start),

  route(person.searchPeople, people.search),
  route(person.getPerson, people.get),
  changeRoute(person.unlockPerson, actions.unlock),
  changeRoute(person.endPersonSessions, actions.endSessions),
  changeRoute(person.resetPerson, actions.reset),
  changeRoute(person.issuePersonToken, actions.issueToken),
  changeRoute(person.revokePersonToken, actions.revokeToken),
  changeRoute(person.assignPersonHardware, actions.assignHardware),
  changeRoute(person.releasePersonHardware, actions.releaseHardware),
  changeRoute(person.createPersonBypassCode, actions.createBypassCode),
  changeRoute(person.deletePersonBypassCodes, actions.deleteBypassCodes),
  changeRoute(person.deletePersonPasskey, actions.deletePasskey),

  changeRoute(enrollmentContract.sendEnrollmentMail, enrollment.sendMail),
  changeRoute(enrollmentContract.showEnrollmentLink, enrollment.showLink),
  changeRoute(enrollmentContract.changePersonEmail, enrollment.changeEmail),
  route(personExport.exportPeopleCsv, peopleExport.exportCsv),
  route(personExport.exportPeopleLines, peopleExport.exportLines),

  changeRoute(bulk.prepareBulkJob, prepareBulkJob),
  route(bulk.listBulkJobs, bulkJobs.list),
  route(bulk.getBulkJob, bulkJobs.get),
  changeRoute(bulk.startBulkJob, bulkJobs.start),
  changeRoute(bulk.cancelBulkJob, bulkJobs.cancel),
  route(bulk.exportBulkReport, bulkReport),

  route(timelines.listPersonTimeline, timeline.list),
  route(stockContract.listStock, stock.list),
  changeRoute(stockContract.importStock, stock.importFile),
  changeRoute(stockContract.deleteStockToken, stock.remove),
  changeRoute(stockContract.resynchronizePersonHardware, stock.resynchronize),

  changeRoute(consent.requestConsent, consents.request),
  route(consent.listConsents, consents.list),
  changeRoute(consent.giveConsent, consents.give),
  changeRoute(consent.denyConsent, consents.deny),

  changeRoute(callerVerification.verifyCaller, callerVerifications.verify),
  route(callerVerification.getCallerVerification, callerVerifications.get),

  route(qrCode.drawQrCode, qrCodes.draw),
]
