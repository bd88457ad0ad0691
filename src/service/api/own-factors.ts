import type * as contract from '../../contract/tokens.ts'
import { auditCall, auditRevoked } from '../audit/audit.ts'
import type { Call, Handler } from '../http/route.ts'
import { ApiProblem } from '../problem.ts'
import { hardwareTokenOfUser, releaseHardwareTokens } from '../store/hardware.ts'
import type { Queryable } from '../store/schema.ts'
import { noneRevoked, revokeTokens, tokenOf } from '../store/tokens.ts'
import type { Revoked } from '../store/tokens.ts'
import { findDomain, lockMember } from './find.ts'
import { notifyRevoked } from './notify.ts'

/** Both given up at the same moment would leave none: of those, one is first. */
export const giveUp: Handler<typeof contract.giveUpFactor> = async ({ what, domainId, userId }, call) => {
  const domain = await findDomain(call, domainId)
  const ended = await call.store.db.transaction().execute(async (db) => {
    const user = await lockMember(db, call, domain.id, userId)
    const token = await tokenOf(db, domain.id, user.id)
    const has = { device: token?.state === 'active', hardware: (await hardwareTokenOfUser(db, user.id)) !== undefined }
    if (!has[what]) throw new ApiProblem(missing[what])
    if (!has.device || !has.hardware) throw new ApiProblem('api.error.conflict.state')
    return removers[what](db, call, { domainId: domain.id, userId: user.id })
  })
  notifyRevoked(call, ended)
}

const missing = { device: 'api.error.notfound.token', hardware: 'api.error.notfound.hardware' } as const

type Remove = (db: Queryable, call: Call, of: { domainId: string; userId: string }) => Promise<Revoked>

const removers: Readonly<Record<'device' | 'hardware', Remove>> = {
  async device(db, call, { domainId, userId }) {
    const ended = await revokeTokens(db, { userIds: [userId], domainId }, call.clock.now())
    await auditRevoked(db, call, ended, call)
    return ended
  },
  async hardware(db, call, { userId }) {
    await releaseHardwareTokens(db, [userId])
    await auditCall(db, call, 'hardware.released', { user: userId })
    return noneRevoked
  },
}
