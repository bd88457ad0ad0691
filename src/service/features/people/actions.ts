import type { Because } from '../../../admin-contract/because.ts'
import type * as contract from '../../../admin-contract/people.ts'
import { endSessionsInTransaction } from './end-sessions.ts'
import { resetUser } from './reset.ts'
import { unlockUser } from './unlock.ts'
import * as bypassCodes from '../bypass-codes/operations.ts'
import * as hardware from '../hardware/operations.ts'
import * as passkeys from '../passkeys/operations.ts'
import * as tokens from '../devices/tokens.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import { belongings } from '../users/belongings.ts'
import { hardwareTokenBySerial } from './person-statements.ts'
import type { ChangeHandler } from '../administrators/change.ts'
import { showPerson } from './console.ts'

/** Each audit entry that the action causes contains the reason. */
const reasoned = (call: Call, because: Because): Call => ({ ...call, because })

export const unlock: ChangeHandler<typeof contract.unlockPerson> = async ({ userId, because }, call, change) => {
  await change((inside) => unlockEverywhere(reasoned(inside, because), userId))
  return showPerson(call, userId)
}

export const endSessions: ChangeHandler<typeof contract.endPersonSessions> = ({ userId, because }, _call, change) =>
  change((inside) => {
    const user = { organizationId: inside.organizationId, userId }
    return endSessionsInTransaction(inside.store.db, reasoned(inside, because), user)
  })

export const reset: ChangeHandler<typeof contract.resetPerson> = async ({ userId, because }, call, change) => {
  const user = { organizationId: call.organizationId, userId }
  await change((inside) => resetUser(reasoned(inside, because), user))
  return showPerson(call, userId)
}

export const issueToken: ChangeHandler<typeof contract.issuePersonToken> = (input, _call, change) => {
  const { userId, domainId, because } = input
  return change((inside) => tokens.issue({ userId, domainId }, reasoned(inside, because)))
}

export const revokeToken: ChangeHandler<typeof contract.revokePersonToken> = async (input, call, change) => {
  const { userId, domainId, because } = input
  await change((inside) => tokens.revoke({ userId, domainId }, reasoned(inside, because)))
  return showPerson(call, userId)
}

export const assignHardware: ChangeHandler<typeof contract.assignPersonHardware> = async (input, call, change) => {
  const { userId, serialNumber, because } = input
  await change(async (inside) => {
    const hardwareTokenId = await hardwareTokenBySerial(inside.store.db, inside.organizationId, serialNumber)
    if (hardwareTokenId === undefined) throw new ApiProblem('api.error.notfound.hardware')
    await hardware.assign({ userId, hardwareTokenId }, reasoned(inside, because))
  })
  return showPerson(call, userId)
}

export const releaseHardware: ChangeHandler<typeof contract.releasePersonHardware> = async (input, call, change) => {
  const { userId, because } = input
  await change((inside) => hardware.release({ userId }, reasoned(inside, because)))
  return showPerson(call, userId)
}

/** Codes that are locked would not accept the new one, so they are unlocked first. */
export const createBypassCode: ChangeHandler<typeof contract.createPersonBypassCode> = async (input, call, change) => {
  const { because, ...newCode } = input
  const drawnCode = await bypassCodes.draw(call, input.userId)
  return change(async (inside) => {
    const acting = reasoned(inside, because)
    await unlockEverywhere(acting, input.userId)
    return bypassCodes.createDrawn(newCode, acting, drawnCode)
  })
}

export const deleteBypassCodes: ChangeHandler<typeof contract.deletePersonBypassCodes> = async (
  { userId, because },
  call,
  change,
) => {
  await change((inside) => bypassCodes.removeAll({ userId }, reasoned(inside, because)))
  return showPerson(call, userId)
}

export const deletePasskey: ChangeHandler<typeof contract.deletePersonPasskey> = async (input, call, change) => {
  const { userId, passkeyId, because } = input
  await change(async (inside) => {
    // A passkey is valid in every domain, and a user without a domain has none.
    const [domainId] = await domainsOfPerson(inside, userId)
    if (domainId === undefined) throw new ApiProblem('api.error.notfound.passkey')
    await passkeys.remove({ userId, domainId, passkeyId }, reasoned(inside, because))
  })
  return showPerson(call, userId)
}

async function unlockEverywhere(call: Call, userId: string): Promise<void> {
  const { organizationId } = call
  await unlockUser(call, { organizationId, userId, domainIds: await domainsOfPerson(call, userId) })
}

async function domainsOfPerson({ store, clock }: Call, userId: string): Promise<readonly string[]> {
  return (await belongings(store.db, [userId], clock.now())).get(userId)?.domainIds ?? []
}
