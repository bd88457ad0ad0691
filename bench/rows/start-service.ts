import { join } from 'node:path'

import { root } from '../../scripts/run.ts'
import type { ServiceGiven } from '../contenders/prepare.ts'
import { startContender } from '../measuring/contender.ts'
import type { Contender } from '../measuring/contender.ts'

/** The service of this checkout in its own process. @param database A file, or the address of a PostgreSQL database. */
export function startService(database: string, env: NodeJS.ProcessEnv = {}): Promise<Contender<ServiceGiven>> {
  return startContender('contenders/service.ts', [root, database], { env })
}

export const sqliteFile = (folder: string, name: string): string => join(folder, `${name}.sqlite`)
