import type { ServiceContext } from '../context.ts'

type Context = Pick<ServiceContext, 'secrets'>

/** What finds a bypass code among those of its user. With the user in it, nobody sees that two have the same code. */
export const bypassCodeLookup = ({ secrets }: Context, userId: string, code: string): string =>
  secrets.lookup(`bypass:${userId}:${code}`)

/** What tells whether a code is the one that was e-mailed to a user for a domain. */
export const emailCodeLookup = (
  { secrets }: Context,
  { domainId, userId }: { domainId: string; userId: string },
  code: string,
): string => secrets.lookup(`email:${domainId}:${userId}:${code}`)
