import type * as contract from '../../../contract/tokens.ts'
import { auditCall, auditRevoked } from '../../engine/audit/audit.ts'
import { requirePass } from '../factors/change-pass.ts'
import { announceCall, announceRevoked } from '../factors/announcements.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { removalKind } from '../hardware/rules.ts'
import { releaseHardwareTokens } from '../hardware/statements.ts'
import { hardwareTokenOfUser } from '../factors/possessions.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { revokeTokens } from './token-statements.ts'
import { noneRevoked } from '../../engine/base/revoked.ts'
import type { Revoked } from '../../engine/base/revoked.ts'
import { findDomain } from '../domains/find.ts'
import { everydayFactors, requireAnotherFactor } from '../factors/last-factor.ts'
import { lockMember } from '../users/lock-member.ts'
import { notifyRevoked } from '../../engine/waiting/notify.ts'

/** If two factors were given up at the same moment, none would be left: locking lets only the first request succeed. */
export const giveUp: Handler<typeof contract.giveUpFactor> = async (input, call) => {
  const { what: factor, pass, domainId, userId, epoch, rpId } = input
  const domain = await findDomain(call, domainId)
  await call.store.db.transaction().execute(async (db) => {
    const user = await lockMember(db, call, domain.id, userId)
    await requirePass(db, call, { userId: user.id, changed: factor, pass, domainId: domain.id })
    const owner = { domainId: domain.id, userId: user.id, rpId }
    if (!(await everydayFactors(db, owner))[factor]) throw new ApiProblem(missing[factor])
    await requireAnotherFactor(db, owner, factor)
    notifyRevoked(db, call, await removers[factor](db, call, { domainId: domain.id, userId: user.id, epoch, pass }))
  })
}

const missing = { device: 'api.error.notfound.token', hardware: 'api.error.notfound.hardware' } as const

interface FactorOwner {
  readonly domainId: string
  readonly userId: string
  /** The user's epoch after the change. */
  readonly epoch: string | undefined
  readonly pass: string
}

type Remove = (db: Queryable, call: Call, owner: FactorOwner) => Promise<Revoked>

const removers: Readonly<Record<'device' | 'hardware', Remove>> = {
  async device(db, call, { domainId, userId, epoch, pass }) {
    const ended = await revokeTokens(db, { userIds: [userId], domainId, epoch }, call.clock.now())
    await auditRevoked(db, call, ended, call)
    await announceRevoked(db, call, ended, { ...call, pass })
    return ended
  },
  async hardware(db, call, { domainId, userId, epoch, pass }) {
    const kind = removalKind(await hardwareTokenOfUser(db, userId))
    await releaseHardwareTokens(db, call.secrets, [userId], epoch)
    await auditCall(db, call, 'hardware.released', { user: userId })
    await announceCall(db, call, { kind, userId, domainId, pass })
    return noneRevoked
  },
}
