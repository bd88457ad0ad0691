import { Router } from 'express'

import type { ServiceContext } from './context.ts'
import { asHandle } from './http/handle.ts'
import type { Handle } from './http/handle.ts'

/** What devices and people's browsers see of the service. Passes on whatever is not its own. */
export function createPublic(_ctx: ServiceContext): Handle {
  return asHandle(Router())
}
