import { z } from 'zod'

import { Id } from './text.ts'
import { Username } from './users.ts'

/** A user, by id or by name. */
export const UserReference = z.union([
  z.object({ id: Id, username: absent('id').optional() }),
  z.object({ username: Username, id: absent('username').optional() }),
])

function absent(other: string) {
  return z.undefined({ error: `must be left out where ${other} is given` })
}
