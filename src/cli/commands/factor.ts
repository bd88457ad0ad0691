import type { Command } from 'commander'

import { groupCommand } from '../admin/command.ts'
import { factorExportCommand } from './factor-export.ts'

/** `second-factor factor`. */
export function factorCommand(): Command {
  return groupCommand(
    'factor',
    'move authenticator apps and hardware tokens of users',
    [factorExportCommand()],
    [
      'factor export factors.age --passphrase @passphrase.txt',
      'factor export factors.age --recipient age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg',
    ],
  )
}
