import type { Command } from 'commander'

import { acceptClock } from '../../service/engine/audit/retention.ts'
import { databaseCommand, groupCommand } from '../admin/command.ts'
import { databaseAction } from '../database/open.ts'
import { dateOf, printDone } from '../terminal/print.ts'

/** `second-factor clock`. */
export function clockCommand(): Command {
  return groupCommand(
    'clock',
    'manage the clock that retention of the audit trail uses',
    [acceptCommand()],
    ['clock accept --database mfa.sqlite', 'clock accept --database mfa.sqlite --json'],
  )
}

function acceptCommand(): Command {
  return databaseCommand('accept', 'trust the clock of this machine now, instead of after an hour', [
    'clock accept',
    'clock accept --database postgres://mfa@db/mfa --json',
  ])
    .option('--json', 'print JSON')
    .action(
      databaseAction(async (ctx, settings: { readonly database: string; readonly json?: boolean }) => {
        await acceptClock(ctx)
        const now = ctx.clock.now()
        printDone(settings, { acceptedAt: now }, `Accepted ${dateOf(now)}. Services use it after their next restart.`)
      }),
    )
}
