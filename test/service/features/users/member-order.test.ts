import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createClient } from '../../../../src/client/client.ts'
import type { ServiceContext } from '../../../../src/service/engine/context/service-context.ts'
import { claim } from '../../../../src/service/features/users/synchronization-claim.ts'
import { undo } from '../../../../src/service/features/users/synchronization-finish.ts'
import { stage } from '../../../../src/service/features/users/synchronization-stage.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { insertManyUsers } from '../../../support/many-users.ts'
import { createTenant, keysFor, newUser, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

describe.each(mainEngines)('the order of members on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let domainId: string
  let ctx: ServiceContext
  let close: () => Promise<void>

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database })
    ;({ ctx, close } = await openService(
      ServiceOptions.parse({ database, clock: running.clock, ...keysFor(database) }),
    ))
    const { id: organizationId } = running.organization
    await insertManyUsers(ctx.store.db, { organizationId, domainId: running.domain.id, count: 250 })
    ;({ id: domainId } = await running.service.administration.createDomain(organizationId, { name: 'Mixed' }))
    await addMixed()
  })
  afterAll(async () => {
    await close()
    await running.close()
  })

  /** Adds most users to the domain in another order than that in which they were created. */
  const addMixed = () =>
    sql`insert into membership (domain_id, user_id) select ${domainId}, id from "user"
      where sequence % 7 <> 0 and username like 'person %' order by sequence % 10, sequence desc`.execute(ctx.store.db)

  const path = () => `/domains/${domainId}/users`
  const namesOf = (rows: readonly { readonly username: string }[]) => rows.map(({ username }) => username)
  const expectedNames = async () => {
    const { db } = ctx.store
    const members = db.selectFrom('user').innerJoin('member', 'member.userId', 'user.id').select('username')
    return namesOf(await members.where('domainId', '=', domainId).orderBy('user.sequence').execute())
  }
  const misplaced = () => {
    const memberships = ctx.store.db.selectFrom('membership').leftJoin('user', 'user.id', 'membership.userId')
    return memberships
      .select(['membership.userId', 'membership.userSequence', 'user.sequence'])
      .where((is) => is.or([is('userSequence', 'is', null), is('userSequence', '<>', is.ref('user.sequence'))]))
      .execute()
  }
  /** Follows the links of a list from a first page. */
  async function pagesFrom(first: string, between: () => Promise<unknown> = () => Promise.resolve()) {
    const pages: string[][] = []
    for (let query: string | undefined = first; query !== undefined;) {
      const { json, headers } = await running.call('GET', path() + query)
      pages.push(namesOf(json))
      query = /<[^>?]*([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      await between()
    }
    return pages
  }

  inFullRun('a membership has the sequence of its user, however it was added', async () => {
    const { call, domain, organization } = await createTenant(running.service, running.origin)
    const { json: user } = await call('POST', '/users', { body: newUser('added') })
    await call('PUT', `/domains/${domain.id}/users/${user.id}`)
    await call('PUT', `/domains/${domain.id}/users`, { body: [newUser('added'), newUser('brought')] })
    const scope = { organizationId: organization.id, domainId: domain.id }
    const claimed = await claim(ctx, scope, () => Promise.reject(new Error('nothing was abandoned')))
    await stage(ctx, claimed, { rows: [newUser('staged')] })

    const rows = await ctx.store.db.selectFrom('membership').selectAll().where('domainId', '=', domain.id).execute()
    const wrongRows = await misplaced()
    await undo(ctx, claimed)

    expect(rows).toHaveLength(3)
    expect(wrongRows).toEqual([])
  })

  inFullRun('pages by number have the order in which users were created, with every version', async () => {
    const names = await expectedNames()
    const accept = { headers: { accept: '*/*' } }
    const read = (number: number, options?: object) => running.call('GET', `${path()}?page=${number}`, options)

    const pages = await Promise.all([1, 2, 3, 4].map((number) => read(number)))
    const oldPages = await Promise.all([1, 2, 3, 4].map((number) => read(number, accept)))

    expect(pages.map(({ json }) => namesOf(json))).toEqual([
      names.slice(0, 100),
      names.slice(100, 200),
      names.slice(200),
      [],
    ])
    expect(oldPages.map(({ json }) => namesOf(json))).toEqual(pages.map(({ json }) => namesOf(json)))
    expect(oldPages.map(({ headers }) => headers.get('link'))).toEqual(pages.map(({ headers }) => headers.get('link')))
  })

  inFullRun('pages by key are the same as pages by number', async () => {
    expect(await pagesFrom('?after=')).toEqual(await pagesFrom('?page=1'))
  })

  it('version 1.3 has no pages by key', async () => {
    const answer = await running.call('GET', `${path()}?after=x`, { headers: { accept: '*/*' } })

    expect(answer.headers.get('link')).toContain('?page=2>; rel="next"')
  })

  it.each(['after=x', 'after=-1', 'after=1e3', 'after=9999999999999999', 'after=1&page=1'])(
    'a list has no page %s',
    async (query) => {
      const answers = [path(), '/users', '/hardware'].map((list) => running.call('GET', `${list}?${query}`))

      for (const { code } of await Promise.all(answers)) expect(code).toBe('api.error.invalid.page')
    },
  )

  it('pages by key skip no one when members are removed between two pages', async () => {
    const names = await expectedNames()
    const remove = async () => {
      const [first] = (await running.call('GET', path())).json
      await running.call('DELETE', `${path()}/${first.id}`)
    }

    const pages = await pagesFrom('?after=', remove)

    expect(pages.flat()).toEqual(names)
  })

  inFullRun.each(['1.3', '1.4'] as const)(
    'the client reads whole lists, a page at a time, with version %s',
    async (version) => {
      const apiKey = await running.service.administration.createApiKey(running.organization.id)
      const client = createClient({ baseUrl: `${running.origin}/api`, apiKey, allowInsecureHttp: true, version })
      const collect = async (pages: AsyncIterable<readonly { readonly username: string }[]>) => {
        const sizes: number[] = []
        const names: string[] = []
        for await (const page of pages) {
          sizes.push(page.length)
          names.push(...namesOf(page))
        }
        return { sizes, names }
      }

      const members = await collect(client.domains.userPages(domainId))
      const users = await collect(client.users.pages())
      const tokens = await client.hardware.pages().next()

      expect(members.names).toEqual(await expectedNames())
      expect([users.sizes, users.names]).toEqual([
        [100, 100, 50],
        Array.from({ length: 250 }, (_, index) => `person ${index + 1}`),
      ])
      expect(tokens).toEqual({ done: true, value: undefined })
    },
  )
})
