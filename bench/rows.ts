import type { Row } from './row.ts'
import { authenticatorSize } from './rows/authenticator-size.ts'
import { browserCode } from './rows/browser-code.ts'
import { code } from './rows/code.ts'
import { guard } from './rows/guard.ts'
import { lists } from './rows/lists.ts'
import { lowRate } from './rows/low-rate.ts'
import { memory } from './rows/memory.ts'
import { nodes } from './rows/nodes.ts'
import { pins } from './rows/pins.ts'
import { postgres } from './rows/postgres.ts'
import { push } from './rows/push.ts'
import { sixNodes } from './rows/six-nodes.ts'
import { signIn } from './rows/sign-in.ts'
import { slowDisk } from './rows/slow-disk.ts'
import { start } from './rows/start.ts'
import { users } from './rows/users.ts'

/** The rows in the order of the report. */
export const rows: readonly Row[] = [
  signIn,
  guard,
  start,
  browserCode,
  code,
  push,
  pins,
  lowRate,
  slowDisk,
  users,
  lists,
  postgres,
  nodes,
  sixNodes,
  memory,
  authenticatorSize,
]
