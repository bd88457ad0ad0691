import { userInfo } from 'node:os'

import type { Actor } from '../../service/audit/entry.ts'

/** Who runs the command, as the operating system knows it: for the audit trail. */
export function actingPerson(): Actor {
  try {
    return { kind: 'cli', id: userInfo().username }
  } catch {
    // A number without a name, as in containers.
    return { kind: 'cli', id: `uid ${process.getuid?.() ?? 'unknown'}` }
  }
}
