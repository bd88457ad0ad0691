import type * as contract from '../../../contract/sessions.ts'
import { releaseSend, storeSentCode, reserveSend } from './send.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { codeMail } from '../../engine/mail/code-mail.ts'
import type { Mail } from '../../engine/mail/mailer.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { emailCodeLifetime, newEmailCode } from './rules.ts'
import type { DomainRow } from '../domains/statements.ts'
import { organizationById } from '../domains/organization-statements.ts'
import { sends } from '../users/reach.ts'
import { findMember } from '../domains/find.ts'

/**
 * The code is valid once the mail server has accepted the mail. Until then, and if sending fails, the previous code is valid.
 */
export const send: Handler<typeof contract.sendEmailCode> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  // Where a passkey is required, an e-mailed code would never count.
  const isEnabled = sends('email', domain) && domain.phishingResistant !== 'require'
  if (!isEnabled) throw new ApiProblem('api.error.conflict.emailotpenabled')
  const { mailer } = call
  if (!mailer) throw mailProblem(call, new Error('Codes cannot be e-mailed, because the option smtp is not set.'))
  const code = newEmailCode(call.random)
  // For this mail alone: an attacker with the password could otherwise choose a language for later warnings.
  const language = input.language ?? user.language
  const mail = await write(call, { domain, code, language })
  // Not in one transaction, because other writers would wait for the mail server.
  const reservation = await reserveSend(call, domain, user)
  try {
    const deliver = () => mailer.send({ ...mail, to: user.email })
    await (call.http ? call.http.outside(deliver) : deliver())
  } catch (error) {
    await releaseSend(call, reservation)
    throw mailProblem(call, error)
  }
  await storeSentCode(call, domain, user, code)
}

interface Written {
  readonly domain: DomainRow
  readonly code: string
  readonly language: string | null
}

async function write(call: Call, { domain, code, language }: Written): Promise<Omit<Mail, 'to'>> {
  const organization = await organizationById(call.store.db, call.organizationId)
  return codeMail({
    organization: organization?.name ?? '',
    domain: domain.name,
    code,
    minutes: emailCodeLifetime / 60,
    language,
  })
}

/** The mail server fails, and not this service. Version 1.3 has no error code for that. */
function mailProblem({ version }: Call, cause: unknown): ApiProblem {
  const code = version === '1.3' ? 'api.error.unavailable' : 'api.error.unavailable.mail'
  return new ApiProblem(code, undefined, { headers: { 'Retry-After': '10' }, cause })
}
