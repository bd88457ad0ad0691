import { Command } from 'commander'

import { apikeyCommand } from './commands/apikey.ts'
import { auditCommand } from './commands/audit.ts'
import { backupCommand } from './commands/backup.ts'
import { bypassCommand } from './commands/bypass.ts'
import { clockCommand } from './commands/clock.ts'
import { checkCommand } from './commands/check.ts'
import { deviceCommand } from './commands/device.ts'
import { domainCommand } from './commands/domain.ts'
import { hardwareCommand } from './commands/hardware.ts'
import { initCommand } from './commands/init.ts'
import { keysCommand } from './commands/keys.ts'
import { openapiCommand } from './commands/openapi.ts'
import { restoreCommand, restoredCommand } from './commands/restore.ts'
import { serveCommand } from './commands/serve.ts'
import { tokenCommand } from './commands/token.ts'
import { userCommand } from './commands/user.ts'
import { exitCode } from './device/exit-codes.ts'

export function createProgram(): Command {
  const program = new Command('second-factor')
    .description('A second factor for sign-ins: the service, and an authenticator for the terminal.')
    .addHelpText('after', examples)
    .addCommand(initCommand())
    .addCommand(serveCommand())
    .addCommand(openapiCommand())
    .addCommand(domainCommand())
    .addCommand(userCommand())
    .addCommand(tokenCommand())
    .addCommand(hardwareCommand())
    .addCommand(bypassCommand())
    .addCommand(apikeyCommand())
    .addCommand(keysCommand())
    .addCommand(auditCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(restoredCommand())
    .addCommand(checkCommand())
    .addCommand(clockCommand())
    .addCommand(deviceCommand())
  endUsageErrors(program)
  return program
}

/** Commander ends with 1 whatever is wrong; scripts want to tell a typo from a failure. Help asked for is none. */
function endUsageErrors(command: Command): void {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? exitCode.done : exitCode.usage))
  for (const subcommand of command.commands) endUsageErrors(subcommand)
}

const examples = `
Examples:
  $ second-factor init --database mfa.sqlite --organization 'Example Ltd' --domain 'Intranet'
  $ second-factor serve --database mfa.sqlite`
