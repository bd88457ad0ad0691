import { adminOperations } from '../../contract/admin/operations.ts'
import type { Vendor } from '../../contract/media-type.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import { createRest } from '../http/rest.ts'
import type { Rest } from '../http/rest.ts'
import type { ConsoleAddress } from '../rules/console-address.ts'
import { consoleAccess } from './access.ts'
import { consoleRoutes } from './routes.ts'

/** The REST interface of the console, without its transport. */
export function createConsoleRest(ctx: ServiceContext, vendor: Vendor, address: ConsoleAddress): Rest {
  const limiter = (name: string) => createRateLimiter(name, ctx.limits.requestsPerSecond, ctx.clock)
  const rates = { bySession: limiter('session'), byAddress: limiter('address') }
  const access = consoleAccess(ctx, { vendor, address, rates })
  return createRest(ctx, { vendor, access, routes: consoleRoutes, operations: adminOperations })
}
