import { beforeAll, describe, expect, it } from 'vitest'

import { createAccounts } from '../../example-app/accounts.ts'
import type { Account } from '../../example-app/accounts.ts'
import { openDatabase } from '../../example-app/storage/database.ts'
import { quickHash } from '../service/start-service.ts'
import { describeInFullRun } from '../support/full-run.ts'

const alice = { username: 'alice', name: 'Alice', email: 'alice@example.com', password: 'correct horse' }

describe('accounts', () => {
  describeInFullRun('of one user', () => {
    // At the cost that the app uses by default.
    const accounts = createAccounts(openDatabase(':memory:'))
    let created: Account | undefined
    beforeAll(async () => {
      created = await accounts.create(alice)
    })

    it('an account of the example app is opened by username and password', async () => {
      expect(await accounts.verify('alice', 'correct horse')).toEqual(created)
    })

    it.each([
      ['another password', 'alice', 'wrong horse'],
      ['a username nobody has', 'bob', 'correct horse'],
      ['the username in capitals', 'ALICE', 'correct horse'],
      ['no password', 'alice', ''],
    ])('an account of the example app is not opened by %s', async (_what, username, password) => {
      expect(await accounts.verify(username, password)).toBeUndefined()
    })
  })

  it('accounts of the example app have unique usernames, also when two people choose one at once', async () => {
    const accounts = createAccounts(openDatabase(':memory:'), quickHash)

    const creations = await Promise.all([
      accounts.create(alice),
      accounts.create({ ...alice, password: 'another horse' }),
    ])

    expect(creations.filter((account) => account !== undefined)).toHaveLength(1)
  })

  it('accounts of the example app store no password, and different hashes for the same password', async () => {
    const database = openDatabase(':memory:')
    const accounts = createAccounts(database, quickHash)
    await accounts.create(alice)
    await accounts.create({ ...alice, username: 'bob' })

    const rows = database.prepare<[], { password_hash: Buffer }>('SELECT * FROM account').all()

    expect(JSON.stringify(rows)).not.toContain('correct horse')
    expect(rows[0]!.password_hash.equals(rows[1]!.password_hash)).toBe(false)
  })

  it('accounts of the example app open only with the new password once it is changed', async () => {
    const accounts = createAccounts(openDatabase(':memory:'), quickHash)
    const created = await accounts.create(alice)

    await accounts.changePassword(created!.id, 'battery staple')

    expect(await accounts.verify('alice', 'correct horse')).toBeUndefined()
    expect(await accounts.verify('alice', 'battery staple')).toEqual(created)
  })

  it('accounts of the example app never expose salt or hash to the app', async () => {
    const accounts = createAccounts(openDatabase(':memory:'), quickHash)
    await accounts.create(alice)

    const account = await accounts.verify('alice', 'correct horse')

    expect(Object.keys(account!)).toEqual(['id', 'username', 'name', 'email'])
  })
})
