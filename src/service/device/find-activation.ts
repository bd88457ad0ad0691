import type { ServiceContext } from '../context.ts'
import { activationOf } from '../store/activations.ts'
import type { Activation } from '../store/activations.ts'
import type { Queryable } from '../store/schema.ts'
import { activationCodeText } from '../store/secrets.ts'

/** What an activation code leads to. */
export async function findActivation(
  { secrets, clock }: Pick<ServiceContext, 'secrets' | 'clock'>,
  db: Queryable,
  code: string,
): Promise<Activation | undefined> {
  const found = await activationOf(db, secrets.lookups(activationCodeText(code)), clock.now())
  if (!found?.sealedCode) return undefined
  // Who can write to the database could move a lookup to another user's token; the sealed code it cannot move.
  const meant = secrets.open(found.sealedCode, { kind: 'activation code', id: found.tokenId })
  return meant === code ? found : undefined
}
