import { z } from 'zod'

import { Id } from './text.ts'
import { Username } from './users.ts'

/** A user, by id or by name. */
export const UserReference = z.union([
  z.object({ id: Id, username: z.undefined().optional() }),
  z.object({ username: Username, id: z.undefined().optional() }),
])
