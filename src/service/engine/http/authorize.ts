import type { Endpoint } from '../../../contract/endpoint.ts'
import { ApiProblem } from '../base/problem.ts'
import type { KnownKey } from './authenticate.ts'

/** Checks that the key may call the operation. Handlers do not find what is outside its domain: see `features/users/find.ts`. */
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

/** Operations without a domain or user show things of the whole organization. These are the harmless ones. */
function isLimitable({ path }: Endpoint): boolean {
  return /:(domainId|userId)/.test(path) || ['/organization', '/ping', '/users', '/approval-keys'].includes(path)
}
