import { activationLink } from '../../contract/activation-link.ts'
import * as contract from '../../contract/admin/enrollment.ts'
import { requireStillAllowed } from '../admin/acting.ts'
import { findDomain } from '../api/find.ts'
import * as replacements from '../api/replacements.ts'
import { issueOrShow } from '../api/tokens.ts'
import { auditCall } from '../audit/audit.ts'
import { ApiProblem } from '../ground/problem.ts'
import type { Call, Handler, Input } from '../http/route.ts'
import { codeExpiry } from '../rules/activation-code.ts'
import { tokenOf } from '../store/tokens.ts'
import { lockUser, userById } from '../store/users.ts'
import { signedIn } from './call.ts'
import { changeAddress } from './change-address.ts'
import { sendEnrollmentMail } from './enrollment-mail.ts'
import { requireVerifiedOrConsent } from './guard.ts'
import { expectedVersion, outdated } from './if-match.ts'
import { enrollmentMailProblem } from './may-mail.ts'
import { personVersion, showPerson } from './people.ts'

export const sendMail: Handler<typeof contract.sendEnrollmentMail> = async ({ because, ...wanted }, call) => {
  const problem = await enrollmentMailProblem(call.store.db, call, wanted)
  const consented = problem?.code === 'api.error.forbidden.guarded'
  if (consented) await requireVerifiedOrConsent(call, signedIn(call), contract.sendEnrollmentMail, wanted.userId)
  await sendEnrollmentMail({ ...call, because }, { ...wanted, consented })
  return showPerson(call, wanted.userId)
}

export const showLink: Handler<typeof contract.showEnrollmentLink> = async ({ because, ...wanted }, call) => {
  const { authenticatorUrl } = call
  if (authenticatorUrl === undefined) throw new ApiProblem('api.error.unavailable.authenticator')
  const { code, expiresAt } = await presentCode({ ...call, because }, wanted)
  return { link: activationLink(authenticatorUrl, code), code, expiresAt }
}

/** The code that works now, or a new one. In place of a device, a code works for 15 minutes, as everywhere. */
async function presentCode(
  call: Call,
  { userId, domainId, days }: Omit<Input<typeof contract.showEnrollmentLink>, 'because'>,
): Promise<{ code: string; expiresAt: number }> {
  const domain = await findDomain(call, domainId)
  const shown = await call.store.db.transaction().execute(async (db) => {
    await requireStillAllowed(db, call)
    const { code } = await issueOrShow(call, db, { domain, userId, expiresAt: codeExpiry(call.clock.now(), days) })
    const until = (await tokenOf(db, domainId, userId))?.codeExpiresAt ?? 0
    if (code === undefined) return undefined
    await auditCall(db, call, 'enrollment.link_shown', { domain: domainId, user: userId, until })
    return { code, expiresAt: until }
  })
  if (shown) return shown
  const replacement = await replacements.issue({ userId, domainId }, call)
  const facts = { domain: domainId, user: userId, until: replacement.expiresAt }
  await call.store.db.transaction().execute((db) => auditCall(db, call, 'enrollment.link_shown', facts))
  return replacement
}

export const changeEmail: Handler<typeof contract.changePersonEmail> = async ({ userId, email, because }, call) => {
  const version = expectedVersion(call, 'person')
  const { organizationId } = call
  await call.store.db.transaction().execute(async (db) => {
    await requireStillAllowed(db, call)
    const user = (await lockUser(db, organizationId, userId)) && (await userById(db, organizationId, userId))
    if (!user) throw new ApiProblem('api.error.notfound.user')
    if (personVersion(user) !== version) {
      throw await outdated(db, call, {
        what: 'person',
        event: 'user.changed',
        domainIds: null,
        facts: { user: userId },
      })
    }
    await changeAddress(db, { ...call, because }, user, email)
  })
  return showPerson(call, userId)
}
