import { sendingErrors } from '../contract/errors.ts'
import { unlessRejected } from './rejection.ts'
import type { AdapterOptions, VersionAdapter } from './version-adapter.ts'

/** A service that speaks 1.4: it redeems approvals, and knows factors, browsers and epochs. */
export function adapt14({ client, domainId }: AdapterOptions): VersionAdapter {
  return {
    version: '1.4',
    knowsFactors: true,
    managesFactors: true,
    knowsBrowsers: true,
    reportsPauses: true,
    hasEpochs: true,
    redeemsCodes: true,
    hasAuthenticator: true,
    asksForApprovals: true,
    redeem: (sessionId, { id, browser, phishingResistant, unknownBrowser }) =>
      client.sessions.redeem(domainId, sessionId, id, browser, phishingResistant, unknownBrowser),
    // The code becomes invalid as soon as the user has any factor, so it does not matter who else has seen it.
    issueFirstToken: (userId) =>
      unlessRejected(client.tokens.issueFirst(domainId, userId), 'api.error.conflict.enrolled'),
    createUser: (user, { exact }) => client.users.create({ ...user, ...(!exact && { provision: true }) }),
    isSendingRejection: (factor, { code }) => code === sendingErrors[factor].failed,
  }
}
