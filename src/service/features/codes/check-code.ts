import type { Factor } from '../../../contract/factor.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { importedLookups } from '../bypass-codes/forms.ts'
import { looksLikeBypassCode } from '../bypass-codes/rules.ts'
import { usableBypassCode, useBypassCode, useHandedOverCode } from '../bypass-codes/statements.ts'
import type { DomainRow } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { UserRow } from '../users/statements.ts'
import { checkGeneratedCode } from './generated-code.ts'
import { checkSentCode, countWrong } from './sent-code.ts'

type Context = Pick<ServiceContext, 'clock' | 'secrets'>

/** A code, without blanks, and the user who entered it. */
export interface GivenCode {
  readonly user: UserRow
  readonly domain: DomainRow
  readonly otp?: string | undefined
  /** Takes precedence over `otp`. */
  readonly bypasscode?: string | undefined
  /** How a bypass code is looked up; empty for other codes. */
  readonly bypassLookups: readonly string[]
  /** Whether a passkey is needed, which only a bypass code replaces that was handed over in person. */
  readonly passkeyNeeded: boolean
}

/**
 * The only place where codes are checked and used up, in the transaction of the change that depends on it.
 * @returns what the code belongs to; undefined for any wrong code.
 */
export async function checkCode(ctx: Context, db: Queryable, request: GivenCode): Promise<RightCode | undefined> {
  return meantFactor(request) === 'bypass' ? checkBypassCode(ctx, db, request) : checkOtp(ctx, db, request)
}

export interface RightCode {
  readonly factor: Factor
  /** The id of the generator or bypass code; null for a sent code. */
  readonly factorId: string | null
}

/** The factor that the form of the code suggests. */
export function meantFactor({ otp, bypasscode }: Pick<GivenCode, 'otp' | 'bypasscode'>): 'bypass' | 'otp' {
  return bypasscode !== undefined || looksLikeBypassCode(otp ?? '') ? 'bypass' : 'otp'
}

async function checkBypassCode(ctx: Context, db: Queryable, request: GivenCode): Promise<RightCode | undefined> {
  const { user, domain, passkeyNeeded } = request
  const codeLookups = [...request.bypassLookups, ...lookupsIfImported(ctx, request)]
  if (domain.bypassEnabled !== 1 || codeLookups.length === 0) return undefined
  const use = passkeyNeeded ? useHandedOverCode : useBypassCode
  const factorId = await use(db, { userId: user.id, codeLookups }, ctx.clock.now())
  return factorId === undefined ? undefined : { factor: 'bypass', factorId }
}

/**
 * The code may be one that another system made, which can look like a code of any kind. That is tried for users who have such codes:
 * for the others it would make each wrong code cost a third more.
 */
function lookupsIfImported(ctx: Context, { user, bypasscode, otp = '' }: GivenCode): readonly string[] {
  return user.importedCodes === 1 ? importedLookups(ctx, user.id, bypasscode ?? otp) : []
}

/** Whether a bypass code that was refused is right, and only does not replace a missing passkey. */
export async function isNotHandedOver(ctx: Context, db: Queryable, request: GivenCode): Promise<boolean> {
  const { user, domain, bypassLookups: codeLookups, passkeyNeeded } = request
  if (!passkeyNeeded || domain.bypassEnabled !== 1 || codeLookups.length === 0) return false
  return (await usableBypassCode(db, { userId: user.id, codeLookups }, ctx.clock.now())) !== undefined
}

/** Checks every possible source, so that a wrong code takes equally long whichever of them the user has. */
async function checkOtp(ctx: Context, db: Queryable, request: GivenCode): Promise<RightCode | undefined> {
  const { user, domain, otp = '' } = request
  const codeEntry = { userId: user.id, domain, code: otp }
  const generatorId = await checkGeneratedCode(ctx, db, codeEntry)
  if (generatorId !== undefined) return { factor: 'otp', factorId: generatorId }
  const sentFactor = await checkSentCode(ctx, db, codeEntry)
  if (sentFactor) return { factor: sentFactor, factorId: null }
  const recovery = user.importedCodes === 1 ? await checkBypassCode(ctx, db, request) : undefined
  if (!recovery) await countWrong(db, codeEntry)
  return recovery
}
