import type { ServiceContext } from '../../engine/context/service-context.ts'
import { slowHashes } from '../../engine/base/slow-hashes.ts'
import { formsOfTyped } from './imported.ts'
import { isUnreadable, looksLikeBypassCode } from './rules.ts'
import { bypassCodeText } from '../../engine/secrets/secrets.ts'

type Context = Pick<ServiceContext, 'secrets' | 'bypassCodes'>

/** Cost from OWASP's password storage cheat sheet; about 60 ms. */
const cost = { N: 2 ** 15, r: 8, p: 1 }

/** The stored form of a bypass code: the code itself, which the interface returns, or a hash if it is shown only once. */
export async function storedForm({ bypassCodes }: Context, userId: string, code: string): Promise<string> {
  return bypassCodes === 'once' ? hashOf(userId, code) : code
}

/** @returns undefined for a code that is shown no more. */
export const readableForm = (storedCode: string): string | undefined =>
  isUnreadable(storedCode) ? undefined : storedCode

/** @throws {ApiProblem} if more codes wait to be hashed than may. Call it before a try is counted. */
export function requireRoomForCode({ bypassCodes }: Pick<Context, 'bypassCodes'>): void {
  if (bypassCodes === 'once') slowHashes.requireRoom('code')
}

/** All lookups under which the code may be stored. Hashing takes time, so do not wait for it in a transaction. */
export async function bypassLookups(ctx: Context, userId: string, code: string): Promise<string[]> {
  if (!looksLikeBypassCode(code)) return []
  const forms = ctx.bypassCodes === 'once' ? [code, await hashOf(userId, code)] : [code]
  return forms.flatMap((form) => ctx.secrets.lookups(bypassCodeText(userId, form)))
}

/** All lookups under which the code may be stored, if another system made it. */
export function importedLookups({ secrets }: Pick<Context, 'secrets'>, userId: string, code: string): string[] {
  return formsOfTyped(code).flatMap((form) => secrets.lookups(bypassCodeText(userId, form)))
}

/** The user id is the salt: ids are random, and a user never has the same code twice at a time. */
async function hashOf(userId: string, code: string): Promise<string> {
  slowHashes.requireRoom('code')
  const hash = await slowHashes.hash('code', { text: code, salt: `bypass:${userId}`, cost })
  return `scrypt:${hash.toString('base64url')}`
}
