import type { Command } from 'commander'

import { groupCommand } from '../admin/command.ts'
import { factorImportCommand } from './factor-import.ts'

/** `second-factor factor`. */
export function factorCommand(): Command {
  return groupCommand(
    'factor',
    'move authenticator apps and hardware tokens of users',
    [factorImportCommand()],
    [
      "factor import apps.csv --domain 'Intranet' --dry-run",
      "factor import people.jsonl --domain 'Intranet' --from better-auth --secret @secret.txt",
    ],
  )
}
