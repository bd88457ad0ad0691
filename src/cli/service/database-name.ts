import { existsSync } from 'node:fs'

import { Failure } from '../device/failure.ts'

/** An address, also a mistyped one: it may carry a password. */
export const isUrl = (database: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(database)

/** A database as it can be shown. An address is not: it carries a password, and in places no rule foresees. */
export function databaseName(database: string): string {
  return isUrl(database) ? 'at that address' : database
}

/** Only `init` makes a database where there is none. */
export function needDatabase(database: string): void {
  if (isUrl(database) || existsSync(database)) return
  throw new Failure(`There is no database ${database}. Make one: second-factor init --database ${database}`)
}
