import { audit } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Acting } from '../../engine/context/acting.ts'
import { defaultImage, imageFault, nameImage } from './image.ts'
import { imageOfDomain, removeImageOfDomain, setImageOfDomain, domainById } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { RefusalError } from '../../engine/base/errors.ts'

/** @param png Shown to users on their device. @throws {RefusalError} if it is not a suitable image. */
export async function setDomainImage(
  ctx: Acting,
  organizationId: string,
  domainId: string,
  png: Uint8Array,
): Promise<void> {
  const fault = imageFault(png)
  if (fault !== undefined) throw new RefusalError(`The image cannot be used: ${fault}.`)
  await inTransaction(ctx.store.db, async (db) => {
    await needDomain(db, organizationId, domainId)
    await setImageOfDomain(db, domainId, nameImage(png))
    await audit(db, ctx, { event: 'domain.image_set', organizationId, facts: { domain: domainId } })
  })
}

/** The image that the domain shows: its own, or the neutral default. */
export async function domainImage(ctx: ServiceContext, organizationId: string, domainId: string): Promise<Uint8Array> {
  const { db } = ctx.store
  await needDomain(db, organizationId, domainId)
  return ((await imageOfDomain(db, domainId)) ?? defaultImage()).bytes
}

/** Shows the neutral default again. @returns false if it is shown already. */
export function removeDomainImage(ctx: Acting, organizationId: string, domainId: string): Promise<boolean> {
  return inTransaction(ctx.store.db, async (db) => {
    await needDomain(db, organizationId, domainId)
    const removed = await removeImageOfDomain(db, domainId)
    if (removed) await audit(db, ctx, { event: 'domain.image_removed', organizationId, facts: { domain: domainId } })
    return removed
  })
}

async function needDomain(db: Queryable, organizationId: string, id: string): Promise<void> {
  if (!(await domainById(db, organizationId, id))) throw new RangeError('domainId: no such domain')
}
