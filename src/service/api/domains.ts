import type * as contract from '../../contract/domains.ts'
import type { Handler } from '../http/route.ts'
import { domainView } from '../rules/views.ts'
import { findDomain } from './find.ts'

export const get: Handler<typeof contract.getDomain> = async (input, call) => {
  return domainView(await findDomain(call, input.domainId))
}
