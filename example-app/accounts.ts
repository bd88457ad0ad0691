import { randomUUID } from 'node:crypto'

import { z } from 'zod'

import type { Database } from './storage/database.ts'
import { hashPassword, matchesPassword, recommendedCost, unmatchable } from './passwords.ts'

/** A user of the example app, as Passport sets it at `req.user`. */
export const Account = z.object({ id: z.string(), username: z.string(), name: z.string(), email: z.string() })
export type Account = z.infer<typeof Account>

export interface NewAccount {
  readonly username: string
  readonly name: string
  readonly email: string
  readonly password: string
}

export type Accounts = ReturnType<typeof createAccounts>

const Row = Account.extend({ salt: z.instanceof(Buffer), hash: z.instanceof(Buffer) })

export function createAccounts(database: Database, passwordCost = recommendedCost) {
  const insert = database.prepare(
    `INSERT INTO account (id, username, name, email, password_salt, password_hash)
     VALUES (:id, :username, :name, :email, :salt, :hash) ON CONFLICT (username) DO NOTHING`,
  )
  const update = database.prepare('UPDATE account SET password_salt = :salt, password_hash = :hash WHERE id = :id')
  const byId = database.prepare('SELECT id, username, name, email FROM account WHERE id = ?')
  const byUsername = database.prepare(
    'SELECT id, username, name, email, password_salt AS salt, password_hash AS hash FROM account WHERE username = ?',
  )

  return {
    /** @returns undefined when the username is taken. */
    async create({ password, ...facts }: NewAccount): Promise<Account | undefined> {
      const account = { id: randomUUID(), ...facts }
      const { changes } = insert.run({ ...account, ...(await hashPassword(password, passwordCost)) })
      return changes === 1 ? account : undefined
    },

    /** Checks username and password. An unknown username takes as long as a wrong password. */
    async verify(username: string, password: string): Promise<Account | undefined> {
      const row = Row.optional().parse(byUsername.get(username))
      const matches = await matchesPassword(password, row ?? unmatchable, passwordCost)
      return row && matches ? Account.parse(row) : undefined
    },

    find(id: string): Account | undefined {
      return Account.optional().parse(byId.get(id))
    },

    async changePassword(id: string, password: string): Promise<void> {
      update.run({ id, ...(await hashPassword(password, passwordCost)) })
    },
  }
}
