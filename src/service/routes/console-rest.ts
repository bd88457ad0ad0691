import { adminOperations } from '../../admin-contract/operations.ts'
import type { Vendor } from '../../contract/media-type.ts'
import type { ServiceContext } from '../engine/context/service-context.ts'
import { createRateLimiter } from '../engine/http/rate-limit.ts'
import { createRest } from '../engine/http/rest.ts'
import type { Rest } from '../engine/http/rest.ts'
import type { ConsoleAddress } from '../engine/front/console-address.ts'
import { consoleAccess } from '../features/administrators/access.ts'
import { consoleRoutes } from './console.ts'

/** Sign-ins and registrations in a second, for each passkey, each invitation, and each address that names neither. */
const maxUnsigned = 20

export interface ServedConsole {
  readonly vendor: Vendor
  readonly address: ConsoleAddress
  /** Returns the issuer of the OpenID provider that this process is; undefined if it is none. */
  readonly openIdIssuer?: (() => string | undefined) | undefined
}

/** The REST interface of the console, without its transport. */
export function createConsoleRest(ctx: ServiceContext, { vendor, ...served }: ServedConsole): Rest {
  const { requestsPerSecond } = ctx.limits
  const limiter = (name: string, max: number) => createRateLimiter(name, max, ctx.clock)
  const unsigned = Math.min(maxUnsigned, requestsPerSecond)
  const rates = {
    bySession: limiter('session', requestsPerSecond),
    byNamed: limiter('passkey or invitation', unsigned),
    byAddress: limiter('address', unsigned),
  }
  const access = consoleAccess(ctx, { vendor, ...served, rates })
  return createRest(ctx, { vendor, access, routes: consoleRoutes, operations: adminOperations })
}
