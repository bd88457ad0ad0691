import { serviceUrl } from '../../../contract/activation-link.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { DisownableMail } from '../../engine/mail/security-mails.ts'
import { mailReportLifetime } from './rules.ts'
import { hashSecret, newSecret } from '../../engine/base/secret.ts'
import { insertMailReport } from './statements.ts'

type Context = Pick<ServiceContext, 'store' | 'clock' | 'random' | 'authenticatorUrl'>

/**
 * Returns what makes the link of a mail, with which its reader says that it was not them: one for each mail, bound to its user.
 * Undefined where the operator has not said under which address the service is reached.
 */
export function createNotMeLinks({ store, clock, random, authenticatorUrl }: Context) {
  if (authenticatorUrl === undefined) return undefined
  const base = serviceUrl(authenticatorUrl).replace(/\/authenticator$/, '')
  return async ({ userId, headline }: DisownableMail): Promise<string> => {
    const secret = newSecret(random)
    const expiresAt = clock.now() + mailReportLifetime
    await insertMailReport(store.db, { secretHash: hashSecret(secret), userId, headline, expiresAt })
    return `${base}/not-me/${secret}`
  }
}
