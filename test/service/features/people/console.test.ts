import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { PeopleFilter } from '../../../../src/admin-contract/people.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { noteSignIn } from '../../../../src/service/features/sessions/last-sign-ins.ts'
import { hardwareToken, member, unique } from '../codes/code-holder.ts'
import { browserUser, passByCode } from '../browsers/known-browser.ts'
import { passkeyHolder } from '../passkeys/passkey-holder.ts'
import { search } from '../../../../src/service/features/people/console.ts'
import type { Call } from '../../../../src/service/engine/http/route.ts'
import { newUser } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { inFullRun } from '../../../support/full-run.ts'

const because = 'lost_device'

describe.each(mainEngines)('people on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let owner: Awaited<ReturnType<typeof administrator>>

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    // Ceremonies are limited by address.
    running.clock.skip(600)
    owner = await administrator(running, { role: 'owner' })
  })

  const find = async (query: Record<string, string>): Promise<string[]> => {
    const { json } = await owner.call('GET', `/people?${new URLSearchParams(query).toString().replaceAll('+', '%20')}`)
    return json.people.map(({ username }: { username: string }) => username)
  }
  const person = async (more: object = {}) => {
    const { json } = await running.call('POST', '/users', { body: { ...newUser(unique()), ...more } })
    await running.call('PUT', `/domains/${running.domain.id}/users/${json.id}`)
    return json as { id: string; username: string }
  }
  const act = (id: string, action: string, more: object = {}) =>
    owner.call('POST', `/people/${id}/${action}`, { body: { because, ...more } })

  describe('a search', () => {
    inFullRun('a people search finds a part of a name, username or e-mail address, in any case', async () => {
      const { username } = await person({ name: 'Zoë Quibblesworth', email: 'zq77@example.net' })

      expect(await find({ q: 'QUIBBLES' })).toEqual([username])
      expect(await find({ q: 'zq77@' })).toEqual([username])
      expect(await find({ q: username.slice(1).toUpperCase() })).toContain(username)
    })

    inFullRun(
      'a people search finds the name of a device and a serial number, as long as the person has them',
      async () => {
        const { user } = await running.enroll(unique())
        const domain = `/domains/${running.domain.id}/users/${user.id}`
        await running.call('PUT', `${domain}/token/device`, { body: { name: 'Wombatphone' } })
        const { id: hardwareId } = await hardwareToken(running)
        const { serialNumber } = (await running.call('GET', `/hardware/${hardwareId}`)).json
        await running.call('PUT', `/users/${user.id}/hardware/${hardwareId}`)

        const matches = [await find({ q: 'ombatph' }), await find({ q: serialNumber })]
        await running.call('DELETE', `${domain}/token`)
        await running.call('DELETE', `/users/${user.id}/hardware`)

        expect(matches).toEqual([[user.username], [user.username]])
        expect([await find({ q: 'ombatph' }), await find({ q: serialNumber })]).toEqual([[], []])
      },
    )

    inFullRun('a people search finds what a person is called now', async () => {
      const { id, username } = await person({ name: 'Maiden Xylophone' })
      await running.call('PUT', `/users/${id}`, { body: { name: 'Married Trombone' } })

      expect([await find({ q: 'xylophone' }), await find({ q: 'trombone' })]).toEqual([[], [username]])
      await running.call('DELETE', `/users/${id}`)
      expect(await find({ q: 'trombone' })).toEqual([])
    })

    it('a people search is answered while apps wait for as many lists as are read at a time', async () => {
      const { username } = await person()
      const end = Promise.withResolvers<void>()
      const lists = [1, 2, 3].map(() => running.ctx.lists.ofApps.run(() => end.promise))
      const call: Call = {
        ...running.ctx,
        organizationId: running.organization.id,
        actor: { kind: 'cli', id: 'test' },
        role: 'admin',
        limitedTo: null,
        version: '1.4',
      }

      const { people } = await search({ q: username }, call)
      end.resolve()
      await Promise.all(lists)

      expect(people.map((found) => found.username)).toEqual([username])
    })

    inFullRun('a people search finds words in any order, in whatever fields of a person they are', async () => {
      const { user } = await running.enroll(unique())
      await running.call('PUT', `/domains/${running.domain.id}/users/${user.id}/token/device`, {
        body: { name: 'Narwhalphone' },
      })
      await running.call('PUT', `/users/${user.id}`, { body: { name: 'Nadia Gömez-Becker' } })

      const texts = [
        'nadia becker',
        'BECKER nadia',
        'gömez na',
        'narwhal gömez',
        'dia gömez narwhal becker phone',
        'nadia unknown',
      ]
      const matches = await Promise.all(texts.map((q) => find({ q })))

      expect(matches).toEqual([...Array.from({ length: 5 }, () => [user.username]), []])
    })

    inFullRun(
      'a people search finds each person once, however many fields of the person contain the word',
      async () => {
        const name = `Echidna${unique()}`
        const domains: { id: string }[] = []
        for (let index = 0; index < 2; index += 1)
          domains.push(await running.service.administration.createDomain(running.organization.id, { name: unique() }))
        const rows = Array.from({ length: 60 }, (_, index) => ({ ...newUser(`${unique()} ${index}`), name }))
        await running.call('PUT', `/domains/${domains[0]!.id}/users`, { body: rows })
        const { json: users } = await running.call('GET', `/domains/${domains[0]!.id}/users`)
        // Two devices of each carry the name as well.
        const devices = users.flatMap(({ id: userId }: { id: string }, index: number) =>
          domains.map(({ id: domainId }, each) => ({
            id: `${index}-${each}-${name}`,
            tokenId: unique(),
            domainId,
            userId,
            name,
            keyX: '',
            keyY: '',
            createdAt: 1,
          })),
        )
        for (const device of devices) await running.ctx.store.db.insertInto('device').values(device).execute()

        const first = (await owner.call('GET', `/people?q=${name}`)).json
        const second = (await owner.call('GET', `/people?q=${name}&from=${first.next}`)).json

        const all = [...first.people, ...second.people].map(({ username }: { username: string }) => username)
        expect([first.people.length, second.people.length, second.next]).toEqual([50, 10, undefined])
        expect(new Set(all).size).toBe(60)
      },
    )

    inFullRun('a people search finds users that a synchronization has added', async () => {
      const { id } = await running.service.administration.createDomain(running.organization.id, { name: unique() })
      const name = 'Synchronized Platypus'
      await running.call('PUT', `/domains/${id}/users`, { body: [{ ...newUser('platypus'), name }] })

      expect(await find({ q: 'platypus' })).toEqual(['platypus'])
    })

    inFullRun('a people search takes its text literally, whatever it contains', async () => {
      await person({ name: 'Percy 100% under_score' })

      const texts = ['100%', '0% u', 'under_', '" or 1', '*abc', "'; --", '\\\\\\', 'AND OR NOT', 'a"b"c', 'x\u0000yz']
      const answers = await Promise.all(texts.map((q) => owner.call('GET', `/people?q=${encodeURIComponent(q)}`)))

      expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200))
      expect(answers.map(({ json }) => json.people.length)).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    })

    inFullRun.each([
      ['Nadia Bécker', ['becker nadia', 'BECKER na', 'nadia becker']],
      ['Peña Sánchez', ['sanchez', 'SÁNCHEZ pena']],
      ['Yılmaz İpekçi', ['yilmaz', 'YILMAZ ipekci']],
      ['Jörg Straßer', ['strasse', 'STRASSE jorg']],
      ['Đặng Thị Hoà', ['dang', 'dang hoa']],
      ['Łukasz Ørsted', ['lukasz orsted']],
      ['Æsa Þórðardóttir', ['aesa', 'thordardottir']],
      ['山田太郎', ['山田', '太郎', '田']],
      ['Li Wu', ['li wu', 'wu li', 'WU']],
      ['Ёлкин Семён', ['елкин семен', 'ЁЛКИН']],
      ['Re\u0301mi Ｙａｍａ', ['rémi yama', 'remi']],
    ])('a people search finds %s without case and accents, and by short words', async (name, texts) => {
      const { username } = await person({ name })

      const matches = await Promise.all(texts.map((q) => find({ q })))

      for (const names of matches) expect(names).toContain(username)
    })

    inFullRun('a people search finds a person whose name gains or loses an accent', async () => {
      const { id, username } = await person({ name: 'Zoë Quokka' })
      await running.call('PUT', `/users/${id}`, { body: { name: 'Zoe Quökka' } })

      expect(await find({ q: 'zoë quokka' })).toEqual([username])
    })

    inFullRun(
      'the list of people without a search text is sorted by name, or by username where there is none',
      async () => {
        const { id } = await running.service.administration.createDomain(running.organization.id, { name: unique() })
        const names = [
          ['Åsa', 'sorted 2'],
          ['', 'Aaron'],
          ['zoe', 'sorted 1'],
          ['Bob', 'sorted 3'],
        ] as const
        const rows = names.map(([name, username]) => ({ ...newUser(username), name }))
        await running.call('PUT', `/domains/${id}/users`, { body: rows })
        const listed = async (query: string) =>
          (await owner.call('GET', `/people?domain=${id}${query}`)).json.people.map(
            (each: { username: string }) => each.username,
          )

        const up = ['Aaron', 'sorted 2', 'sorted 3', 'sorted 1']
        expect(await listed('')).toEqual(up)
        expect(await listed('&sort=name&order=desc')).toEqual(up.toReversed())
      },
    )

    inFullRun(
      'the list of people can be sorted by last sign-in, newest first and people without one last',
      async () => {
        const { id } = await running.service.administration.createDomain(running.organization.id, { name: unique() })
        const rows = ['sleeps', 'yesterday', 'today'].map((username) => newUser(`${username} ${id}`))
        await running.call('PUT', `/domains/${id}/users`, { body: rows })
        const { json: users } = await running.call('GET', `/domains/${id}/users`)
        const idOf = (name: string) => users.find(({ username }: { username: string }) => username.startsWith(name)).id
        const now = running.clock.now()
        await noteSignIn(running.ctx.store.db, idOf('today'), now - 86_400)
        await noteSignIn(running.ctx.store.db, idOf('yesterday'), now - 2 * 86_400)
        await noteSignIn(running.ctx.store.db, idOf('today'), now)
        const listed = async (query: string) =>
          (await owner.call('GET', `/people?domain=${id}&sort=lastSignIn${query}`)).json.people.map(
            (each: { username: string }) => each.username.split(' ')[0],
          )

        const newest = ['today', 'yesterday', 'sleeps']
        expect(await listed('')).toEqual(newest)
        expect(await listed('&order=asc')).toEqual(newest.toReversed())
      },
    )

    it('a people search says how many it finds and at which number a page begins', async () => {
      const { id } = await running.service.administration.createDomain(running.organization.id, { name: unique() })
      const { id: other } = await running.service.administration.createDomain(running.organization.id, {
        name: unique(),
      })
      const rows = Array.from({ length: 60 }, (_, index) => newUser(`counted ${index} ${id}`))
      await running.call('PUT', `/domains/${id}/users`, { body: rows })
      await running.call('PUT', `/domains/${other}/users`, { body: [newUser(`counted elsewhere ${id}`)] })
      const { call } = await administrator(running, { role: 'admin', domains: [id] })
      const pageOf = async (query: string, as = owner.call) => {
        const { people, ...page } = (await as('GET', `/people?q=counted%20${id}${query}`)).json
        return { ...page, people: people.length }
      }

      expect(await pageOf('')).toEqual({ people: 50, from: 1, total: { count: 61, more: false }, next: 51 })
      expect(await pageOf('&from=51')).toEqual({ people: 11, from: 51, total: { count: 61, more: false } })
      expect(await pageOf('&from=900')).toEqual({ people: 0, from: 900, total: { count: 61, more: false } })
      // What an administrator does not see is not counted either.
      expect((await pageOf('', call)).total).toEqual({ count: 60, more: false })
      expect((await call('GET', '/people')).json.total).toEqual({ count: 60, more: false })
      expect((await owner.call('GET', '/people?from=0')).status).toBe(400)
    })

    inFullRun('a people search has pages of 50', async () => {
      const { id } = await running.service.administration.createDomain(running.organization.id, { name: unique() })
      const rows = Array.from({ length: 120 }, (_, index) => newUser(`paged ${String(index).padStart(3, '0')}`))
      await running.call('PUT', `/domains/${id}/users`, { body: rows })
      const pages: string[][] = []
      let from = 1
      do {
        const { json } = await owner.call('GET', `/people?domain=${id}&q=paged&from=${from}`)
        pages.push(json.people.map(({ username }: { username: string }) => username))
        from = json.next
      } while (from !== undefined)

      expect(pages.map(({ length }) => length)).toEqual([50, 50, 20])
      expect(pages.flat().toSorted()).toEqual(rows.map(({ username }) => username))
    })
  })

  describe('a filter', () => {
    const ways: Readonly<Record<PeopleFilter, () => Promise<{ username: string }>>> = {
      async enrolled() {
        const { id } = await passkeyHolder(running)
        return (await running.call('GET', `/users/${id}`)).json
      },
      no_factor: () => person({ email: null }),
      only_email: () => person(),
      async locked() {
        const someone = await member(running)
        for (let tries = 0; tries < 10; tries += 1) await someone.signIn({ otp: '000000' })
        return (await running.call('GET', someone.path)).json
      },
      async bypass_code() {
        const someone = await person()
        const body = { usesAllowed: 1, expirationTime: 60 }
        await running.call('POST', `/users/${someone.id}/bypasscodes`, { body })
        return someone
      },
      inactive: addedLongAgo,
    }
    const month = 30 * 86_400

    /** It has a factor, as the filter is about sign-ins alone. */
    async function addedLongAgo() {
      const someone = await member(running)
      const createdAt = running.clock.now() - month
      await database().updateTable('user').set({ createdAt }).where('id', '=', someone.id).execute()
      return someone
    }
    const database = () => running.ctx.store.db
    const signedIn = (id: string, ago: number) => noteSignIn(database(), id, running.clock.now() - ago)

    beforeAll(() =>
      running.service.administration.setDomain(running.organization.id, running.domain.id, { emailOtpEnabled: true }),
    )

    inFullRun.each(PeopleFilter.options)(
      'the people filter %s shows those it is for, in a list and in a search of any length',
      async (filter) => {
        const { username } = await ways[filter]()

        const matches = await Promise.all(
          ['', username, username.slice(0, 2)].map((q) => find({ filter, q, domain: running.domain.id })),
        )

        for (const names of matches) expect(names).toContain(username)
      },
    )

    inFullRun('people filters do not count a recovery code as a sign-in method, as in the overview', async () => {
      const [silent, mailed] = [await person({ email: null }), await person()]
      for (const { id } of [silent, mailed])
        await running.call('POST', `/users/${id}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 60 } })

      const isFound = async (filter: PeopleFilter, { username }: { username: string }) =>
        (await find({ filter, q: username, domain: running.domain.id })).includes(username)

      expect([await isFound('no_factor', silent), await isFound('only_email', mailed)]).toEqual([true, true])
      expect([await isFound('no_factor', mailed), await isFound('only_email', silent)]).toEqual([false, false])
    })

    it('the filter for enrolled people leaves out people without a strong factor', async () => {
      const { username } = await person()

      expect(await find({ filter: 'enrolled', q: username })).toEqual([])
    })

    inFullRun(
      'the filter for inactive people shows those who last signed in 30 days ago, and when that was',
      async () => {
        const [active, passive] = [await addedLongAgo(), await addedLongAgo()]
        await signedIn(active.id, month - 1)
        await signedIn(passive.id, month)

        expect(await find({ filter: 'inactive', q: active.username })).toEqual([])
        expect(await find({ filter: 'inactive', q: passive.username })).toEqual([passive.username])
        const profile = (await owner.call('GET', `/people/${passive.id}`)).json
        expect(profile.lastSignInAt).toBe(running.clock.now() - month)
      },
    )

    inFullRun('the filter for inactive people leaves out anyone who was added within 30 days', async () => {
      const { id, username } = await addedLongAgo()
      const createdAt = running.clock.now() - month + 1
      await database().updateTable('user').set({ createdAt }).where('id', '=', id).execute()

      expect(await find({ filter: 'inactive', q: username })).toEqual([])
    })

    inFullRun('people filters other than enrolled leave out people with a strong factor', async () => {
      const { id } = await passkeyHolder(running)
      const { json } = await running.call('GET', `/users/${id}`)

      const otherFilters = PeopleFilter.options.filter((filter) => filter !== 'enrolled')
      for (const filter of otherFilters) expect(await find({ filter, q: json.username })).toEqual([])
    })
  })

  describe('the help desk', () => {
    const helpdesk = () =>
      administrator(running, { role: 'helpdesk', domains: [running.domain.id], email: 'hal@example.com' })
    const admin = () =>
      administrator(running, { role: 'admin', domains: [running.domain.id], email: 'ada@example.com' })

    inFullRun('the help desk uses a consent once when three requests race', async () => {
      const [hal, ada, { id }] = [await helpdesk(), await admin(), await person()]
      const body = { operation: 'resetPerson', because }
      const { json } = await hal.call('POST', `/people/${id}/consents`, { body })
      await ada.call('POST', `/consents/${json.id}/give`)

      const answers = await Promise.all(
        [1, 2, 3].map(() => hal.call('POST', `/people/${id}/reset`, { body: { because } })),
      )

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    })

    inFullRun('the help desk can view people by itself, but changes nothing about them', async () => {
      const [{ call }, { id }] = [await helpdesk(), await person()]

      const answers = [
        await call('GET', `/people/${id}`),
        await call('POST', `/people/${id}/unlock`, { body: { because } }),
        await call('POST', `/people/${id}/end-sessions`, { body: { because } }),
      ]

      expect(answers.map(({ status, code }) => code ?? status)).toEqual([
        200,
        'api.error.forbidden.guarded',
        'api.error.forbidden.guarded',
      ])
    })

    it('the help desk resets a person once, after another administrator has consented', async () => {
      const [hal, ada, { id }] = [await helpdesk(), await admin(), await person()]
      const reset = () => hal.call('POST', `/people/${id}/reset`, { body: { because } })
      const alone = await reset()
      const consentRequest = await hal.call('POST', `/people/${id}/consents`, {
        body: { operation: 'resetPerson', because },
      })
      const waiting = await reset()
      const [listedConsent] = (await ada.call('GET', '/consents')).json

      const givenConsent = await ada.call('POST', `/consents/${listedConsent.id}/give`)
      const answers = [await reset(), await reset()]

      expect([alone.code, waiting.code]).toEqual(Array(2).fill('api.error.forbidden.guarded'))
      expect([consentRequest.json.givable, listedConsent.givable, givenConsent.json.state]).toEqual([
        false,
        true,
        'given',
      ])
      expect(answers.map(({ status, code }) => code ?? status)).toEqual([200, 'api.error.forbidden.guarded'])
    })

    it('the help desk cannot use a consent for another action, another person, or as another agent', async () => {
      const [hal, hugo, ada] = [await helpdesk(), await helpdesk(), await admin()]
      const [{ id }, { id: other }] = [await person(), await person()]
      const body = { operation: 'resetPerson', because }
      const { json } = await hal.call('POST', `/people/${id}/consents`, { body })
      await ada.call('POST', `/consents/${json.id}/give`)

      const answers = [
        await hal.call('POST', `/people/${id}/bypass-codes/delete`, { body: { because } }),
        await hal.call('POST', `/people/${other}/reset`, { body: { because } }),
        await hugo.call('POST', `/people/${id}/reset`, { body: { because } }),
      ]

      expect(answers.map(({ code }) => code)).toEqual(Array(3).fill('api.error.forbidden.guarded'))
    })

    inFullRun('the help desk cannot use a consent after 15 minutes, or one that was denied', async () => {
      const [hal, ada, { id }] = [await helpdesk(), await admin(), await person()]
      const ask = async () => {
        const body = { operation: 'resetPerson', because }
        return (await hal.call('POST', `/people/${id}/consents`, { body })).json.id as string
      }
      await ada.call('POST', `/consents/${await ask()}/deny`)
      const denied = await hal.call('POST', `/people/${id}/reset`, { body: { because } })
      running.clock.skip(900)
      await Promise.all([hal.confirm(), ada.confirm()])
      await ada.call('POST', `/consents/${await ask()}/give`)
      running.clock.skip(900)
      await hal.confirm()
      const late = await hal.call('POST', `/people/${id}/reset`, { body: { because } })

      expect([denied.code, late.code]).toEqual(Array(2).fill('api.error.forbidden.guarded'))
    })

    it('the help desk gets no consent from itself, a second account of the agent, or the person concerned', async () => {
      const { id } = await person({ email: 'pat@example.com' })
      const domains = [running.domain.id]
      const hal = await administrator(running, { role: 'helpdesk', domains, email: 'hal@example.com' })
      const second = await administrator(running, { role: 'admin', domains, email: 'HAL@example.com' })
      const pat = await administrator(running, { role: 'admin', domains, user: id, email: 'other@example.com' })
      const patByMail = await administrator(running, { role: 'admin', domains, email: 'pat@example.com' })
      const body = { operation: 'resetPerson', because }
      const { json } = await hal.call('POST', `/people/${id}/consents`, { body })

      const answers = [
        await second.call('POST', `/consents/${json.id}/give`),
        await pat.call('POST', `/consents/${json.id}/give`),
        await patByMail.call('POST', `/consents/${json.id}/give`),
      ]

      expect(answers.map(({ code }) => code)).toEqual(Array(3).fill('api.error.forbidden.own'))
      expect((await hal.call('POST', `/consents/${json.id}/give`)).code).toBe('api.error.forbidden')
    })

    it('the help desk gets a consent only from administrators of every domain in which it could use it', async () => {
      const other = await running.service.administration.createDomain(running.organization.id, { name: unique() })
      const { id } = await person()
      await running.call('PUT', `/domains/${other.id}/users/${id}`)
      const limitedTo = (role: 'helpdesk' | 'admin', domains: string[]) =>
        administrator(running, { role, domains, email: `${unique()}@example.com` })
      const bothDomains = [running.domain.id, other.id]
      const [hal, ofBoth, ofOther] = [
        await limitedTo('helpdesk', bothDomains),
        await limitedTo('admin', bothDomains),
        await limitedTo('admin', [other.id]),
      ]
      const body = { operation: 'resetPerson', because }
      const { json } = await hal.call('POST', `/people/${id}/consents`, { body })

      const sees = async ({ call }: { readonly call: Console['call'] }) =>
        (await call('GET', '/consents')).json.some((consent: { id: string }) => consent.id === json.id) as boolean
      const visibility = [await sees(ofOther), await sees(ofBoth)]
      const answers = [
        await ofOther.call('POST', `/consents/${json.id}/give`),
        await ofBoth.call('POST', `/consents/${json.id}/give`),
      ]

      expect(visibility).toEqual([false, true])
      expect(answers.map(({ status, code }) => code ?? status)).toEqual(['api.error.notfound.consent', 200])
    })

    inFullRun('a consent request of the help desk is decided once', async () => {
      const [hal, ada, { id }] = [await helpdesk(), await admin(), await person()]
      const body = { operation: 'resetPerson', because }
      const { json } = await hal.call('POST', `/people/${id}/consents`, { body })
      await ada.call('POST', `/consents/${json.id}/deny`)

      expect((await ada.call('POST', `/consents/${json.id}/give`)).code).toBe('api.error.conflict.state')
    })
  })

  describe('a person', () => {
    it('the console shows factors, locks and codes of a person, but nothing that opens something', async () => {
      const { user } = await running.enroll(unique())
      const { json: bypassCode } = await running.call('POST', `/users/${user.id}/bypasscodes`, {
        body: { usesAllowed: 2, expirationTime: 60 },
      })

      const profile = await owner.call('GET', `/people/${user.id}`)

      expect(profile.json).toMatchObject({
        username: user.username,
        domains: [running.domain.id],
        elsewhere: false,
        tokens: [{ domain: running.domain.id, state: 'active', device: { name: expect.any(String) } }],
        codes: [{ id: bypassCode.id, usesRemaining: 2 }],
      })
      expect(profile.text).not.toContain(bypassCode.code)
    })

    it('the console does not show a pending activation code of a person', async () => {
      const { id } = await person()
      const token = await running.call('PUT', `/domains/${running.domain.id}/users/${id}/token`)

      const profile = await owner.call('GET', `/people/${id}`)

      expect(profile.json.tokens).toEqual([{ domain: running.domain.id, keyType: 'NONE', state: 'pending' }])
      expect(profile.text).not.toContain(token.json.code)
    })

    inFullRun('an administrator can unlock a person', async () => {
      const someone = await member(running)
      for (let tries = 0; tries < 10; tries += 1) await someone.signIn({ otp: '000000' })
      const { json: before } = await owner.call('GET', `/people/${someone.id}`)

      const { json: after } = await act(someone.id, 'unlock')

      expect(before.locked.until).toBeGreaterThan(running.clock.now())
      expect(after.locked).toBeUndefined()
    })

    inFullRun('a person gets a bypass code that works at once, even if codes were locked', async () => {
      const someone = await member(running)
      for (let tries = 0; tries < 10; tries += 1) await someone.signIn({ otp: '000000' })

      const { json } = await act(someone.id, 'bypass-codes', { usesAllowed: 1, expirationTime: 60 })

      expect((await someone.signIn({ bypasscode: json.code })).state).toBe('approved')
      expect((await act(someone.id, 'bypass-codes/delete')).json.codes).toEqual([])
    })

    inFullRun('an administrator can issue an activation code to a person and revoke a person’s device', async () => {
      const { user } = await running.enroll(unique())
      const { id } = await person()
      const path = `domains/${running.domain.id}/token`

      expect((await act(id, path)).json).toMatchObject({ state: 'pending', code: expect.any(String) })
      expect((await act(user.id, `${path}/revoke`)).json.tokens).toEqual([])
    })

    it('an administrator can assign a hardware token by its serial number and release it', async () => {
      const { id } = await person()
      const { id: hardwareId } = await hardwareToken(running)
      const { serialNumber } = (await running.call('GET', `/hardware/${hardwareId}`)).json

      const impossible = await act(id, 'hardware', { serialNumber: 'a\0' })
      const assigned = await act(id, 'hardware', { serialNumber })
      const released = await act(id, 'hardware/release')

      expect(impossible.status).toBe(400)
      expect(assigned.json.hardware).toMatchObject({ serialNumber })
      expect(released.json.hardware).toBeUndefined()
      expect((await act(id, 'hardware', { serialNumber: 'none such' })).code).toBe('api.error.notfound.hardware')
    })

    inFullRun('an administrator can delete a passkey of a person, and reset a person', async () => {
      const { id, passkey } = await passkeyHolder(running)
      const { user } = await running.enroll(unique())

      const without = await act(id, `passkeys/${passkey.id}/delete`)
      const reset = await act(user.id, 'reset')

      expect(without.json.passkeys).toEqual([])
      expect(reset.json).toMatchObject({
        everEnrolled: false,
        tokens: [],
        factors: expect.not.arrayContaining(['push']),
      })
    })

    it('a person whose sessions an administrator ends has to pass the second step again everywhere', async () => {
      const { id } = await person()
      const epoch = async () => (await running.call('GET', `/users/${id}`)).json.epoch
      const before = await epoch()

      await act(id, 'end-sessions')

      expect(await epoch()).not.toBe(before)
    })

    inFullRun('each action on a person leaves its reason in the audit trail', async () => {
      const { id } = await person()
      await act(id, 'reset')

      const rows = await running.ctx.store.db
        .selectFrom('audit')
        .select(['actorKind', 'actorId', 'facts'])
        .where('event', '=', 'user.reset')
        .execute()

      // Without an order: other tests of this database reset people too.
      const own = rows.find(({ facts }) => facts.includes(id))
      expect(own).toMatchObject({ actorKind: 'administrator', actorId: owner.id })
      expect(JSON.parse(own?.facts ?? '')).toMatchObject({ user: id, because })
    })
  })

  describe('an administrator of one domain', () => {
    it('an administrator of one domain sees browsers that a person keeps there, not elsewhere, until they end', async () => {
      const { id: other } = await running.service.administration.createDomain(running.organization.id, {
        name: unique(),
      })
      const someone = await browserUser(running)
      await running.call('PUT', `/domains/${other}/users/${someone.id}`)
      await someone.pass({ rememberDays: 1, name: 'Firefox on Linux' })
      await someone.pass({ name: 'Known, but asked each time' })
      const elsewhere = { ...running, domain: { ...running.domain, id: other } }
      await passByCode(
        elsewhere,
        { user: { id: someone.id }, otp: someone.token.code() },
        { rememberDays: 1, name: 'Chrome elsewhere' },
      )
      const { call } = await administrator(running, { role: 'admin', domains: [running.domain.id] })
      const browsers = async (as = call) => (await as('GET', `/people/${someone.id}`)).json.browsers

      const visibleBrowsers = await browsers()
      const all = await browsers(owner.call)
      await act(someone.id, 'reset')

      const own = { domain: running.domain.id, name: 'Firefox on Linux' }
      expect(visibleBrowsers).toEqual([own])
      expect(all).toEqual(expect.arrayContaining([own, { domain: other, name: 'Chrome elsewhere' }]))
      expect(await browsers(owner.call)).toEqual([])
    })

    it('an administrator of one domain sees only its people, and nothing of their other domains', async () => {
      const { id: other } = await running.service.administration.createDomain(running.organization.id, {
        name: unique(),
      })
      const [mine, theirs] = [await person({ name: 'Shared Ostrich' }), await person({ name: 'Foreign Ostrich' })]
      await running.call('PUT', `/domains/${other}/users/${mine.id}`)
      await running.call('PUT', `/domains/${other}/users/${theirs.id}`)
      await running.call('DELETE', `/domains/${running.domain.id}/users/${theirs.id}`)
      const { call } = await administrator(running, { role: 'admin', domains: [running.domain.id] })

      const searchPage = await call('GET', '/people?q=ostrich')

      expect(searchPage.json.people.map(({ id }: { id: string }) => id)).toEqual([mine.id])
      expect(searchPage.text).not.toContain(other)
      expect((await call('GET', `/people/${mine.id}`)).json).toMatchObject({
        domains: [running.domain.id],
        elsewhere: true,
      })
      expect((await call('GET', `/people?domain=${other}`)).code).toBe('api.error.notfound.domain')
    })

    it('an administrator of one domain does not change what counts in domains that it does not manage', async () => {
      const { id: other } = await running.service.administration.createDomain(running.organization.id, {
        name: unique(),
      })
      const { id } = await person()
      await running.call('PUT', `/domains/${other}/users/${id}`)
      const { call } = await administrator(running, { role: 'admin', domains: [running.domain.id] })
      const ask = (action: string, more: object = {}) =>
        call('POST', `/people/${id}/${action}`, { body: { because, ...more } })

      const answers = [
        await ask('reset'),
        await ask('bypass-codes', { usesAllowed: 1, expirationTime: 1 }),
        await ask('hardware', { serialNumber: 'x' }),
      ]

      expect(answers.map(({ code }) => code)).toEqual(Array(3).fill('api.error.forbidden.elsewhere'))
      expect((await ask(`domains/${running.domain.id}/token`)).status).toBe(200)
      expect((await ask(`domains/${other}/token`)).code).toBe('api.error.notfound.domain')
    })
  })
})
