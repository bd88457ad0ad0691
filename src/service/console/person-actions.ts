import type { Because } from '../../contract/admin/because.ts'
import type * as contract from '../../contract/admin/people.ts'
import { resetUser } from '../admin/reset.ts'
import { unlockUser } from '../admin/unlock.ts'
import * as bypassCodes from '../api/bypass-codes.ts'
import * as hardware from '../api/hardware.ts'
import * as passkeys from '../api/passkeys.ts'
import * as tokens from '../api/tokens.ts'
import { auditCall } from '../audit/audit.ts'
import { ApiProblem } from '../ground/problem.ts'
import type { Call, Handler } from '../http/route.ts'
import { belongings } from '../store/belongings.ts'
import { endOtherSessions } from '../store/epochs.ts'
import { hardwareTokenBySerial } from '../store/people.ts'
import { showPerson } from './people.ts'

/** Each audit entry that the action causes contains the reason. */
const reasoned = (call: Call, because: Because): Call => ({ ...call, because })

export const unlock: Handler<typeof contract.unlockPerson> = async ({ userId, because }, call) => {
  await unlockEverywhere(reasoned(call, because), userId)
  return showPerson(call, userId)
}

export const endSessions: Handler<typeof contract.endPersonSessions> = async ({ userId, because }, call) => {
  await call.store.db.transaction().execute(async (db) => {
    await endOtherSessions(db, [userId])
    await auditCall(db, reasoned(call, because), 'user.sessions_ended', { user: userId })
  })
}

export const reset: Handler<typeof contract.resetPerson> = async ({ userId, because }, call) => {
  await resetUser(reasoned(call, because), { organizationId: call.organizationId, userId })
  return showPerson(call, userId)
}

export const issueToken: Handler<typeof contract.issuePersonToken> = ({ userId, domainId, because }, call) =>
  tokens.issue({ userId, domainId }, reasoned(call, because))

export const revokeToken: Handler<typeof contract.revokePersonToken> = async (input, call) => {
  const { userId, domainId, because } = input
  await tokens.revoke({ userId, domainId }, reasoned(call, because))
  return showPerson(call, userId)
}

export const assignHardware: Handler<typeof contract.assignPersonHardware> = async (input, call) => {
  const { userId, serialNumber, because } = input
  const hardwareTokenId = await hardwareTokenBySerial(call.store.db, call.organizationId, serialNumber)
  if (hardwareTokenId === undefined) throw new ApiProblem('api.error.notfound.hardware')
  await hardware.assign({ userId, hardwareTokenId }, reasoned(call, because))
  return showPerson(call, userId)
}

export const releaseHardware: Handler<typeof contract.releasePersonHardware> = async ({ userId, because }, call) => {
  await hardware.release({ userId }, reasoned(call, because))
  return showPerson(call, userId)
}

/** Codes that are locked would not accept the new one, so they are unlocked first. */
export const createBypassCode: Handler<typeof contract.createPersonBypassCode> = async (input, call) => {
  const { because, ...wanted } = input
  const acting = reasoned(call, because)
  const made = await bypassCodes.create(wanted, acting)
  await unlockEverywhere(acting, input.userId)
  return made
}

export const deleteBypassCodes: Handler<typeof contract.deletePersonBypassCodes> = async (input, call) => {
  await bypassCodes.removeAll({ userId: input.userId }, reasoned(call, input.because))
  return showPerson(call, input.userId)
}

export const deletePasskey: Handler<typeof contract.deletePersonPasskey> = async (input, call) => {
  const { userId, passkeyId, because } = input
  // A passkey is valid in every domain, and a user without a domain has none.
  const [domainId] = (await belongings(call.store.db, [userId], call.clock.now())).get(userId)?.domainIds ?? []
  if (domainId === undefined) throw new ApiProblem('api.error.notfound.passkey')
  await passkeys.remove({ userId, domainId, passkeyId }, reasoned(call, because))
  return showPerson(call, userId)
}

async function unlockEverywhere(call: Call, userId: string): Promise<void> {
  const { organizationId } = call
  const domainIds = (await belongings(call.store.db, [userId], call.clock.now())).get(userId)?.domainIds ?? []
  await unlockUser(call, { organizationId, userId, domainIds })
}
