import type { Command } from 'commander'

import { groupCommand } from '../admin/command.ts'
import { factorExportCommand } from './factor-export.ts'
import { factorImportCommand } from './factor-import.ts'

/** `second-factor factor`. */
export function factorCommand(): Command {
  return groupCommand(
    'factor',
    'move authenticator apps and hardware tokens of users',
    [factorImportCommand(), factorExportCommand()],
    ["factor import apps.csv --domain 'Intranet' --dry-run", 'factor export factors.age --passphrase @passphrase.txt'],
  )
}
