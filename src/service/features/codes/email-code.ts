import type { ServiceContext } from '../../engine/context/service-context.ts'
import { maxWrongTries } from '../email-codes/rules.ts'
import { sends } from '../users/reach.ts'
import type { DomainRow } from '../domains/statements.ts'
import { countWrongEmailCode, useEmailCode } from '../email-codes/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { emailCodeText } from '../../engine/secrets/secrets.ts'

type Context = Pick<ServiceContext, 'clock' | 'secrets'>

interface EmailCodeInput {
  readonly userId: string
  readonly domain: DomainRow
  readonly code: string
}

/** Whether it is the newest code that was sent to the user for this domain. Uses it up. */
export async function checkEmailCode(
  ctx: Context,
  db: Queryable,
  { userId, domain, code }: EmailCodeInput,
): Promise<boolean> {
  if (!sends('email', domain)) return false
  const member = { domainId: domain.id, userId }
  return useEmailCode(db, { ...member, codeLookups: ctx.secrets.lookups(emailCodeText(member, code)) }, ctx.clock.now())
}

/** A wrong code counts against the e-mailed one, whichever factor was meant. */
export function countWrong(db: Queryable, { userId, domain }: EmailCodeInput): Promise<void> {
  return countWrongEmailCode(db, { domainId: domain.id, userId }, maxWrongTries)
}
