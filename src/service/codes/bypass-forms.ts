import { scrypt } from 'node:crypto'

import type { ServiceContext } from '../context/service-context.ts'
import { isHashedCode, looksLikeBypassCode } from '../rules/bypass-code.ts'
import { bypassCodeText } from '../sealing/secrets.ts'

type Context = Pick<ServiceContext, 'secrets' | 'bypassCodes'>

/** OWASP's password storage cheat sheet; about 60 ms. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }

/** What is kept of a bypass code: itself, as the interface returns it, or a hash where it is shown only once. */
export async function keptForm({ bypassCodes }: Context, userId: string, code: string): Promise<string> {
  return bypassCodes === 'once' ? hashOf(userId, code) : code
}

/** @returns nothing where only a hash is kept. */
export const shownForm = (kept: string): string | undefined => (isHashedCode(kept) ? undefined : kept)

/**
 * All lookups under which a code that was given may be kept. Takes its time where codes are hashed: not to be waited for
 * in a transaction.
 */
export async function bypassLookups(ctx: Context, userId: string, code: string): Promise<string[]> {
  if (!looksLikeBypassCode(code)) return []
  const forms = ctx.bypassCodes === 'once' ? [code, await hashOf(userId, code)] : [code]
  return forms.flatMap((form) => ctx.secrets.lookups(bypassCodeText(userId, form)))
}

/** The user is its salt: ids are random, and nobody has the same code twice at a time. */
async function hashOf(userId: string, code: string): Promise<string> {
  const hash = await new Promise<Buffer>((resolve, reject) => {
    scrypt(code, `bypass:${userId}`, 32, cost, (error, key) => (error ? reject(error) : resolve(key)))
  })
  return `scrypt:${hash.toString('base64url')}`
}
