import { activationLink } from '../../../contract/activation-link.ts'
import * as contract from '../../../admin-contract/enrollment.ts'
import { findDomain } from '../domains/find.ts'
import * as replacements from '../devices/replacements.ts'
import { issueOrShow } from '../devices/tokens.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call, Input } from '../../engine/http/route.ts'
import { codeExpiry } from '../devices/activation-code.ts'
import { tokenOf } from '../factors/possessions.ts'
import { userById } from '../users/statements.ts'
import type { Change, ChangeHandler } from '../administrators/change.ts'
import { changeAddress } from './change-address.ts'
import { sendEnrollmentMail } from './enrollment-mail.ts'
import { requireGuard, useUp } from '../administrators/guard.ts'
import { expectedVersion, outdated } from '../administrators/if-match.ts'
import { personVersion, showPerson } from './console.ts'

export const sendMail: ChangeHandler<typeof contract.sendEnrollmentMail> = async (input, call, change) => {
  const { because, ...member } = input
  const acting: Change = (run, part) => change((inside) => run({ ...inside, because }), part)
  const requireConsent = (inside: Call) => requireGuard(inside, contract.sendEnrollmentMail, input)
  await sendEnrollmentMail({ ...call, because }, member, {
    change: acting,
    prepare: (run) => acting(run, 'preparation'),
    evidence: {
      require: requireConsent,
      async use(inside) {
        const consent = await requireConsent(inside)
        if (consent) await useUp(inside, consent)
      },
    },
  })
  return showPerson(call, member.userId)
}

export const showLink: ChangeHandler<typeof contract.showEnrollmentLink> = async (input, call, change) => {
  const { because, ...member } = input
  const { authenticatorUrl } = call
  if (authenticatorUrl === undefined) throw new ApiProblem('api.error.unavailable.authenticator')
  const { code, expiresAt } = await change((inside) => presentCode({ ...inside, because }, member))
  return { link: activationLink(authenticatorUrl, code), code, expiresAt }
}

/** The code that works now, or a new one; call it in a transaction. In place of a device, a code works for 15 minutes, as everywhere. */
async function presentCode(
  call: Call,
  { userId, domainId, days }: Omit<Input<typeof contract.showEnrollmentLink>, 'because'>,
): Promise<{ code: string; expiresAt: number }> {
  const domain = await findDomain(call, domainId)
  const { db } = call.store
  const issued = await issueOrShow(call, db, { domain, userId, expiresAt: codeExpiry(call.clock.now(), days) })
  const code =
    issued.code === undefined
      ? await replacements.issue({ userId, domainId }, call)
      : { code: issued.code, expiresAt: (await tokenOf(db, domainId, userId))?.codeExpiresAt ?? 0 }
  await auditCall(db, call, 'enrollment.link_shown', { domain: domainId, user: userId, until: code.expiresAt })
  return code
}

export const changeEmail: ChangeHandler<typeof contract.changePersonEmail> = async (input, call, change) => {
  const { userId, email, because } = input
  const version = expectedVersion(call, 'person')
  await change(async (inside) => {
    const { db } = inside.store
    const user = await userById(db, inside.organizationId, userId)
    if (!user) throw new ApiProblem('api.error.notfound.user')
    if (personVersion(user) !== version) {
      throw await outdated(db, call, {
        noun: 'person',
        event: 'user.changed',
        domainIds: null,
        facts: { user: userId },
      })
    }
    await changeAddress(db, { ...inside, because }, user, email)
  })
  return showPerson(call, userId)
}
