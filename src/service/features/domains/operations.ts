import type * as contract from '../../../contract/domains.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import type { Handler } from '../../engine/http/route.ts'
import { defaultImage } from './image.ts'
import { domainView } from './view.ts'
import { imageOfDomain } from './statements.ts'
import { findDomain } from './find.ts'

export const get: Handler<typeof contract.getDomain> = async (input, call) => {
  return domainView(await findDomain(call, input.domainId))
}

export const image: Handler<typeof contract.getDomainImage> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  return (await imageOfDomain(call.store.db, domain.id)) ?? defaultImage()
}

/** Changes nothing: an emergency is the app's own. */
export const noteEmergency: Handler<typeof contract.noteEmergency> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  await call.store.db
    .transaction()
    .execute((db) => auditCall(db, call, 'domain.emergency', { domain: domain.id, until: input.until }))
}
