import type { Endpoint } from '../../contract/endpoint.ts'
import { ApiProblem } from '../ground/problem.ts'
import type { KnownKey } from './authenticate.ts'

/** Whether the key may call the operation. What its own domain hides, the handlers do not find: see `api/find.ts`. */
export function authorize(
  key: Pick<KnownKey, 'role' | 'domainId'>,
  endpoint: Endpoint,
  params: Readonly<Record<string, unknown>>,
): void {
  if (key.role === 'auth' && endpoint.role !== 'auth') throw new ApiProblem('api.error.forbidden')
  if (key.domainId === null) return
  if (params.domainId !== undefined && params.domainId !== key.domainId)
    throw new ApiProblem('api.error.notfound.domain')
  if (!isLimitable(endpoint)) throw new ApiProblem('api.error.forbidden')
}

/** Operations about no domain and no user show things of the whole organization; these are the harmless ones. */
function isLimitable({ path }: Endpoint): boolean {
  return /:(domainId|userId)/.test(path) || ['/organization', '/ping', '/users'].includes(path)
}
