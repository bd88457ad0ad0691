import type { Factor } from '../../contract/users.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { looksLikeBypassCode } from '../rules/bypass-code.ts'
import { useBypassCode } from '../store/bypass-codes.ts'
import type { DomainRow } from '../store/domains.ts'
import type { Queryable } from '../store/schema.ts'
import type { UserRow } from '../store/users.ts'
import { checkEmailCode, countWrong } from './email-code.ts'
import { checkTimedCode } from './timed-code.ts'

type Context = Pick<ServiceContext, 'clock' | 'secrets'>

/** A code and who gave it; blanks are out of it. */
export interface GivenCode {
  readonly user: UserRow
  readonly domain: DomainRow
  readonly otp?: string | undefined
  /** Goes before `otp`. */
  readonly bypasscode?: string | undefined
  /** What the code is found by, where it is a bypass code. */
  readonly bypassLookups: readonly string[]
}

/**
 * The one place where a code is checked, and used up where it is right. In the transaction of whatever depends on it.
 * @returns what the code belongs to; nothing for a wrong one, whatever is wrong with it.
 */
export async function checkCode(ctx: Context, db: Queryable, given: GivenCode): Promise<RightCode | undefined> {
  return meantFactor(given) === 'bypass' ? checkBypassCode(ctx, db, given) : checkOtp(ctx, db, given)
}

export interface RightCode {
  readonly factor: Factor
  /** What made the code, or the bypass code itself; null for e-mail. */
  readonly factorId: string | null
}

/** What the caller seems to mean, from the form of the code alone. */
export function meantFactor({ otp, bypasscode }: Pick<GivenCode, 'otp' | 'bypasscode'>): 'bypass' | 'otp' {
  return bypasscode !== undefined || looksLikeBypassCode(otp ?? '') ? 'bypass' : 'otp'
}

async function checkBypassCode(ctx: Context, db: Queryable, given: GivenCode): Promise<RightCode | undefined> {
  const { user, domain, bypassLookups: codeLookups } = given
  if (domain.bypassEnabled !== 1 || codeLookups.length === 0) return undefined
  const factorId = await useBypassCode(db, { userId: user.id, codeLookups }, ctx.clock.now())
  return factorId === undefined ? undefined : { factor: 'bypass', factorId }
}

/** All that could have made the code are asked, so that a wrong one takes as long whatever the user has. */
async function checkOtp(
  ctx: Context,
  db: Queryable,
  { user, domain, otp = '' }: GivenCode,
): Promise<RightCode | undefined> {
  const of = { userId: user.id, domain, code: otp }
  const generatorId = await checkTimedCode(ctx, db, of)
  if (generatorId !== undefined) return { factor: 'otp', factorId: generatorId }
  if (await checkEmailCode(ctx, db, of)) return { factor: 'email', factorId: null }
  await countWrong(db, of)
  return undefined
}
