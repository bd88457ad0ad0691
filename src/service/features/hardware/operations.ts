import { parametersOf } from '../../../contract/hardware.ts'
import type * as contract from '../../../contract/hardware.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { requirePass } from '../factors/change-pass.ts'
import { readPage } from '../../engine/http/paging.ts'
import { enrollUser, rejectWhileCodeIsIssued } from '../factors/enrollment.ts'
import { announceCall } from '../factors/announcements.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { appAlias, appSerialNumber, defaultAlias, removalKind } from './rules.ts'
import { hardwareView } from './view.ts'
import { newId } from '../../engine/base/random.ts'
import { judgeCode } from '../codes/totp.ts'
import { useStep } from '../codes/statements.ts'
import {
  giveHardwareToken,
  hardwareTokenById,
  insertHardwareToken,
  listHardwareTokens,
  releaseHardwareTokens,
  removeHardwareToken,
  renameHardwareToken,
} from './statements.ts'
import { hardwareTokenOfUser } from '../factors/possessions.ts'
import type { HardwareTokenRow } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { lockUser } from '../users/statements.ts'
import { findDomain } from '../domains/find.ts'
import { findUser } from '../users/find.ts'
import { lockMember } from '../users/lock-member.ts'

export const create: Handler<typeof contract.createHardwareToken> = async (input, call) => {
  const id = newId(call.random)
  const row = {
    id,
    organizationId: call.organizationId,
    alias: input.alias ?? defaultAlias(id),
    serialNumber: input.serialNumber,
    seed: call.secrets.seal(input.seed.toLowerCase(), { kind: 'seed', id, userId: null }),
    ...parametersOf(input),
    createdAt: call.clock.now(),
  }
  const insert = async (db: Queryable) => {
    if (!(await insertHardwareToken(db, row))) return undefined
    await auditCall(db, call, 'hardware.created', { hardware: id })
    return id
  }
  const created = await answerOnce(call, { change: insert, answer: viewOf })
  if (!created) throw new ApiProblem('api.error.conflict.serialnumber')
  return created
}

export const list: Handler<typeof contract.listHardwareTokens> = (input, call) =>
  readPage(call, input, {
    rows: (page) => listHardwareTokens(call.store.db, call.organizationId, page),
    show: (rows) => rows.map((row) => hardwareView(row)),
  })

export const get: Handler<typeof contract.getHardwareToken> = async (input, call) => {
  return hardwareView(await load(call, input.hardwareTokenId))
}

export const update: Handler<typeof contract.updateHardwareToken> = async (input, call) => {
  const token = await load(call, input.hardwareTokenId)
  const { alias } = input
  if (alias === undefined) return hardwareView(token)
  await call.store.db.transaction().execute(async (db) => {
    await renameHardwareToken(db, token.id, alias)
    await auditCall(db, call, 'hardware.renamed', { hardware: token.id })
  })
  return hardwareView(await load(call, token.id))
}

export const remove: Handler<typeof contract.deleteHardwareToken> = async (input, call) => {
  const id = input.hardwareTokenId
  const removed = await call.store.db.transaction().execute(async (db) => {
    const token = await hardwareTokenById(db, call.organizationId, id)
    const done = await removeHardwareToken(db, call.organizationId, id)
    if (done) await auditCall(db, call, 'hardware.deleted', { hardware: id })
    if (done && token?.userId) await announceCall(db, call, { kind: removalKind(token), userId: token.userId })
    return done
  })
  if (!removed) throw notFound()
}

export const assign: Handler<typeof contract.assignHardwareToken> = async ({ userId, hardwareTokenId }, call) => {
  await inTransaction(call.store.db, async (db) => {
    if (!(await lockUser(db, call.organizationId, userId))) throw new ApiProblem('api.error.notfound.user')
    const token = await hardwareTokenById(db, call.organizationId, hardwareTokenId)
    if (!token) throw notFound()
    if (token.userId === userId) return
    const another = await hardwareTokenOfUser(db, userId)
    if (another || !(await giveHardwareToken(db, call.secrets, { id: token.id, userId })))
      throw new ApiProblem('api.error.conflict.hardware')
    await enrollUser(db, call, { userId }, call)
    await auditCall(db, call, 'hardware.assigned', { hardware: token.id, user: userId })
    await announceCall(db, call, { kind: 'hardware_added', userId })
  })
}

export const enroll: Handler<typeof contract.enrollHardwareToken> = async (input, call) => {
  if (call.role === 'auth' && !input.first) throw new ApiProblem('api.error.forbidden')
  const domain = await findDomain(call, input.domainId)
  const id = newId(call.random)
  const insert = async (db: Queryable) => {
    // An authenticator app is valid in the whole organization: one domain must not add one for users of another domain.
    const user = await lockMember(db, call, domain.id, input.userId)
    if (input.first) await rejectWhileCodeIsIssued(db, call, domain.id, user.id)
    const change = { userId: user.id, changed: 'app', pass: input.pass, domainId: domain.id } as const
    if (!input.first) await requirePass(db, call, change)
    const { seed, step } = readApp(call, input)
    const first = { userId: user.id, first: input.first }
    if (!(await enrollUser(db, call, first, call))) throw new ApiProblem('api.error.conflict.enrolled')
    await makeRoom(db, call, user.id, input)
    await insertHardwareToken(db, {
      id,
      organizationId: call.organizationId,
      alias: input.alias ?? appAlias,
      serialNumber: appSerialNumber(id),
      userId: user.id,
      selfEnrolled: 1,
      seed: call.secrets.seal(seed, { kind: 'seed', id, userId: user.id }),
      ...parametersOf(input),
      createdAt: call.clock.now(),
    })
    await useStep(db, id, step)
    await auditCall(db, call, 'hardware.enrolled', { hardware: id, domain: domain.id, user: user.id })
    const kind = input.replaces === undefined ? 'app_added' : 'app_replaced'
    await announceCall(db, call, { kind, userId: user.id, domainId: domain.id, pass: input.pass })
    return id
  }
  return answerOnce(call, { change: insert, answer: viewOf })
}

export const getOfUser: Handler<typeof contract.getHardwareTokenOfUser> = async (input, call) => {
  const user = await findUser(call, input.userId)
  const token = await hardwareTokenOfUser(call.store.db, user.id)
  if (!token) throw notFound()
  return hardwareView(token)
}

export const release: Handler<typeof contract.releaseHardwareToken> = async (input, call) => {
  const user = await findUser(call, input.userId)
  const released = await inTransaction(call.store.db, async (db) => {
    const kind = removalKind(await hardwareTokenOfUser(db, user.id))
    const done = await releaseHardwareTokens(db, call.secrets, [user.id])
    if (done) await auditCall(db, call, 'hardware.released', { user: user.id })
    if (done) await announceCall(db, call, { kind, userId: user.id })
    return done
  })
  if (!released) throw notFound()
}

/** The app's seed, and the step of its first code. */
function readApp(call: Call, input: Input<typeof contract.enrollHardwareToken>) {
  const source = { seed: input.seed.toLowerCase(), ...parametersOf(input), ...unused }
  const verdict = judgeCode(source, input.otp, call.clock.now())
  if (verdict.outcome !== 'accepted')
    throw new ApiProblem('api.error.invalid.otp', 'otp: does not match the current code.')
  return { seed: source.seed, step: verdict }
}

const unused = { lastStep: -1, drift: 0, seenStep: null, seenAt: null, resynchronizes: false } as const

/** If several requests replace the same token at once, one of them wins. The others name a token that no longer exists. */
async function makeRoom(
  db: Queryable,
  call: Call,
  userId: string,
  { replaces, epoch }: Pick<Input<typeof contract.enrollHardwareToken>, 'replaces' | 'epoch'>,
): Promise<void> {
  const token = await hardwareTokenOfUser(db, userId)
  if (token?.id !== replaces) throw new ApiProblem('api.error.conflict.hardware')
  if (!token) return
  await releaseHardwareTokens(db, call.secrets, [userId], epoch)
  await auditCall(db, call, 'hardware.released', { user: userId })
}

const viewOf = async (id: string, call: Call) => hardwareView(await load(call, id))

async function load(call: Call, id: string): Promise<HardwareTokenRow> {
  const token = await hardwareTokenById(call.store.db, call.organizationId, id)
  if (!token) throw notFound()
  return token
}

const notFound = () => new ApiProblem('api.error.notfound.hardware')
