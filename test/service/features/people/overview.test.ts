import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { listsBehind } from '../../../../src/admin-contract/overview-lists.ts'
import { createEnrollmentCount } from '../../../../src/service/features/people/count-enrolled.ts'
import { lockedUntil } from '../../../../src/service/features/codes/lock.ts'
import { enrollmentStep } from '../../../../src/service/features/people/overview-statements.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { insertManyUsers } from '../../../support/many-users.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { activateDevice, createTenant, newUser } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { personWithDevice } from '../callers/phone-caller.ts'

describe.each(mainEngines)('the overview on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())
  // Ceremonies are limited by address.
  beforeEach(() => running.clock.skip(600))

  const owner = () => administrator(running, { role: 'owner' })
  const limitedTo = (domain: string) => administrator(running, { role: 'helpdesk', domains: [domain] })
  const newDomain = async (name: string, emailOtpEnabled = false): Promise<string> =>
    (await running.service.administration.createDomain(running.organization.id, { name, emailOtpEnabled })).id

  async function addMember(domainId: string, user: object) {
    const { json } = await running.call('POST', '/users', { body: user })
    await running.call('PUT', `/domains/${domainId}/users/${json.id}`)
    return json.id as string
  }

  inFullRun('the overview counts who is enrolled in each domain, and who only gets codes by e-mail', async () => {
    const [domain, mails] = [await newDomain('Counted'), await newDomain('Mails', true)]
    const withDevice = await addMember(domain, newUser('count-1'))
    await addMember(domain, newUser('count-2'))
    await addMember(mails, newUser('count-3'))
    await addMember(mails, { ...newUser('count-4'), email: null })
    const { code } = (await running.call('PUT', `/domains/${domain}/users/${withDevice}/token`)).json
    await activateDevice(running.origin, running.clock, code)

    const { json } = await (await owner()).call('GET', '/overview')

    const rowOf = (id: string) => json.domains.find((row: { domain: string }) => row.domain === id)
    expect(rowOf(domain)).toMatchObject({ name: 'Counted', members: 2, enrolled: 1, onlyEmail: 0 })
    expect(rowOf(mails)).toMatchObject({ members: 2, enrolled: 0, onlyEmail: 1 })
  })

  it('the overview counts a device and codes by e-mail only in their own app, as its lists do', async () => {
    const [domain, other] = [await newDomain('Own figures'), await newDomain('Other figures', true)]
    const person = await personWithDevice(running, other)
    const mailed = await addMember(other, newUser('mailed elsewhere'))
    for (const id of [person.id, mailed]) await running.call('PUT', `/domains/${domain}/users/${id}`)
    const readers = [await limitedTo(domain), await limitedTo(other), await owner()] as const
    const listedIn = async (reader: (typeof readers)[number], filter: string, more: object = {}) => {
      const query = new URLSearchParams({ ...more, filter })
      const { people } = (await reader.call('GET', `/people?${query}`)).json
      const ids = people.map(({ id }: { id: string }) => id)
      return [person.id, mailed].map((id) => ids.includes(id))
    }
    const lists = async (reader: (typeof readers)[number], more: object = {}) =>
      Promise.all(['enrolled', 'no_factor', 'only_email'].map((filter) => listedIn(reader, filter, more)))

    const [mine, theirs, all] = readers

    const [neither, both] = [
      [false, false],
      [true, true],
    ]
    const everywhere = [[true, false], neither, [false, true]]
    expect(await lists(mine)).toEqual([neither, both, neither])
    expect(await lists(all, { domain })).toEqual([neither, both, neither])
    expect([await lists(theirs), await lists(all)]).toEqual([everywhere, everywhere])
    expect((await mine.call('GET', '/overview')).json.domains).toMatchObject([
      { members: 2, enrolled: 0, onlyEmail: 0 },
    ])
    expect((await theirs.call('GET', '/overview')).json.domains).toMatchObject([
      { members: 2, enrolled: 1, onlyEmail: 1 },
    ])
  })

  inFullRun(
    'the overview shows large domains as sweeps have counted them, each of which goes on where the last one stopped',
    async () => {
      const domain = await newDomain('Large')
      const { db } = running.ctx.store
      await createEnrollmentCount(running.ctx)()
      await insertManyUsers(db, {
        organizationId: running.organization.id,
        domainId: domain,
        count: enrollmentStep + 1,
      })
      await db.deleteFrom('enrollmentCount').where('domainId', '=', domain).execute()
      const mine = await limitedTo(domain)
      const countOneStep = createEnrollmentCount(running.ctx, 1)

      const overviews = [(await mine.call('GET', '/overview')).json]
      while (overviews.length < 3) {
        await countOneStep()
        overviews.push((await mine.call('GET', '/overview')).json)
      }

      expect(overviews.map(({ domains, uncounted }) => [domains.length, uncounted])).toEqual([
        [0, [domain]],
        [0, [domain]],
        [1, []],
      ])
      expect(overviews[2].domains).toMatchObject([{ domain, members: enrollmentStep + 1, enrolled: 0 }])
    },
  )

  it('the overview counts sign-ins up to now, those that wait, and those that were reported', async () => {
    const domain = await newDomain('Busy')
    const now = running.clock.now()
    const user = await addMember(domain, newUser('busy'))
    const { db } = running.ctx.store
    const session = { domainId: domain, userId: user, deviceId: null, nonce: '', attributes: '[]', createdAt: now }
    const sessions = [
      { id: 'a1', state: 'pending', reason: null, expiresAt: now + 90, settledAt: null },
      { id: 'a2', state: 'pending', reason: null, expiresAt: now - 1, settledAt: null },
      { id: 'a3', state: 'denied', reason: 'reported', expiresAt: now, settledAt: now - 86_399 },
      { id: 'a4', state: 'denied', reason: 'reported', expiresAt: now, settledAt: now - 86_400 },
      { id: 'a5', state: 'denied', reason: 'user_denied', expiresAt: now, settledAt: now },
    ] as const
    await db
      .insertInto('session')
      .values(sessions.map((row) => ({ ...session, ...row })))
      .execute()
    await running.call('POST', `/domains/${domain}/sessions`, { body: { user: { id: user }, otp: '000000' } })

    const { json } = await (await limitedTo(domain)).call('GET', '/overview')

    expect([json.waiting, json.reported]).toEqual([1, 1])
    expect(json.locked).toBe(0)
    expect(json.signIns).toEqual([
      { day: Math.floor(now / 86_400) * 86_400, outcome: 'denied', factor: 'otp', count: 1 },
    ])
  })

  inFullRun(
    'the overview counts as many reported and denied sign-ins as the lists behind its figures have',
    async () => {
      const domain = await newDomain('Agreeing')
      const [wrong, denies, reports] = [
        await addMember(domain, newUser('agreeing')),
        await personWithDevice(running, domain),
        await personWithDevice(running, domain),
      ]
      const sessions = `/domains/${domain}/sessions`
      await running.call('POST', sessions, { body: { user: { id: wrong }, otp: '000000' } })
      for (const [{ id, device, pending }, decision] of [[denies, 'deny'] as const, [reports, 'report'] as const]) {
        await running.call('POST', sessions, { body: { user: { id } } })
        const [request] = await pending()
        await device.answer(request!.id, { nonce: request!.nonce, decision })
      }
      running.clock.skip(5)
      const reader = await limitedTo(domain)

      const { signIns } = (await reader.call('GET', '/overview')).json
      const listed = async (figure: 'denied' | 'reported') => {
        const query = new URLSearchParams({ ...listsBehind[figure].query, domain })
        return (await (await owner()).call('GET', `/audit?${query}`)).json.entries.length
      }

      const counted = (figure: string) =>
        signIns
          .filter(({ outcome }: { outcome: string }) => outcome === figure)
          .reduce((sum: number, { count }: { count: number }) => sum + count, 0)
      expect([counted('denied'), counted('reported')]).toEqual([2, 1])
      expect([await listed('denied'), await listed('reported')]).toEqual([2, 1])
    },
  )

  inFullRun('the overview counts people whose codes are locked', async () => {
    const domain = await newDomain('Locked')
    const [first, second] = [await addMember(domain, newUser('locked-1')), await addMember(domain, newUser('locked-2'))]
    const now = running.clock.now()
    const { db } = running.ctx.store
    const lock = (id: string, until: number) =>
      db
        .updateTable('user')
        .set({ codesLockedUntil: until, knownCodesLockedUntil: until })
        .where('id', '=', id)
        .execute()
    // Until an administrator unlocks them, and until a moment ago.
    await lock(first, lockedUntil(50, now) ?? 0)
    await lock(second, now)

    const { json } = await (await limitedTo(domain)).call('GET', '/overview')

    expect(json.locked).toBe(1)
  })

  it('the overview shows nothing of other domains and organizations', async () => {
    const stranger = await createTenant(running.service, running.origin)
    const [own, other] = [await newDomain('Own'), await newDomain('Others')]
    const user = await addMember(other, newUser('elsewhere'))
    const now = running.clock.now()
    const { db } = running.ctx.store
    await db
      .updateTable('user')
      .set({ codesLockedUntil: now + 900 })
      .where('id', '=', user)
      .execute()
    for (const domainId of [other, stranger.domain.id]) {
      const row = { domainId, userId: user, deviceId: null, nonce: '', attributes: '[]', createdAt: now }
      const ends = { expiresAt: now + 90, settledAt: null, reason: null, state: 'pending' } as const
      await db
        .insertInto('session')
        .values({ ...row, ...ends, id: `waits ${domainId}` })
        .execute()
      const reported = { ...ends, state: 'denied', reason: 'reported', settledAt: now } as const
      await db
        .insertInto('session')
        .values({ ...row, ...reported, id: `reported ${domainId}` })
        .execute()
    }

    const { json } = await (await limitedTo(own)).call('GET', '/overview')

    expect(json).toMatchObject({ locked: 0, waiting: 0, reported: 0, signIns: [] })
    expect(json.domains.map(({ domain }: { domain: string }) => domain)).toEqual([own])
    expect(json.health).toBeUndefined()
    const all = (await (await owner()).call('GET', '/overview')).json
    expect(all.domains.some(({ domain }: { domain: string }) => domain === stranger.domain.id)).toBe(false)
  })

  it('the overview shows the health of the service to administrators of the whole organization', async () => {
    // A heartbeat, which is stored a moment later.
    await running.clock.advance(10)

    const { call } = await owner()
    const health = async () => (await call('GET', '/overview')).json.health

    await expect.poll(async () => (await health()).nodes.length).toBeGreaterThan(0)
    expect(await health()).toMatchObject({ keysAgree: true, mail: false })
  })

  it('the overview has figures of one domain, but not of a foreign one', async () => {
    const [own, other] = [await newDomain('Mine'), await newDomain('Theirs')]

    const mine = await limitedTo(own)

    expect((await mine.call('GET', `/overview?domain=${own}`)).json.domains).toHaveLength(1)
    expect((await mine.call('GET', `/overview?domain=${other}`)).code).toBe('api.error.notfound.domain')
  })
})
