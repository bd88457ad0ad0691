import { sentFactors } from '../../../contract/factor-descriptions.ts'
import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { maxWrongTries } from '../sent-codes/rules.ts'
import { sends } from '../users/reach.ts'
import type { DomainRow } from '../domains/statements.ts'
import { countWrongSentCode, useSentCode } from '../sent-codes/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { sentCodeText } from '../../engine/secrets/secrets.ts'

type Context = Pick<ServiceContext, 'clock' | 'secrets'>

interface SentCodeInput {
  readonly userId: string
  readonly domain: DomainRow
  readonly code: string
}

/** Uses up the newest code that was sent to the user for this domain. @returns its factor; undefined where it is another code. */
export async function checkSentCode(
  ctx: Context,
  db: Queryable,
  { userId, domain, code }: SentCodeInput,
): Promise<SentFactor | undefined> {
  const member = { domainId: domain.id, userId }
  const lookups = sentFactors
    .filter((factor) => sends(factor, domain))
    .flatMap((factor) => ctx.secrets.lookups(sentCodeText(factor, member, code)).map((lookup) => ({ factor, lookup })))
  if (lookups.length === 0) return undefined
  const codeLookups = lookups.map(({ lookup }) => lookup)
  const used = await useSentCode(db, { ...member, codeLookups }, ctx.clock.now())
  return lookups.find(({ lookup }) => lookup === used)?.factor
}

/** A wrong code counts against the sent one, whichever factor was meant. */
export function countWrong(db: Queryable, { userId, domain }: SentCodeInput): Promise<void> {
  return countWrongSentCode(db, { domainId: domain.id, userId }, maxWrongTries)
}
