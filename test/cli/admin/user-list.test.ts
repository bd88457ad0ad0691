import { beforeEach, describe, expect, it } from 'vitest'

import { withService } from '../../../src/cli/admin/local-service.ts'
import { createSession } from '../../../src/contract/sessions.ts'
import { createUser, findUsers } from '../../../src/contract/users.ts'
import { newUser } from '../../service/start-service.ts'
import { inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { place, admin, json } = useDatabase()

const create = (name: string, ...more: string[]) =>
  json('user', 'create', name, '--name', `${name} Doe`, '--email', `${name}@example.com`, ...more)

const usernames = async (...options: string[]): Promise<string[]> =>
  (await json('user', 'list', ...options)).map(({ username }: { username: string }) => username)

beforeEach(async () => {
  await create('alice', '--domain', 'Intranet')
  await create('bob')
})

describe('second-factor user list', () => {
  it('second-factor user list finds users by a part of a name or address, or by the beginning of a name', async () => {
    expect(await usernames('--query', 'LICE')).toEqual(['alice'])
    expect(await usernames('--query', 'bob@ex')).toEqual(['bob'])
    expect(await usernames('--query', 'bo')).toEqual(['bob'])
    expect(await usernames('--query', 'doe')).toEqual(['alice', 'bob'])
    expect(await usernames('--query', 'doe', '--domain', 'Intranet')).toEqual(['alice'])
    expect((await admin('user', 'list', '--query', 'carol')).stdout).toBe('No such users.\n')
  })

  inFullRun('second-factor user list filters users as the console does', async () => {
    await admin('bypass', 'create', 'bob')
    const { id } = (await json('user', 'list', '--query', 'alice'))[0]
    await withService({ database: place.database }, async ({ call }) => {
      const wrong = { params: { domainId: place.domainId }, body: { user: { id }, otp: '000000' } }
      for (let times = 0; times < 10; times += 1) await call(createSession, wrong)
    })

    expect(await usernames('--filter', 'locked')).toEqual(['alice'])
    expect(await usernames('--filter', 'bypass_code')).toEqual(['bob'])
    expect(await usernames('--filter', 'no_factor')).toEqual(['alice', 'bob'])
    expect(await usernames('--filter', 'locked', '--query', 'bob')).toEqual([])
    expect(await admin('user', 'list', '--filter', 'blue')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no_factor'),
    })
  })

  inFullRun(
    'second-factor user list prints users as the REST interface returns them, however many there are',
    async () => {
      const restUsers: unknown[] = []
      await withService({ database: place.database }, async ({ call }) => {
        for (let each = 0; each < 100; each += 1) await call(createUser, { body: newUser(`user${each}`) })
        for (const page of [1, 2]) restUsers.push(...[await call(findUsers, { query: { page } })].flat())
      })

      const listed = await json('user', 'list')

      expect(listed).toHaveLength(102)
      expect(listed).toEqual(restUsers)
    },
  )

  inFullRun('second-factor user list rejects a search text that is too long', async () => {
    const { code, stderr } = await admin('user', 'list', '--query', 'x'.repeat(129))

    expect([code, stderr]).toEqual([2, expect.stringContaining('at most 128 characters')])
  })
})
