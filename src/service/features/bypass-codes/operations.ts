import type { BypassCode } from '../../../contract/bypass-codes.ts'
import { maxBypassCodes } from '../../../contract/bypass-codes.ts'
import type * as contract from '../../../contract/bypass-codes.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { requirePass } from '../factors/change-pass.ts'
import { storedForm, readableForm } from './forms.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { enrollUser } from '../factors/enrollment.ts'
import { announceCall } from '../factors/announcements.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { bypassCodeExpiry, newBypassCode } from './rules.ts'
import { bypassCodeView } from './view.ts'
import { newId } from '../../engine/base/random.ts'
import {
  bypassCodeById,
  insertBypassCode,
  removeBypassCode,
  removeBypassCodesOfUser,
  removeUsedUpBypassCode,
} from './statements.ts'
import { bypassCodesOfUsers } from '../users/belongings.ts'
import type { BypassCodeRow } from './statements.ts'
import { noteCodes } from '../users/enrollment.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { bypassCodeText } from '../../engine/secrets/secrets.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { lockUser } from '../users/statements.ts'
import { findDomain } from '../domains/find.ts'
import { findUser } from '../users/find.ts'
import { lockMember } from '../users/lock-member.ts'

export const create: Handler<typeof contract.createBypassCode> = async (input, call) => {
  return createDrawn(input, call, await draw(call, input.userId))
}

/** @param newCode A code for this user, which was drawn before the transaction. */
export async function createDrawn(
  input: Input<typeof contract.createBypassCode>,
  call: Call,
  newCode: DrawnCode,
): Promise<BypassCode> {
  const insert = async (db: Queryable) => {
    // Locked, so that concurrent requests are counted one by one.
    if (!(await lockUser(db, call.organizationId, input.userId))) throw new ApiProblem('api.error.notfound.user')
    const currentCodes = await bypassCodesOfUsers(db, [input.userId], call.clock.now())
    const ownCount = currentCodes.filter(({ imported }) => imported === 0).length
    if (ownCount >= maxBypassCodes) throw new ApiProblem('api.error.limit.bypasscodes')
    const inserted = await insertNew(call, db, input, newCode)
    if (inserted) await announceCall(db, call, { kind: 'codes_made', userId: input.userId, handedOver: true })
    return inserted
  }
  const created = await answerOnce(call, { change: insert, answer: (row) => bypassCodeView(row, newCode.code) })
  // Once in a hundred million times the user already has exactly this code.
  return created ?? create(input, call)
}

export const replaceAll: Handler<typeof contract.replaceBypassCodes> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  const newCodes = await drawMany(call, input.userId, maxBypassCodes)
  const replace = async (db: Queryable) => {
    // Bypass codes are valid in the whole organization: one domain must not replace the codes of users of another domain.
    await lockMember(db, call, domain.id, input.userId)
    const change = { userId: input.userId, changed: 'codes', pass: input.pass, domainId: domain.id } as const
    const grant = await requirePass(db, call, change)
    const now = call.clock.now()
    const count = await removeBypassCodesOfUser(db, {
      userId: input.userId,
      exceptId: grant.factorId,
      now,
      epoch: input.epoch,
    })
    if (count > 0) await auditCall(db, call, 'bypass.all_deleted', { user: input.userId, count })
    const views: BypassCode[] = []
    for (const newCode of newCodes) {
      const row = await insertNew(call, db, input, newCode)
      if (row) views.push(bypassCodeView(row, newCode.code))
    }
    await announceCall(db, call, {
      kind: 'codes_made',
      userId: input.userId,
      domainId: domain.id,
      pass: input.pass,
    })
    return views
  }
  return answerOnce(call, { change: replace, answer: (views) => views })
}

export const list: Handler<typeof contract.listBypassCodes> = async (input, call) => {
  const user = await findUser(call, input.userId)
  const rows = await bypassCodesOfUsers(call.store.db, [user.id], call.clock.now())
  return rows.map((row) => show(call, row))
}

export const get: Handler<typeof contract.getBypassCode> = async (input, call) => {
  return show(call, await load(call, input.bypassCodeId))
}

export const removeAll: Handler<typeof contract.deleteBypassCodes> = async (input, call) => {
  const user = await findUser(call, input.userId)
  await inTransaction(call.store.db, async (db) => {
    const count = await removeBypassCodesOfUser(db, { userId: user.id, now: call.clock.now() })
    if (count === 0) return
    await auditCall(db, call, 'bypass.all_deleted', { user: user.id, count })
    await announceCall(db, call, { kind: 'codes_removed', userId: user.id })
  })
}

export const remove: Handler<typeof contract.deleteBypassCode> = async (input, call) => {
  // A used-up code reads as not found. Deleting it still ends the pass that it granted.
  await removeUsedUpBypassCode(call.store.db, call.organizationId, input.bypassCodeId)
  const row = await load(call, input.bypassCodeId)
  await call.store.db.transaction().execute(async (db) => {
    const removed = await removeBypassCode(db, row.id)
    if (!removed) return
    await auditCall(db, call, 'bypass.deleted', { bypass: row.id, user: row.userId })
    await announceCall(db, call, { kind: 'codes_removed', userId: row.userId })
  })
}

async function insertNew(
  call: Call,
  db: Queryable,
  input: Input<typeof contract.createBypassCode>,
  { storedCode }: DrawnCode,
): Promise<BypassCodeRow | undefined> {
  const now = call.clock.now()
  const id = newId(call.random)
  const row = await insertBypassCode(db, {
    id,
    userId: input.userId,
    code: call.secrets.seal(storedCode, { kind: 'bypass code', id, userId: input.userId }),
    codeLookup: call.secrets.lookup(bypassCodeText(input.userId, storedCode)),
    usesAllowed: input.usesAllowed,
    usesRemaining: input.usesAllowed,
    expiresAt: bypassCodeExpiry(now, input.expirationTime),
    createdAt: now,
  })
  if (!row) return undefined
  // A bypass code is a factor: from now on the password alone is not enough to enroll one.
  await enrollUser(db, call, { userId: input.userId }, call)
  await noteCodes(db, input.userId)
  const facts = { bypass: id, user: input.userId, uses: row.usesAllowed, until: row.expiresAt }
  await auditCall(db, call, 'bypass.created', facts)
  return row
}

interface DrawnCode {
  readonly code: string
  readonly storedCode: string
}

/** Runs before the transaction, because hashing takes time. */
export async function draw(call: Call, userId: string): Promise<DrawnCode> {
  const code = newBypassCode(call.random)
  return { code, storedCode: await storedForm(call, userId, code) }
}

/** Draws codes that differ from each other. */
async function drawMany(call: Call, userId: string, count: number): Promise<readonly DrawnCode[]> {
  const byCode = new Map<string, DrawnCode>()
  while (byCode.size < count) {
    const newCode = await draw(call, userId)
    byCode.set(newCode.code, newCode)
  }
  return [...byCode.values()]
}

async function load(call: Call, id: string): Promise<BypassCodeRow> {
  const row = await bypassCodeById(call.store.db, call.organizationId, id, call.clock.now())
  if (!row) throw new ApiProblem('api.error.notfound.bypasscode')
  return row
}

const show = (call: Call, row: BypassCodeRow): BypassCode =>
  bypassCodeView(
    row,
    readableForm(call.secrets.open(row.code, { kind: 'bypass code', id: row.id, userId: row.userId })),
  )
