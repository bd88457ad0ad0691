import { isAbsolute, resolve } from 'node:path'

import { isAddress } from './engine/secrets/open-keys.ts'

/** The database does not exist, and may not be created here. */
export class MissingDatabaseError extends Error {
  override readonly name = 'MissingDatabaseError'
  constructor(database: string, options?: ErrorOptions) {
    if (database === ':memory:') {
      super(`A database in memory is empty at every start: ${reason} Give the path of a file.`, options)
      return
    }
    const place = databasePlace(database)
    const asTyped = isAddress(database) || isAbsolute(database) ? '' : ` ("${database}", relative to ${process.cwd()})`
    super(
      `There is no database at ${place}${asTyped}. In production a missing database is not created automatically: ${reason} ` +
        'Check the path, the working directory and whether the volume is mounted. ' +
        `To create a new database, run \`second-factor init --database ${place}\`, or start once with MFA_CREATE=1.`,
      options,
    )
  }
}

const reason = 'everyone could then enroll a new device with only a password.'

/** Whether opening may create a missing database. This is not an option, because an option would stay in the code for good. */
export function mayCreateDatabase(env: NodeJS.ProcessEnv): boolean {
  return env['NODE_ENV'] !== 'production' || env['MFA_CREATE'] === '1'
}

/** Where a database is, without user and password: an absolute path, or host and name. */
export function databasePlace(database: string): string {
  if (database === ':memory:') return database
  if (!isAddress(database)) return resolve(database)
  const url = URL.parse(database)
  return url ? `${url.protocol}//${url.host}${url.pathname}` : 'that address'
}
