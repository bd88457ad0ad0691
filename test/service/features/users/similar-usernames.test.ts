import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { OpenedService } from '../../../../src/service/service.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import { unique } from '../codes/code-holder.ts'
import { createCall, createTenant, keysFor, newUser, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

describe.each(mainEngines)('usernames that could be confused, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let here: Running
  let there: Running
  let node: OpenedService

  beforeAll(async () => {
    const database = await newDatabase()
    here = await startService({ database })
    there = await startService({ database })
    node = await openDatabase(database, { clock: here.clock, ...keysFor(database) })
  })
  afterAll(async () => {
    await node.close()
    await there.close()
    await here.close()
  })

  const create = (username: string, more: object = {}, { call }: Pick<Running, 'call'> = here) =>
    call('POST', '/users', { body: { ...newUser(username), ...more } })
  const provision = (username: string, by?: Pick<Running, 'call'>) => create(username, { provision: true }, by)
  const codes = (answers: { code: string | undefined }[]) => answers.map(({ code }) => code)
  const similar = 'api.error.conflict.similarusername'

  it('similar usernames are provisioned once when two of them arrive at once at two nodes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = unique()
      const atOtherNode = { call: createCall(there.origin, here.apiKey) }

      const answers = await Promise.all([
        provision(`bob ${name}`),
        provision(`BOB ${name}`, atOtherNode),
        provision(`Bob ${name}`),
        provision(`bob  ${name}`, atOtherNode),
      ])

      expect(codes(answers).filter((code) => code === undefined)).toHaveLength(1)
      expect(codes(answers).filter((code) => code === similar)).toHaveLength(3)
    }
  })

  it.each(['REST', 'a synchronization'])(
    'similar usernames are not provisioned next to a user added by %s',
    async (by) => {
      const name = unique()
      if (by === 'REST') await create(`Zoë ${name}`)
      else await here.call('PUT', `/domains/${here.domain.id}/users`, { body: [newUser(`Zoë ${name}`)] })

      const answers = [await provision(`ZOE ${name}`), await provision(`zoë\u200b  ${name} `)]

      expect(codes(answers)).toEqual([similar, similar])
      expect((await here.call('GET', `/users?username=ZOE%20${name}`)).code).toBe('api.error.notfound.user')
    },
  )

  inFullRun('similar usernames are stored byte for byte if administrators add them, and keep working', async () => {
    const name = unique()
    const path = `/domains/${here.domain.id}/users`
    const created = [await create(`alice ${name}`), await create(`ALICE ${name}`)]
    const synchronized = await here.call('PUT', path, {
      body: [newUser(`alice ${name}`), newUser(`ALICE ${name}`), newUser(`Alice ${name}`)],
    })

    const lookups = await Promise.all(
      ['alice', 'ALICE', 'Alice'].map((word) => here.call('GET', `/users?username=${word}%20${name}`)),
    )

    expect([...created, synchronized].map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(lookups.map(({ json }) => json.id)).size).toBe(3)
    expect((await provision(`alice ${name}`)).code).toBe('api.error.conflict.username')
  })

  it('similar usernames do not conflict across organizations', async () => {
    const name = unique()
    await create(`carol ${name}`)
    const other = await createTenant(here.service, here.origin)

    expect((await provision(`CAROL ${name}`, other)).status).toBe(200)
  })

  it('rejecting a similar username leaves no user and no audit entry, and both names in the log', async () => {
    const name = unique()
    await create(`dave ${name}`)
    const before = await rows()

    await provision(`DAVE ${name}`)

    expect(await rows()).toEqual(before)
    expect(here.logged).toContainEqual({
      details: { username: `DAVE ${name}`, similar: `dave ${name}`, requestId: expect.any(String) },
      message: 'user not provisioned: the name could be mistaken for another one',
    })
  })

  async function rows() {
    const { db } = node.ctx.store
    return {
      users: (await db.selectFrom('user').select('id').execute()).length,
      created: (await db.selectFrom('audit').select('hash').where('event', '=', 'user.created').execute()).length,
    }
  }
})
