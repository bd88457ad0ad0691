import type * as contract from '../../../contract/passkeys.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { requirePass } from '../factors/change-pass.ts'
import { announceCall } from '../factors/announcements.ts'
import { requireAnotherFactor } from '../factors/last-factor.ts'
import { lockMember } from '../users/lock-member.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { removePasskey, renamePasskey } from './statements.ts'
import { passkeyOfUser, passkeysOfUser } from '../factors/possessions.ts'
import type { PasskeyRow } from '../factors/possessions.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { passkeyView } from './view.ts'
import { findDomain, findMember } from '../domains/find.ts'

export const list: Handler<typeof contract.listPasskeys> = async (input, call) => {
  const { user } = await findMember(call, input.domainId, { id: input.userId })
  const all = await passkeysOfUser(call.store.db, user.id)
  return all.filter(({ rpId }) => rpId === (input.rpId ?? rpId)).map((row) => passkeyView(row))
}

export const rename: Handler<typeof contract.renamePasskey> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const passkeyKey = { id: input.passkeyId, userId: user.id }
  return call.store.db.transaction().execute(async (db) => {
    await load(db, passkeyKey)
    await renamePasskey(db, passkeyKey.id, input.name)
    await auditCall(db, call, 'passkey.renamed', { passkey: passkeyKey.id, domain: domain.id, user: user.id })
    return passkeyView(await load(db, passkeyKey))
  })
}

export const remove: Handler<typeof contract.deletePasskey> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  await inTransaction(call.store.db, async (db) => {
    const user = await lockMember(db, call, domain.id, input.userId)
    await drop(db, call, { id: input.passkeyId, userId: user.id, domainId: domain.id })
  })
}

export const giveUp: Handler<typeof contract.giveUpPasskey> = async (input, call) => {
  const { pass, epoch } = input
  const domain = await findDomain(call, input.domainId)
  await call.store.db.transaction().execute(async (db) => {
    const user = await lockMember(db, call, domain.id, input.userId)
    const { id, rpId } = await load(db, { id: input.passkeyId, userId: user.id })
    await requirePass(db, call, { userId: user.id, changed: 'passkey', pass, rpId, domainId: domain.id })
    await requireAnotherFactor(db, { domainId: domain.id, userId: user.id, rpId }, { passkey: id })
    await drop(db, call, { id, userId: user.id, domainId: domain.id, epoch, pass })
  })
}

interface Dropping {
  readonly id: string
  readonly userId: string
  readonly domainId: string
  /** The user's epoch after the change. */
  readonly epoch?: string | undefined
  /** The session with which the user has confirmed it. */
  readonly pass?: string | undefined
}

async function drop(db: Queryable, call: Call, { id, userId, domainId, epoch, pass }: Dropping): Promise<void> {
  if (!(await removePasskey(db, { id, userId }, epoch))) throw notFound()
  await auditCall(db, call, 'passkey.removed', { passkey: id, domain: domainId, user: userId })
  await announceCall(db, call, { kind: 'passkey_removed', userId, domainId, pass })
}

async function load(db: Queryable, passkeyKey: Pick<PasskeyRow, 'id' | 'userId'>): Promise<PasskeyRow> {
  const passkey = await passkeyOfUser(db, passkeyKey)
  if (!passkey) throw notFound()
  return passkey
}

const notFound = () => new ApiProblem('api.error.notfound.passkey')
