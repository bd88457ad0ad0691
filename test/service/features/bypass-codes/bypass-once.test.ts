import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { parseOptions } from '../../../../src/contract/validate.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'

import { inFullRun } from '../../../support/full-run.ts'
import { member, otherThan } from '../codes/code-holder.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let folder: string
let database: string
let running: Running
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-once-'))
  database = join(folder, 'mfa.sqlite')
  running = await startService({ database, bypassCodes: 'once' }, { bypassEnabled: true })
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true })
})

async function holder() {
  const person = await member(running)
  const make = async (usesAllowed = 2) =>
    (await running.call('POST', `${person.path}/bypasscodes`, { body: { usesAllowed, expirationTime: 60 } })).json
  return { ...person, make, list: async () => (await running.call('GET', `${person.path}/bypasscodes`)).json }
}

describe('a bypass code that is shown once', () => {
  it('a show-once bypass code is shown when it is created, and never again', async () => {
    const { make, list } = await holder()

    const created = await make()
    const read = (await running.call('GET', `/bypasscodes/${created.id}`)).json
    const old = await running.call('GET', `/bypasscodes/${created.id}`, {
      headers: { accept: 'application/vnd.service.v1+json' },
    })

    const { code, ...rest } = created
    expect(code).toMatch(/^\d{9}$/)
    expect([read, await list()]).toEqual([rest, [rest]])
    expect(old.json).toEqual(rest)
  })

  inFullRun('a show-once bypass code works for its number of uses, and no other code does', async () => {
    const { make, signIn } = await holder()
    const { code } = await make(2)

    const states = [
      await signIn({ bypasscode: otherThan(code) }),
      await signIn({ bypasscode: code }),
      await signIn({ otp: code }),
      await signIn({ bypasscode: code }),
    ].map(({ state }) => state)

    expect(states).toEqual(['denied', 'approved', 'approved', 'denied'])
  })

  inFullRun(
    'a show-once bypass code is accepted exactly as often as allowed when many requests use it at once',
    async () => {
      const { make, signIn } = await holder()
      const { code } = await make(3)

      const sessions = await Promise.all(Array.from({ length: 6 }, () => signIn({ bypasscode: code })))

      expect(sessions.filter(({ state }) => state === 'approved')).toHaveLength(3)
    },
  )

  inFullRun('a show-once bypass code does not work for another user', async () => {
    const { make } = await holder()
    const { code } = await make()

    expect(await (await holder()).signIn({ bypasscode: code })).toMatchObject({ state: 'denied' })
  })

  inFullRun('a show-once bypass code is stored as a hash that the keys of the service cannot decrypt', async () => {
    const { make, id } = await holder()
    const { code } = await make()

    const { ctx, close } = await openService(parseOptions(ServiceOptions, 'createService', { database }))
    const { secrets, store } = ctx
    const row = await store.db.selectFrom('bypassCode').selectAll().where('userId', '=', id).executeTakeFirstOrThrow()
    const storedCode = secrets.open(row.code, { kind: 'bypass code', id: row.id, userId: row.userId })
    const ofCode = secrets.lookup(`bypass:${id}:${code}`)
    await close()

    expect(storedCode).toMatch(/^scrypt:[\w-]{43}$/)
    expect(row.codeLookup).not.toBe(ofCode)
  })
})
