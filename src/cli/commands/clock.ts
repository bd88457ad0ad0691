import type { Command } from 'commander'

import { acceptClock } from '../../service/audit/retention.ts'
import { databaseCommand, groupCommand } from '../admin/command.ts'
import { withContext } from '../admin/local-service.ts'
import { dateOf, printDone } from '../admin/print.ts'
import { ending } from '../device/failure.ts'

/** The time that the audit trail is shortened by. */
export function clockCommand(): Command {
  return groupCommand(
    'clock',
    'manage the time that the audit trail is shortened by',
    [acceptCommand()],
    ['clock accept --database mfa.sqlite', 'clock accept --database mfa.sqlite --json'],
  )
}

function acceptCommand(): Command {
  return databaseCommand('accept', 'believe the clock of this machine at once, and not after an hour', [
    'clock accept --database mfa.sqlite',
    'clock accept --database postgres://mfa@db/mfa --json',
  ])
    .option('--json', 'as JSON')
    .action(
      ending((settings: { readonly database: string; readonly json?: boolean }) =>
        withContext(settings, async (ctx) => {
          await acceptClock(ctx)
          const now = ctx.clock.now()
          printDone(settings, { acceptedAt: now }, `It is ${dateOf(now)}. Services know it after their next start.`)
        }),
      ),
    )
}
