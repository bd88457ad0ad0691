import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import type { ServiceContext } from '../../../../src/service/engine/context/service-context.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import { drawTicket, markApplied } from '../../../../src/service/features/users/synchronization-statements.ts'
import { claim } from '../../../../src/service/features/users/synchronization-claim.ts'
import { finish, undo } from '../../../../src/service/features/users/synchronization-finish.ts'
import { ownProcess } from '../../../../src/service/features/users/synchronization-process-identity.ts'
import { stage } from '../../../../src/service/features/users/synchronization-stage.ts'
import { synchronizeMembers } from '../../../../src/service/features/users/synchronize.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { openRaw } from '../../../support/raw-http.ts'
import { activateDevice, createCall, createTenant, keysFor, newUser, startService } from '../../start-service.ts'
import type { Running, Tenant } from '../../start-service.ts'

const people = (...names: string[]) => names.map(newUser)
const many = (count: number, prefix = 'person') => people(...Array.from({ length: count }, (_, i) => `${prefix} ${i}`))

describe.each(mainEngines)('synchronization on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let database: string
  let tenant: Tenant

  beforeAll(async () => {
    database = await newDatabase()
    running = await startService({ database })
  })
  afterAll(() => running.close())

  const newTenant = async () => {
    tenant = await createTenant(running.service, running.origin)
    return tenant
  }
  const put = (users: unknown, { call, domain }: Tenant = tenant) =>
    call('PUT', `/domains/${domain.id}/users`, { body: users })
  const members = async ({ call, domain }: Tenant = tenant): Promise<string[]> =>
    (await call('GET', `/domains/${domain.id}/users`)).json.map(({ username }: { username: string }) => username)
  const userOf = async (username: string) => {
    const answer = await tenant.call('GET', `/users?username=${encodeURIComponent(username)}`)
    return answer.status === 200 ? answer.json : answer.code
  }

  /** Another process on the same database, which can be stopped at any point. */
  async function node(): Promise<ServiceContext> {
    const { ctx, close } = await openService(
      ServiceOptions.parse({ database, clock: running.clock, ...keysFor(database) }),
    )
    onTestFinished(close)
    return ctx
  }

  async function stageAndDie(users: ReturnType<typeof people>) {
    const ctx = await node()
    const target = { organizationId: tenant.organization.id, domainId: tenant.domain.id }
    const claimed = await claim(ctx, target, () => Promise.reject(new Error('nothing was abandoned')))
    await stage(ctx, claimed, { rows: users })
    return { ctx, claimed }
  }

  /** Unfinished synchronizations, and the hidden users of this name. */
  const leftOvers = async ({ store: { db } }: ServiceContext, username: string) => {
    const { id: organizationId } = tenant.organization
    const users = db.selectFrom('user').select('id').where('organizationId', '=', organizationId)
    return [
      (await db.selectFrom('synchronization').selectAll().execute()).length,
      (await db.selectFrom('synchronizedUser').selectAll().execute()).length,
      (await users.where('username', '=', username).execute()).length,
      (await db.selectFrom('membership').select('sequence').where('userId', 'in', users).execute()).length,
    ]
  }

  /** As `running.enroll`, in the domain of another tenant. */
  async function enrollIn({ call, domain }: Tenant) {
    const user = (await call('POST', '/users', { body: newUser('enrolled') })).json
    await call('PUT', `/domains/${domain.id}/users/${user.id}`)
    const { code } = (await call('PUT', `/domains/${domain.id}/users/${user.id}/token`)).json
    const device = await activateDevice(running.origin, running.clock, code)
    const ask = async () =>
      (await call('POST', `/domains/${domain.id}/sessions`, { body: { user: { id: user.id } } })).json
    return { user, ...device, ask }
  }

  inFullRun('a synchronization creates, adds and removes users, and returns nothing', async () => {
    const { call, domain } = await newTenant()
    for (const username of ['stays', 'leaves', 'joins']) {
      const user = (await call('POST', '/users', { body: newUser(username) })).json
      if (username !== 'joins') await call('PUT', `/domains/${domain.id}/users/${user.id}`)
    }

    const answer = await put(people('is new', 'joins', 'stays'))

    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, '', '0'])
    expect((await members()).toSorted()).toEqual(['is new', 'joins', 'stays'])
    expect(await userOf('is new')).toMatchObject({ ...newUser('is new'), domains: [domain.id], everEnrolled: false })
    expect(await userOf('leaves')).toMatchObject({ domains: [] })
  })

  inFullRun('a synchronization becomes visible all at once', async () => {
    const { call, domain } = await newTenant()
    const [before, after] = [many(700, 'old'), many(700, 'new')]
    await put(before)
    const page = async (number: number): Promise<{ username: string }[]> =>
      (await call('GET', `/domains/${domain.id}/users?page=${number}`)).json
    const snapshots: string[] = []
    const looks = { go: true }
    const look = async () => {
      while (looks.go) {
        const pages = [await page(1), await page(7), await page(8)]
        // 700 users fill seven pages, and each page has only old or only new users.
        snapshots.push(pages.map((users) => `${users.length} ${kindsOf(users)}`).join(', '))
      }
    }
    const kindsOf = (users: { username: string }[]) =>
      [...new Set(users.map(({ username }) => username.slice(0, 3)))].join(' and ')

    const looking = look()
    await put(after)
    looks.go = false
    await looking

    // The pages are read one after another, so the old and the new list can both appear.
    const possible = ['100 old, 100 old, 0 ', '100 old, 100 new, 0 ', '100 new, 100 new, 0 ']
    expect(snapshots).toContain(possible[0])
    expect(snapshots.filter((pages) => !possible.includes(pages))).toEqual([])
    expect(await members()).toEqual(after.slice(0, 100).map(({ username }) => username))
    expect(await userOf('new 699')).toMatchObject({ domains: [domain.id] })
  })

  inFullRun.each(['in one process', 'in two processes'])(
    'synchronizations of a domain run one at a time, %s',
    async (where) => {
      const { call, domain } = await newTenant()
      const there = where === 'in two processes' ? await startService({ database, clock: running.clock }) : running
      const callThere = there === running ? call : createCall(there.origin, tenant.apiKey)
      const bodies = [many(700, 'one'), many(700, 'two'), many(700, 'three')]

      const answers = await Promise.all(
        bodies.map((body, index) => (index === 1 ? callThere : call)('PUT', `/domains/${domain.id}/users`, { body })),
      )

      const pages = await Promise.all(
        Array.from({ length: 8 }, (_, page) => call('GET', `/domains/${domain.id}/users?page=${page + 1}`)),
      )
      const names: string[] = pages.flatMap(({ json }) => json.map(({ username }: { username: string }) => username))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(bodies.map((body) => body.map(({ username }) => username))).toContainEqual(names)
      if (there !== running) await there.close()
    },
  )

  describeInFullRun('that dies', () => {
    inFullRun(
      'a synchronization that dies before it is applied leaves everything unchanged, and nothing behind',
      async () => {
        await newTenant()
        await put(people('old', 'stays'))
        const before = await userOf('stays')
        const { ctx } = await stageAndDie([...people('new', 'newer'), { ...newUser('stays'), name: 'Another' }])

        const meanwhile = [await members(), await userOf('new'), await userOf('stays')]
        await running.clock.advance(301)

        expect(meanwhile).toEqual([['old', 'stays'], 'api.error.notfound.user', before])
        await expect.poll(() => leftOvers(ctx, 'new')).toEqual([0, 0, 0, 2])
        expect([await members(), await userOf('stays')]).toEqual([['old', 'stays'], before])
      },
    )

    inFullRun('a synchronization that dies after it is applied is completed by others', async () => {
      const { domain } = await newTenant()
      const enrolled = await running.enroll('not of this domain')
      await put(people('old', 'stays'))
      const { ctx, claimed } = await stageAndDie([...people('new'), { ...newUser('stays'), name: 'Another' }])
      await markApplied(ctx.store.db, claimed, running.clock.now())

      const meanwhile = [await members(), (await userOf('new')).domains, (await userOf('old')).domains]
      await running.clock.advance(301)

      expect(meanwhile).toEqual([['stays', 'new'], [domain.id], []])
      await expect.poll(() => leftOvers(ctx, 'new')).toEqual([0, 0, 1, 2])
      expect([await members(), (await userOf('stays')).name]).toEqual([['stays', 'new'], 'Another'])
      expect(await enrolled.ask()).toMatchObject({ state: 'pending' })
    })

    it('a synchronization that dies is replaced by the next one', async () => {
      await newTenant()
      await put(people('old'))
      const { ctx } = await stageAndDie(people('new'))
      const waiting = put(people('newer'))
      await running.clock.timerSet(10)

      await running.clock.advance(10)
      await waiting

      expect([await members(), await userOf('new')]).toEqual([['newer'], 'api.error.notfound.user'])
      expect(await leftOvers(ctx, 'new')).toEqual([0, 0, 0, 1])
    })

    inFullRun('a synchronization that dies and resumes finds that it was replaced', async () => {
      await newTenant()
      const { ctx, claimed } = await stageAndDie(people('new'))
      const waiting = put(people('newer'))
      await running.clock.timerSet(10)
      await running.clock.advance(10)
      await waiting

      await expect(stage(ctx, claimed, { rows: people('late') })).rejects.toThrow('taken over')
      expect(await markApplied(ctx.store.db, claimed, running.clock.now())).toBe(false)
      await expect(finish(ctx, claimed)).rejects.toThrow('taken over')
      expect(await members()).toEqual(['newer'])
    })

    it('a synchronization that dies leaves no removed user able to sign in', async () => {
      await newTenant()
      const { user, ask, device, pending } = await enrollIn(tenant)
      const session = await ask()
      const [request] = await pending()
      const { ctx, claimed } = await stageAndDie([])
      await markApplied(ctx.store.db, claimed, running.clock.now())

      const approved = await device.answer(session.id, { nonce: request!.nonce, decision: 'approve' })
      const laterSession = await tenant.call('POST', `/domains/${tenant.domain.id}/sessions`, {
        body: { user: { id: user.id } },
      })

      expect([approved.status, laterSession.code]).toEqual([409, 'api.error.notfound.user'])
    })

    it('a synchronization that dies leaves no removed user who could return with the old device', async () => {
      await newTenant()
      const { user, device } = await enrollIn(tenant)
      const { ctx, claimed } = await stageAndDie([])
      await markApplied(ctx.store.db, claimed, running.clock.now())

      await tenant.call('PUT', `/domains/${tenant.domain.id}/users/${user.id}`)
      const meanwhile = await members()
      await finish(ctx, claimed)

      expect([meanwhile, await members()]).toEqual([[user.username], [user.username]])
      expect((await device.inbox()).status).toBe(403)
    })
  })

  describeInFullRun('while others change the domain', () => {
    it('a synchronization keeps users that others add meanwhile, and does not bring back users that they remove', async () => {
      const { call, domain } = await newTenant()
      await put(people('a', 'b', 'c'))
      const [a, b] = [await userOf('a'), await userOf('b')]
      const outsider = (await call('POST', '/users', { body: newUser('outsider') })).json
      const { ctx, claimed } = await stageAndDie(people('a', 'b', 'outsider', 'new'))

      await call('PUT', `/domains/${domain.id}/users/${outsider.id}`)
      await call('DELETE', `/domains/${domain.id}/users/${a.id}`)
      await call('DELETE', `/users/${b.id}`)
      const during = await members()
      await markApplied(ctx.store.db, claimed, running.clock.now())
      await finish(ctx, claimed)

      expect([during, await members()]).toEqual([
        ['c', 'outsider'],
        ['outsider', 'new'],
      ])
    })

    it('a synchronization reserves the usernames that it is about to create', async () => {
      const { call } = await newTenant()
      const { ctx, claimed } = await stageAndDie(people('new'))

      const taken = await call('POST', '/users', { body: newUser('new') })
      await markApplied(ctx.store.db, claimed, running.clock.now())
      await finish(ctx, claimed)

      expect([taken.code, await members()]).toEqual(['api.error.conflict.username', ['new']])
    })
  })

  inFullRun('a synchronization accepts 5,000 users in one body, and no body above 16 MiB', async () => {
    const { call, domain } = await newTenant()

    const users = many(5_000)
    const large = await put(users)
    const tooLarge = await call('PUT', `/domains/${domain.id}/users`, { raw: ' '.repeat(16 * 1024 * 1024 + 1) })

    expect([large.status, tooLarge.status]).toEqual([200, 413])
    expect(await userOf('person 4999')).toMatchObject({ domains: [domain.id] })
  })

  it('a synchronization reads names and addresses from the body', async () => {
    await newTenant()
    await put(people('a', 'b'))
    const before = await userOf('a')

    await put([{ username: 'a', name: 'Ännä', email: 'another@example.com' }, newUser('b')])

    expect(await userOf('a')).toEqual({ ...before, name: 'Ännä', email: 'another@example.com' })
    expect(await userOf('b')).toMatchObject(newUser('b'))
  })

  inFullRun('a synchronization invalidates codes that were sent to an old address, and only those', async () => {
    const { domain } = await newTenant()
    await put(people('moves', 'stays'))
    const { db } = (await node()).store
    const [moves, stays] = [await userOf('moves'), await userOf('stays')]
    for (const { id } of [moves, stays]) {
      const code = { domainId: domain.id, userId: id, codeLookup: id, wrongTries: 0, expiresAt: 9_999_999_999 }
      await db.insertInto('emailCode').values(code).execute()
    }

    await put([
      { ...newUser('moves'), email: 'new@example.com' },
      { ...newUser('stays'), name: 'New' },
    ])

    const changed = await db.selectFrom('user').select('id').where('emailChangedAt', 'is not', null).execute()
    const codes = await db.selectFrom('emailCode').select('userId').where('domainId', '=', domain.id).execute()
    expect(changed.map(({ id }) => id)).toContain(moves.id)
    expect(changed.map(({ id }) => id)).not.toContain(stays.id)
    expect(codes).toEqual([{ userId: stays.id }])
  })

  inFullRun('a synchronization lists new users in the order of the body', async () => {
    await newTenant()
    const users = many(90)

    await put(users)

    expect(await members()).toEqual(users.map(({ username }) => username))
  })

  inFullRun('a synchronization changes nothing the second time', async () => {
    await newTenant()
    const users = [...many(700), { username: 'ä', name: 'Ö', email: 'x@example.com' }]
    await put(users)
    const user = await userOf('person 7')
    const token = await tenant.call('PUT', `/domains/${tenant.domain.id}/users/${user.id}/token`)
    const { db } = (await node()).store
    const dump = async () => [
      await db.selectFrom('user').selectAll().orderBy('sequence').execute(),
      await db.selectFrom('membership').selectAll().orderBy('sequence').execute(),
      await db.selectFrom('token').selectAll().execute(),
    ]
    const before = await dump()

    await put(users)

    expect(await dump()).toEqual(before)
    expect((await tenant.call('GET', `/domains/${tenant.domain.id}/users/${user.id}/token`)).json).toEqual(token.json)
  })

  inFullRun('a synchronization leaves other domains and organizations alone', async () => {
    const other = await newTenant()
    await put(people('same'))
    await newTenant()
    const second = await running.service.administration.createDomain(tenant.organization.id, { name: 'Second' })
    await put(people('same', 'both'))
    const sharedUser = await userOf('both')
    await tenant.call('PUT', `/domains/${second.id}/users/${sharedUser.id}`)

    await put(people('same'))

    expect(await members(other)).toEqual(['same'])
    expect(await userOf('both')).toMatchObject({ domains: [second.id] })
  })

  inFullRun('a synchronization with an empty list empties a domain', async () => {
    await newTenant()
    await put(many(30))

    await put([])

    expect(await members()).toEqual([])
  })

  describeInFullRun('of an invalid body', () => {
    beforeAll(async () => {
      await newTenant()
      await put(people('old'))
    })

    const long = 'x'.repeat(129)
    it.each<[string, unknown, string]>([
      [
        'a user twice',
        [...many(40), { ...newUser('person 3'), name: 'Another' }],
        'users[40].username: the same as users[3].username, but name or email differ',
      ],
      ['no address', [...many(41), { username: 'x', name: 'X' }], 'users[41].email: '],
      ['a name of another type', [{ ...newUser('x'), name: 7 }], 'users[0].name: '],
      ['no username', [newUser('x'), { name: 'N', email: 'e@example.com' }], 'users[1].username: '],
      ['a username that is too long', [newUser(long)], 'users[0].username: '],
      ['a value of another type', [newUser('x'), 'Secret1'], 'users[1]: '],
      ['null as a user', [null], 'users[0]: '],
      ['no array', { users: [] }, 'users: '],
    ])('a synchronization with an invalid body (%s) names the place, and changes nothing', async (_, body, place) => {
      const answer = await put(body)

      expect([answer.status, answer.code]).toEqual([400, 'api.error.invalid.users'])
      expect(answer.json.errors[0].message).toContain(place)
      expect(answer.text).not.toMatch(/Secret1|x{9}/)
      expect(await members()).toEqual(['old'])
    })
  })

  describe('with names and addresses that cannot be used', () => {
    const long = 'x'.repeat(129)
    const rows = [
      { username: 'known', name: long, email: 'Secret1' },
      { username: 'new', name: 'tab\there', email: 'two@example.com three@example.com' },
      { username: 'usual', name: 'Usual', email: 'r&d@example.com' },
      { username: 'none', name: 'None', email: '' },
    ]

    it('a synchronization reports unusable names and addresses in 1.4, rejects no row and keeps what known users have', async () => {
      await newTenant()
      await put([{ username: 'known', name: 'Known', email: 'known@example.com' }, ...people('leaves')])

      const answer = await put(rows)

      expect(answer.status).toBe(200)
      expect(answer.json).toMatchObject({
        unused: 4,
        rows: [
          { row: 0, field: 'name', message: 'must have 1 to 128 characters' },
          { row: 0, field: 'email', message: 'must be an e-mail address such as alice@example.com' },
          { row: 1, field: 'name' },
          { row: 1, field: 'email' },
        ],
      })
      expect(answer.text).not.toMatch(/Secret1|x{9}|three/)
      expect((await members()).toSorted()).toEqual(['known', 'new', 'none', 'usual'])
      expect(await userOf('known')).toMatchObject({ name: 'Known', email: 'known@example.com' })
      expect(await userOf('new')).toMatchObject({ name: 'new', email: '' })
      expect(await userOf('usual')).toMatchObject({ name: 'Usual', email: 'r&d@example.com' })
      expect(await userOf('none')).toMatchObject({ name: 'None', email: '' })
    })

    inFullRun(
      'a synchronization lists the first hundred unusable names and addresses, and counts the rest',
      async () => {
        await newTenant()

        const { json } = await put(many(150).map((row) => ({ ...row, email: 'nowhere' })))

        expect([json.unused, json.rows.length, json.rows.at(-1).row]).toEqual([150, 100, 99])
      },
    )

    inFullRun.each<[string, object, string]>([
      ['address', { email: 'Secret1' }, 'users[1].email: '],
      ['name', { name: long }, 'users[1].name: '],
    ])(
      'a synchronization with an unusable name or address is rejected as a whole in 1.3: %s',
      async (_, wrong, place) => {
        const { call, domain } = await newTenant()
        await put(people('old'))
        const body = [newUser('x'), { ...newUser('y'), ...wrong }]

        const headers = { accept: 'application/vnd.service.v1+json' }
        const answer = await call('PUT', `/domains/${domain.id}/users`, { headers, body })
        const usual = await call('PUT', `/domains/${domain.id}/users`, { headers, body: people('old') })

        expect([answer.status, answer.code]).toEqual([400, 'api.error.invalid.users'])
        expect(answer.json.errors[0].message).toContain(place)
        expect(answer.text).not.toMatch(/Secret1|x{9}/)
        expect([usual.status, usual.text]).toEqual([200, ''])
        expect(await members()).toEqual(['old'])
      },
    )
  })

  describe('that is overtaken by another one', () => {
    it('a synchronization does not overwrite the list that arrived after it', async () => {
      const { domain } = await newTenant()
      await put(people('old'))
      const body = JSON.stringify(people('earlier'))
      const slow = await openRaw(Number(new URL(running.origin).port))
      slow.send(
        [
          `PUT /api/domains/${domain.id}/users HTTP/1.1`,
          'Host: localhost',
          `Authorization: Service key="${tenant.apiKey}"`,
          `Content-Length: ${Buffer.byteLength(body)}`,
          '\r\n',
        ].join('\r\n') + body.slice(0, 5),
      )
      // It gets its ticket as soon as its head has been read.
      const { db } = (await node()).store
      const ticket = async () =>
        (await db.selectFrom('domain').select('synchronizationTicket').where('id', '=', domain.id).executeTakeFirst())
          ?.synchronizationTicket
      await expect.poll(ticket).toBe(2)

      const later = await put(people('later'))
      slow.send(body.slice(5))
      const earlier = await slow.answer()
      slow.end()

      expect([later.status, earlier.status]).toEqual([200, 200])
      expect(await members()).toEqual(['later'])
    })

    it('a synchronization is not carried out if its caller has disconnected', async () => {
      const { call, domain } = await newTenant()
      await put(people('old'))
      const { ctx, claimed } = await stageAndDie([])
      const caller = new AbortController()
      const request = fetch(`${running.origin}/api/domains/${domain.id}/users`, {
        method: 'PUT',
        headers: { authorization: `Service key="${tenant.apiKey}"` },
        body: JSON.stringify(people('given up')),
        signal: caller.signal,
      }).catch(() => 'given up')
      await running.clock.timerSet(10)

      caller.abort()
      await request
      await call('GET', '/organization')
      await undo(ctx, claimed)
      const next = await put(people('old', 'next'))

      expect(next.status).toBe(200)
      expect(await members()).toEqual(['old', 'next'])
      expect(await userOf('given up')).toBe('api.error.notfound.user')
    })

    it('a synchronization is not carried out if its caller disconnects while it is staged', async () => {
      const { domain, organization } = await newTenant()
      await put(people('old'))
      const ctx = await node()
      const target = { organizationId: organization.id, domainId: domain.id }
      let isGone = false
      const synchronization = synchronizeMembers(ctx, {
        ...target,
        rows: people('given up'),
        ticket: (await drawTicket(ctx.store.db, target)) ?? 0,
        expected: undefined,
        progress: () => (isGone = true),
        disconnected: () => isGone,
      })

      await expect(synchronization).rejects.toThrow('The caller of the synchronization has disconnected.')
      expect([await members(), await userOf('given up')]).toEqual([['old'], 'api.error.notfound.user'])
    })

    it('a synchronization replaces only the version that If-Match names', async () => {
      const { call, domain } = await newTenant()
      const version = async (): Promise<number> =>
        (await call('GET', `/domains/${domain.id}`)).json.synchronizationVersion
      const putIf = (match: string, users: unknown) =>
        call('PUT', `/domains/${domain.id}/users`, { body: users, headers: { 'if-match': match } })

      const first = await putIf('"0"', people('first'))
      const stale = await putIf('"0"', people('stale'))
      const unread = await putIf('W/"1"', people('unread'))
      const second = await putIf(first.headers.get('etag') ?? '', people('second'))

      expect([first.status, stale.status, unread.status, second.status]).toEqual([200, 412, 412, 200])
      expect([stale.code, unread.code]).toEqual(['api.error.precondition', 'api.error.precondition'])
      expect(second.headers.get('etag')).toBe(`"${await version()}"`)
      expect(await members()).toEqual(['second'])
    })
  })

  describe('whose process has certainly exited', () => {
    /** As the next process with the same id sees it. */
    const another = () => JSON.stringify({ ...JSON.parse(ownProcess ?? '{}'), start: '1' })

    inFullRun('a synchronization whose process has certainly exited is replaced at once', async () => {
      await newTenant()
      const { ctx } = await stageAndDie(people('new'))
      await ctx.store.db.updateTable('synchronization').set({ holderProcess: another() }).execute()

      await put(people('newer'))

      expect(await members()).toEqual(['newer'])
    })

    it('a synchronization whose process has certainly exited reserves no username', async () => {
      const { call } = await newTenant()
      const { ctx } = await stageAndDie(people('new'))
      await ctx.store.db.updateTable('synchronization').set({ holderProcess: another() }).execute()

      const created = await call('POST', '/users', { body: newUser('new') })

      expect([created.status, (await userOf('new')).id]).toEqual([200, created.json.id])
      // Only of this organization; an earlier test may have left others.
      expect((await leftOvers(ctx, 'new')).slice(1)).toEqual([0, 1, 0])
    })

    it.each([
      ['on another machine', { boot: 'another' }],
      ['in another container', { namespace: 'pid:[1]' }],
    ])('a synchronization is waited for if its process runs %s', async (_where, elsewhere) => {
      await newTenant()
      const { ctx } = await stageAndDie(people('new'))
      const holderProcess = JSON.stringify({ ...JSON.parse(another()), ...elsewhere })
      await ctx.store.db.updateTable('synchronization').set({ holderProcess }).execute()

      const taken = await tenant.call('POST', '/users', { body: newUser('new') })
      const waiting = put(people('newer'))
      await running.clock.timerSet(10)
      await running.clock.advance(10)
      await waiting

      expect(taken.code).toBe('api.error.conflict.username')
      expect(await members()).toEqual(['newer'])
    })
  })
})
