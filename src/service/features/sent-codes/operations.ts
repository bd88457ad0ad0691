import { sendingErrors } from '../../../contract/errors.ts'
import { sentFactors } from '../../../contract/factor-descriptions.ts'
import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import { deliverableType } from '../../../contract/sessions.ts'
import type * as contract from '../../../contract/sessions.ts'
import { channels } from './channels.ts'
import { releaseSend, storeSentCode, reserveSend } from './send.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { newSentCode, sentCodeLifetime } from './rules.ts'
import { organizationById } from '../domains/organization-statements.ts'
import { hasPlace, sends } from '../users/reach.ts'
import { findMember } from '../domains/find.ts'

/** The code is valid once it was accepted for delivery. Until then, and if sending fails, the previous code is valid. */
export const send: Handler<typeof contract.sendEmailCode> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const factor = factorOf(input.deliverableOTPType)
  // Where a passkey is required, a sent code would never count.
  const isEnabled = sends(factor, domain) && domain.phishingResistant !== 'require'
  if (!isEnabled) throw new ApiProblem(sendingErrors[factor].disabled)
  if (!hasPlace(factor, user))
    throw sendingProblem(call, factor, new Error(`The user lacks ${channels[factor].words.place}.`))
  const code = newSentCode(call.random)
  const organization = await organizationById(call.store.db, call.organizationId)
  // For this message alone: an attacker with the password could otherwise choose a language for later warnings.
  const language = input.language ?? user.language
  const minutes = sentCodeLifetime / 60
  const content = { organization: organization?.name ?? '', domain: domain.name, code, minutes, language }
  const deliver = await channels[factor].write(call, user, content).catch((error: unknown) => {
    throw sendingProblem(call, factor, error)
  })
  // Not in one transaction, because other writers would wait for the server that delivers it.
  const reservation = await reserveSend(call, domain, user, factor)
  try {
    await (call.http ? call.http.outside(deliver) : deliver())
  } catch (error) {
    await releaseSend(call, reservation)
    throw sendingProblem(call, factor, error)
  }
  await storeSentCode(call, { domain, user, factor, code })
}

function factorOf(type: contract.DeliverableType): SentFactor {
  const factor = sentFactors.find((candidate) => deliverableType(candidate) === type)
  if (!factor) throw new RangeError('deliverableOTPType: no such factor')
  return factor
}

/** The server that delivers fails, and not this service. Version 1.3 has no error code for that. */
function sendingProblem({ version }: Call, factor: SentFactor, cause: unknown): ApiProblem {
  const code = version === '1.3' ? 'api.error.unavailable' : sendingErrors[factor].failed
  return new ApiProblem(code, undefined, { headers: { 'Retry-After': '10' }, cause })
}
