import type { ImportedFactors } from '../../../contract/imported-factors.ts'
import type * as contract from '../../../contract/sessions.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { importedLookups } from '../bypass-codes/forms.ts'
import { formsOfTyped, importedForm } from '../bypass-codes/imported.ts'
import { useBypassCode } from '../bypass-codes/statements.ts'
import { checkCode } from '../codes/check-code.ts'
import type { GivenCode, RightCode } from '../codes/check-code.ts'
import { useStep } from '../codes/statements.ts'
import { judgeWithin } from '../codes/totp.ts'
import { rejectWhileCodeIsIssued } from '../factors/enrollment.ts'
import { createSession } from '../sessions/create.ts'
import type { UserRow } from '../users/statements.ts'
import { storeImported } from './store.ts'

/**
 * The first sign-in of a user who brings an app from another system. Budget, session, audit and the known browser are those of every
 * code: only the check is another one.
 */
export const signIn: Handler<typeof contract.importSession> = ({ factors, ...input }, call) =>
  createSession(call, { ...input, ...signInOnly }, (_call, db, request) => checkImported(call, db, request, factors))

/** For another purpose, a code may replace a passkey: one that an administrator has handed over, which none of these is. */
const signInOnly = { passkey: undefined, purpose: undefined } as const

/** In the transaction that has locked the user: of two requests at once, the second one finds what the first one has stored. */
async function checkImported(
  call: Call,
  db: Queryable,
  request: GivenCode,
  factors: ImportedFactors,
): Promise<RightCode | undefined> {
  const { user, domain } = request
  // From now on, the codes are those of any other factor: one that was used is wrong.
  if (wasImported(user)) return checkCode(call, db, request)
  if (user.everEnrolled === 1) throw new ApiProblem('api.error.conflict.enrolled')
  if (user.importState !== 'open') throw new ApiProblem('api.error.conflict.state')
  await rejectWhileCodeIsIssued(db, call, domain.id, user.id)
  return (await checkApp(call, db, request, factors)) ?? checkRecoveryCode(call, db, request, factors)
}

const wasImported = ({ everEnrolled, importState }: UserRow): boolean => everEnrolled === 1 && importState === 'closed'

/** Stores the factors if their app shows the code now. Phones have no drift: see `CodeSource`. */
async function checkApp(
  call: Call,
  db: Queryable,
  { user, domain, otp, bypasscode }: GivenCode,
  factors: ImportedFactors,
): Promise<RightCode | undefined> {
  if (otp === undefined || bypasscode !== undefined) return undefined
  const verdict = judgeWithin('near', { ...factors.app, ...unused }, otp, call.clock.now())
  if (verdict.outcome !== 'accepted') return undefined
  const factorId = await store(call, db, { user, domain }, factors)
  await useStep(db, factorId, verdict)
  return { factor: 'otp', factorId }
}

const unused = { lastStep: -1, drift: 0, seenStep: null, seenAt: null, resynchronizes: false } as const

/** Stores the factors if the code is one of their recovery codes, which is used up then. */
async function checkRecoveryCode(
  call: Call,
  db: Queryable,
  { user, domain, otp, bypasscode }: GivenCode,
  factors: ImportedFactors,
): Promise<RightCode | undefined> {
  const typed = bypasscode ?? otp ?? ''
  const stored = new Set(factors.recovery?.map((code) => importedForm(code)))
  if (domain.bypassEnabled !== 1 || !formsOfTyped(typed).some((form) => stored.has(form))) return undefined
  await store(call, db, { user, domain }, factors)
  const using = { userId: user.id, codeLookups: importedLookups(call, user.id, typed) }
  const factorId = await useBypassCode(db, using, call.clock.now())
  return factorId === undefined ? undefined : { factor: 'bypass', factorId }
}

async function store(
  call: Call,
  db: Queryable,
  { user, domain }: Pick<GivenCode, 'user' | 'domain'>,
  factors: ImportedFactors,
): Promise<string> {
  const place = { organizationId: call.organizationId, domainId: domain.id }
  const id = (await storeImported(db, call, place, [{ ...factors, userId: user.id }])).get(user.id)
  if (id === undefined) throw new ApiProblem('api.error.conflict.enrolled')
  return id
}
