import type { getOrganization as GetOrganization, ping as Ping } from '../../../contract/organization.ts'
import type { Handler } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { organizationById } from './organization-statements.ts'

export const getOrganization: Handler<typeof GetOrganization> = async (_input, call) => {
  const organization = await organizationById(call.store.db, call.organizationId)
  // The organization was deleted after its key was checked.
  if (!organization) throw new ApiProblem('api.error.unauthorized')
  return organization
}

export const ping: Handler<typeof Ping> = () => Promise.resolve({ status: 'OK' })
