import { hash } from 'node:crypto'

import { sendingErrors } from '../contract/errors.ts'
import { unlessRejected } from './rejection.ts'
import type { AdapterOptions, VersionAdapter } from './version-adapter.ts'

/** How long a 1.3 service returns an approval, and so how long it has to be remembered as redeemed; seconds. */
const rememberedFor = 86_400

/** A service that speaks only 1.3: it has push and codes, but no challenges, numbers, reasons, factors or epochs. */
export function adapt13({ client, domainId, challengeStore }: AdapterOptions): VersionAdapter {
  return {
    version: '1.3',
    knowsFactors: false,
    managesFactors: false,
    knowsBrowsers: false,
    reportsPauses: false,
    hasEpochs: false,
    redeemsCodes: false,
    hasAuthenticator: false,
    asksForApprovals: false,
    // The service reports an approval as often as it is asked: the challenge store has to see that it counts once.
    async redeem(sessionId) {
      const session = await client.sessions.get(domainId, sessionId)
      return session.state === 'approved' && (await challengeStore.use(sessionId, rememberedFor)) ? session : undefined
    },
    // The service does not say who issued a pending code: if this challenge has not shown it, an administrator may have.
    async issueFirstToken(userId, shownCode) {
      const token = await unlessRejected(client.tokens.get(domainId, userId), 'api.error.notfound.token')
      if (token?.code === undefined) return client.tokens.issue(domainId, userId)
      return token.code === shownCode ? token : {}
    },
    createUser: (user) => client.users.create({ ...user, email: user.email ?? noMailbox(user.username) }),
    // There is no error code for this. The service has just returned the user, so it is available.
    isSendingRejection: (factor, { code, status }) => code === sendingErrors[factor].failed || status === 503,
  }
}

/** In 1.3, every user has an address. No mail can ever arrive at this one (RFC 2606 section 2). */
function noMailbox(username: string): string {
  return `${hash('sha256', username).slice(0, 16)}@no-address.invalid`
}
