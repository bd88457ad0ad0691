import type * as factors from '../../../contract/factors.ts'
import { changeRequirement } from './change-pass.ts'
import type { Handler } from '../../engine/http/route.ts'
import { findMember } from '../domains/find.ts'

export const getRequirement: Handler<typeof factors.getChangeRequirement> = async (input, call) => {
  const { changed, pass, rpId } = input
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  return changeRequirement(call.store.db, call, { domain, user, changed, pass, rpId })
}
