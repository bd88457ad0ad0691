import { join } from 'node:path'

import type { KeyType } from '../../src/contract/pin.ts'
import { root } from '../../scripts/run.ts'
import type { ServiceGiven } from '../contenders/prepare.ts'
import { startContender } from '../measuring/contender.ts'
import type { Contender } from '../measuring/contender.ts'

interface StartOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly execArgv?: readonly string[]
  /** The secret that devices ask for; none by default. */
  readonly keyType?: KeyType
}

/** The service of this checkout in its own process. @param database A file, or the address of a PostgreSQL database. */
export function startService(
  database: string,
  { keyType = 'NONE', ...options }: StartOptions = {},
): Promise<Contender<ServiceGiven>> {
  return startContender('contenders/service.ts', [root, database, keyType], options)
}

export const sqliteFile = (folder: string, name: string): string => join(folder, `${name}.sqlite`)
