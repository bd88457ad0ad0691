import type { Command } from 'commander'

import { groupCommand } from '../admin/command.ts'
import { moveCommand } from './database-move.ts'

/** `second-factor database`. */
export function databaseGroup(): Command {
  return groupCommand(
    'database',
    'move the database from SQLite to PostgreSQL',
    [moveCommand()],
    [
      'database move --database mfa.sqlite --to postgres://mfa@db/mfa --dry-run',
      'database move --database mfa.sqlite --to postgres://mfa@db/mfa',
    ],
  )
}
