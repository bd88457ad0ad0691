import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { bulkJobLifetime } from '../../../../src/admin-contract/bulk-jobs.ts'
import {
  revokeAdministrator,
  setAdministratorRole,
} from '../../../../src/service/features/administrators/administration.ts'
import { presentAdministrator } from '../../../../src/service/features/administrators/present-administrator.ts'
import { callAs } from '../../../../src/service/features/bulk-jobs/acting.ts'
import { takePeople } from '../../../../src/service/features/administrators/people-budget.ts'
import { leaseLength } from '../../../../src/service/features/bulk-jobs/held-job.ts'
import { createBulkJobs } from '../../../../src/service/features/bulk-jobs/runner.ts'
import { endAllAccess } from '../../../../src/service/upkeep/restored-statements.ts'
import { useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { calculatedCells, cellsOf } from '../../../support/spreadsheet.ts'
import { member, unique } from '../codes/code-holder.ts'
import { newUser } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console, Invited } from '../administrators/console-holder.ts'
import { askedCaller, personWithDevice } from '../callers/phone-caller.ts'

type Administrator = Awaited<ReturnType<typeof administrator>>

const because = 'locked_out'

describe('an action on many people', () => {
  const newDatabase = useEngine('SQLite')
  let running: Console
  let owner: Administrator
  let otherDomain: string

  beforeAll(async () => {
    // No mail server is there, so enrollment mails can be prepared and started, and fail.
    const smtp = { host: '127.0.0.1', port: 1, from: 'mfa@example.com' }
    running = await startConsole(await newDatabase(), { smtp, authenticatorUrl: 'https://mfa.example' })
    otherDomain = (await running.service.administration.createDomain(running.organization.id, { name: unique() })).id
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    // Ceremonies are limited by address.
    running.clock.skip(600)
    owner = await administrator(running, { role: 'owner', email: `${unique()}@example.org` })
  })

  const database = () => running.ctx.store.db
  const signedIn = (invited: Invited) => administrator(running, { email: `${unique()}@example.org`, ...invited })
  const limited = (role: 'admin' | 'helpdesk') => signedIn({ role, domains: [running.domain.id] })
  const person = async (domains: readonly string[] = [running.domain.id], more: object = {}) => {
    const { json } = await running.call('POST', '/users', { body: { ...newUser(unique()), ...more } })
    for (const domain of domains) await running.call('PUT', `/domains/${domain}/users/${json.id}`)
    return json.id as string
  }
  const prepare = (by: Administrator, people: readonly string[], more: object = {}) =>
    by.call('POST', '/bulk-jobs', { body: { action: 'unlock', because, people, ...more } })
  const removing = () => ({ action: 'remove_member', domain: running.domain.id, because: 'left' })
  const mailing = (domain = running.domain.id) => ({ action: 'enrollment_mail', domain, because: 'new_device' })
  const start = (by: Administrator, { id, people }: { id: string; people: number }) =>
    by.call('POST', `/bulk-jobs/${id}/start`, { body: { people } })
  const read = async (by: Administrator, id: string) => (await by.call('GET', `/bulk-jobs/${id}`)).json
  const ended = async (by: Administrator, id: string) => {
    await vi.waitFor(async () => expect((await read(by, id)).state).not.toBe('running'), { timeout: 5_000 })
    return read(by, id)
  }
  const isMember = async (id: string) =>
    (await running.call('GET', `/domains/${running.domain.id}/users/${id}`)).status === 200
  const entries = async (id: string, event: string) => {
    const rows = await database().selectFrom('audit').selectAll().where('event', '=', event).execute()
    return rows.filter(({ facts }) => facts.includes(id))
  }

  /** Started, and in the hands of a process that has crashed. */
  async function abandoned(by: Administrator, people: readonly string[], more: object = {}) {
    const { json } = await prepare(by, people, more)
    const startedAt = running.clock.now()
    const lease = { holder: 'gone', heldUntil: startedAt + leaseLength }
    await database()
      .updateTable('bulkJob')
      .set({ state: 'running', startedAt, ...lease })
      .where('id', '=', json.id)
      .execute()
    return json as { id: string; people: number }
  }

  inFullRun('a bulk job unlocks people and names the job, the actor and the reason in each audit entry', async () => {
    const people = []
    for (let index = 0; index < 3; index += 1) {
      const someone = await member(running)
      for (let tries = 0; tries < 10; tries += 1) await someone.signIn({ otp: '000000' })
      people.push(someone.id)
    }
    const { json: job } = await prepare(owner, people)
    await start(owner, job)

    const done = await ended(owner, job.id)

    expect(done).toMatchObject({ state: 'done', people: 3, done: 3, skipped: 0, failed: 0 })
    for (const id of people) {
      expect((await owner.call('GET', `/people/${id}`)).json.locked).toBeUndefined()
      const [entry] = await entries(id, 'codes.unlocked')
      expect(entry).toMatchObject({ actorKind: 'administrator', actorId: owner.id })
      expect(JSON.parse(entry!.facts)).toEqual({ user: id, because, job: job.id })
    }
  })

  inFullRun('a bulk job goes on after the clock of the process that has crashed was set back', async () => {
    const { json } = await prepare(owner, [(await member(running)).id])
    const startedAt = running.clock.now()
    const lease = { holder: 'gone', heldUntil: startedAt + 86_400 + leaseLength }
    await database()
      .updateTable('bulkJob')
      .set({ state: 'running', startedAt, ...lease })
      .where('id', '=', json.id)
      .execute()

    expect(await ended(owner, json.id)).toMatchObject({ state: 'done', done: 1 })
  })

  inFullRun('a bulk job removes people from one domain, with their devices there, and from no other', async () => {
    const { user, device } = await running.enroll(unique())
    await running.call('PUT', `/domains/${otherDomain}/users/${user.id}`)
    const { json: job } = await prepare(owner, [user.id], removing())
    await start(owner, job)

    expect(await ended(owner, job.id)).toMatchObject({ state: 'done', done: 1, domain: running.domain.id })
    expect(await isMember(user.id)).toBe(false)
    expect((await running.call('GET', `/domains/${otherDomain}/users/${user.id}`)).status).toBe(200)
    expect((await device.inbox()).status).toBe(403)
  })

  it('a bulk job changes nobody before it is started', async () => {
    const id = await person()

    const { json } = await prepare(owner, [id], removing())

    expect(json).toMatchObject({ state: 'prepared', people: 1, done: 0 })
    expect(await isMember(id)).toBe(true)
  })

  inFullRun('a bulk job from a search changes everyone it found and nobody who came later', async () => {
    const name = unique()
    const rows = Array.from({ length: 60 }, (_, index) => ({ ...newUser(`${name} ${index}`), name }))
    const { id: domain } = await running.service.administration.createDomain(running.organization.id, { name })
    await running.call('PUT', `/domains/${domain}/users`, { body: rows })
    const body = { action: 'remove_member', because: 'left', domain, search: { q: name, domain } }
    const { json: job } = await owner.call('POST', '/bulk-jobs', { body })
    const late = await person([domain], { name })
    await start(owner, job)

    expect(await ended(owner, job.id)).toMatchObject({ people: 60, done: 60 })
    expect((await running.call('GET', `/domains/${domain}/users`)).json.map(({ id }: { id: string }) => id)).toEqual([
      late,
    ])
  })

  it('a bulk job leaves out the administrator’s own record, people of other domains and unknown people, and says so', async () => {
    const domains = [running.domain.id]
    const [own, ownMail, elsewhere, good] = [
      await person(),
      await person(domains, { email: 'Ada@example.org' }),
      await person([otherDomain]),
      await person(),
    ]
    const ada = await signedIn({ role: 'admin', domains, user: own, email: 'ada@example.org' })

    const { json } = await prepare(ada, [own, ownMail, elsewhere, good, '0'.repeat(40)])
    const { json: byOwner } = await prepare(owner, [elsewhere, good], removing())

    expect(json.people).toBe(1)
    expect(json.leftOut).toEqual(
      expect.arrayContaining([
        { reason: 'own', people: 1 },
        // Until an owner has said whose record it is, another administrator has to consent.
        { reason: 'guarded', people: 1 },
        { reason: 'not_found', people: 2 },
      ]),
    )
    expect([byOwner.people, byOwner.leftOut]).toEqual([1, [{ reason: 'not_member', people: 1 }]])
  })

  inFullRun('a bulk job leaves out people who said No to the help desk', async () => {
    const hal = await limited('helpdesk')
    const blocked = await personWithDevice(running)
    await (await askedCaller(hal, blocked)).answer('deny')

    const { json } = await prepare(hal, [blocked.id], mailing())

    expect([json.people, json.leftOut]).toEqual([0, [{ reason: 'blocked', people: 1 }]])
  })

  inFullRun('a bulk job needs a domain that the administrator manages, and either people or a search', async () => {
    const ada = await limited('admin')
    const id = await person()

    const answers = [
      await prepare(ada, [id], { ...removing(), domain: otherDomain }),
      await prepare(ada, [id], { ...removing(), domain: undefined }),
      await prepare(ada, [id], { search: {} }),
      await ada.call('POST', '/bulk-jobs', { body: { action: 'unlock', because } }),
      await ada.call('POST', '/bulk-jobs', { body: { action: 'unlock', because, search: { domain: otherDomain } } }),
    ]

    expect(answers.map(({ code }) => code)).toEqual([
      'api.error.notfound.domain',
      'api.error.malformed',
      'api.error.malformed',
      'api.error.malformed',
      'api.error.notfound.domain',
    ])
  })

  describe('by the help desk', () => {
    it('the help desk cannot remove people with a bulk job', async () => {
      const hal = await limited('helpdesk')

      expect((await prepare(hal, [await person()], removing())).code).toBe('api.error.forbidden')
    })

    it('a bulk job of the help desk covers at most 50 people', async () => {
      const hal = await limited('helpdesk')
      const rows = Array.from({ length: 51 }, () => newUser(unique()))
      const { id: domain } = await running.service.administration.createDomain(running.organization.id, {
        name: unique(),
      })
      await running.call('PUT', `/domains/${domain}/users`, { body: rows })
      const { json } = await running.call('GET', `/domains/${domain}/users`)
      const ids = json.map(({ id }: { id: string }) => id) as string[]
      const { call } = await signedIn({ role: 'helpdesk', domains: [domain] })
      const all = { ...mailing(domain), search: { domain } }

      expect((await call('POST', '/bulk-jobs', { body: all })).code).toBe('api.error.limit.people')
      expect((await call('POST', '/bulk-jobs', { body: { ...all, search: undefined, people: ids } })).code).toBe(
        'api.error.limit.people',
      )
      // People of a foreign domain are left out, so they are not too many.
      expect((await prepare(hal, ids, mailing())).json).toMatchObject({
        people: 0,
        leftOut: [{ reason: 'not_found', people: 51 }],
      })
    })
  })

  describe('by the help desk, again', () => {
    const members = async (count: number) => {
      const { id: domain } = await running.service.administration.createDomain(running.organization.id, {
        name: unique(),
      })
      const rows = Array.from({ length: count }, () => newUser(unique()))
      await running.call('PUT', `/domains/${domain}/users`, { body: rows })
      const { json } = await running.call('GET', `/domains/${domain}/users`)
      const hal = await signedIn({ role: 'helpdesk', domains: [domain] })
      const ids = json.map(({ id }: { id: string }) => id) as string[]
      return { hal, ids, mails: mailing(domain) }
    }

    it('all bulk jobs of a help desk agent together cover at most 50 people in 24 hours', async () => {
      const { hal, ids, mails } = await members(50)
      const { json: first } = await prepare(hal, ids.slice(0, 30), mails)
      await start(hal, first)
      await ended(hal, first.id)

      const more = await prepare(hal, ids.slice(0, 21), mails)
      const { json: rest } = await prepare(hal, ids.slice(30), mails)
      const started = await start(hal, rest)
      await ended(hal, rest.id)
      const smallJob = await prepare(hal, ids.slice(0, 1), mails)
      running.clock.skip(24 * 60 * 60)
      await hal.signIn()
      const dayAfter = await prepare(hal, ids, mails)

      expect([more.code, smallJob.code]).toEqual(['api.error.limit.people', 'api.error.limit.people'])
      expect([started.status, dayAfter.json.people]).toEqual([200, 50])
    })

    it('people whom a canceled bulk job did not reach no longer count toward the help desk’s limit', async () => {
      const { hal, ids, mails } = await members(50)
      const job = await abandoned(hal, ids, mails)
      const administratorRow = (await presentAdministrator(database(), hal.id))!
      await database()
        .transaction()
        .execute((db) => takePeople(db, callAs(running.ctx, administratorRow, { id: job.id, because }), 50))
      const full = await prepare(hal, ids.slice(0, 1), mails)
      await owner.call('POST', `/bulk-jobs/${job.id}/cancel`)

      expect([full.code, (await prepare(hal, ids, mails)).json.people]).toEqual(['api.error.limit.people', 50])
    })
  })

  inFullRun('a bulk job on too many people leaves nothing of its preview behind', async () => {
    const { id: domain } = await running.service.administration.createDomain(running.organization.id, {
      name: unique(),
    })
    const rows = Array.from({ length: 60 }, () => newUser(unique()))
    await running.call('PUT', `/domains/${domain}/users`, { body: rows })
    const { json } = await running.call('GET', `/domains/${domain}/users`)
    // The first ones are left out, and stored, before the others turn out to be too many.
    const unknown = Array.from({ length: 250 }, (_, index) => String(index).padStart(40, '0'))
    const people = [...unknown, ...json.map(({ id }: { id: string }) => id)]
    const items = async () => (await database().selectFrom('bulkItem').select('userId').execute()).length
    const before = await items()

    const { code } = await prepare(await signedIn({ role: 'helpdesk', domains: [domain] }), people, mailing(domain))

    expect([code, await items()]).toEqual(['api.error.limit.people', before])
  })

  describe('a start', () => {
    it('starting a bulk job again, at once or later, does not start it a second time', async () => {
      const id = await person()
      const { json: job } = await prepare(owner, [id])

      const answers = await Promise.all([1, 2, 3].map(() => start(owner, job)))
      await ended(owner, job.id)
      const late = await start(owner, job)

      expect([...answers, late].map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(await entries(job.id, 'bulk.started')).toHaveLength(1)
      expect(await entries(id, 'codes.unlocked')).toHaveLength(1)
    })

    it('starting a bulk job requires the number of people in its preview', async () => {
      const { json: job } = await prepare(owner, [await person()])

      expect((await start(owner, { ...job, people: 2 })).code).toBe('api.error.conflict.people')
    })

    it('only the administrator who prepared a bulk job can start it, within 15 minutes', async () => {
      const ada = await limited('admin')
      const { json: job } = await prepare(ada, [await person()])
      const foreign = await start(owner, job)
      const ofAnother = await start(await limited('admin'), job)
      running.clock.skip(bulkJobLifetime)
      await ada.confirm()

      expect([foreign.code, ofAnother.code]).toEqual(['api.error.forbidden.own', 'api.error.notfound.bulkjob'])
      expect((await start(ada, job)).code).toBe('api.error.conflict.state')
    })

    it('a bulk job cannot start while another one of the same administrator runs', async () => {
      await abandoned(owner, [await person()])
      const { json: job } = await prepare(owner, [await person()])

      expect((await start(owner, job)).code).toBe('api.error.conflict.state')
    })

    inFullRun.each([
      [299, 200],
      [300, 'api.error.forbidden.fresh'],
    ])('starting a bulk job requires a recent pass: after %i seconds, the response is %s', async (seconds, outcome) => {
      await owner.confirm()
      const { json: job } = await prepare(owner, [await person()])
      running.clock.skip(seconds)

      const { status, code } = await start(owner, job)
      if (status === 200) await ended(owner, job.id)

      expect(code ?? status).toBe(outcome)
    })
  })

  describe('that a process has left behind', () => {
    it('another process takes over an abandoned bulk job after half a minute and does the rest once', async () => {
      const people = [await person(), await person(), await person()]
      const job = await abandoned(owner, people, removing())
      const [first] = people.toSorted()
      await running.call('DELETE', `/domains/${running.domain.id}/users/${first!}`)
      await database()
        .updateTable('bulkItem')
        .set({ state: 'done' })
        .where('jobId', '=', job.id)
        .where('userId', '=', first!)
        .execute()

      running.clock.skip(leaseLength - 1)
      await read(owner, job.id)
      await new Promise((resolve) => void setTimeout(resolve, 50))
      const early = await read(owner, job.id)
      running.clock.skip(1)

      expect([early.state, early.done]).toEqual(['running', 1])
      expect(await ended(owner, job.id)).toMatchObject({ state: 'done', done: 3, skipped: 0 })
      for (const id of people) expect(await entries(id, 'membership.removed')).toHaveLength(1)
    })

    inFullRun('a bulk job is done once when several nodes race for it', async () => {
      const people = [await person(), await person(), await person(), await person()]
      const { json: job } = await prepare(owner, people)
      const nodes = [running.ctx, running.ctx, running.ctx].map((ctx) => createBulkJobs(ctx))
      await start(owner, job)
      for (const node of nodes) node.wake()

      await ended(owner, job.id)
      await Promise.all(nodes.map((node) => node.close()))

      for (const id of people) expect(await entries(id, 'codes.unlocked')).toHaveLength(1)
      expect(await entries(job.id, 'bulk.finished')).toHaveLength(1)
    })

    it('a bulk job is left to the next process when the service closes', async () => {
      const job = await abandoned(owner, [await person()])
      running.clock.skip(leaseLength)
      const node = createBulkJobs(running.ctx)
      node.wake()
      await node.close()

      expect(await ended(owner, job.id)).toMatchObject({ state: 'done', done: 1 })
    })
  })

  describe('asks again before it changes each person', () => {
    const goOn = async (by: Administrator, id: string) => {
      running.clock.skip(leaseLength)
      return ended(by, id)
    }

    it('before each person, a bulk job ends if its administrator was revoked', async () => {
      const [ada, id] = [await limited('admin'), await person()]
      const job = await abandoned(ada, [id], removing())
      await revokeAdministrator(running.ctx, { organizationId: running.organization.id, id: ada.id })

      expect(await goOn(owner, job.id)).toMatchObject({ state: 'stopped', done: 0 })
      expect(await isMember(id)).toBe(true)
      const [entry] = await entries(job.id, 'bulk.stopped')
      expect(JSON.parse(entry!.facts)).toMatchObject({ changed: 0, domain: running.domain.id })
    })

    it.each([
      ['the role', { role: 'auditor', domains: [] }],
      ['the domain', { role: 'admin', domains: ['other'] }],
    ] as const)(
      'before each person, a bulk job ends if its administrator has lost %s',
      async (_what, { role, domains }) => {
        const [ada, id] = [await limited('admin'), await person()]
        const job = await abandoned(ada, [id], removing())
        const target = { organizationId: running.organization.id, id: ada.id }
        await setAdministratorRole(running.ctx, target, { role, domains: domains.map(() => otherDomain) })

        expect(await goOn(owner, job.id)).toMatchObject({ state: 'stopped', done: 0 })
        expect(await isMember(id)).toBe(true)
      },
    )

    it('before each person, a bulk job ends if the role now allows fewer people', async () => {
      const ada = await limited('admin')
      // The help desk may do this to fifty people.
      const job = await abandoned(ada, [await person()], { action: 'enrollment_mail', domain: running.domain.id })
      await database().updateTable('bulkJob').set({ people: 51 }).where('id', '=', job.id).execute()
      const target = { organizationId: running.organization.id, id: ada.id }
      await setAdministratorRole(running.ctx, target, { role: 'helpdesk', domains: [running.domain.id] })

      expect(await goOn(owner, job.id)).toMatchObject({ state: 'stopped', done: 0 })
    })

    it('before each person, a bulk job skips those who became the administrator’s own record or left', async () => {
      const ada = await signedIn({ role: 'admin', domains: [running.domain.id], email: 'same@example.org' })
      const [own, gone, moved, good] = [await person(), await person(), await person(), await person()]
      const job = await abandoned(ada, [own, gone, moved, good])
      const record = { user: own, own: true }
      await owner.call('PUT', `/administrators/${ada.id}/record`, { body: record })
      await running.call('DELETE', `/users/${gone}`)
      await running.call('PUT', `/domains/${otherDomain}/users/${moved}`)
      await running.call('DELETE', `/domains/${running.domain.id}/users/${moved}`)

      expect(await goOn(owner, job.id)).toMatchObject({ state: 'done', done: 1, skipped: 3 })
      expect(await entries(own, 'codes.unlocked')).toEqual([])
      const { text } = await owner.call('GET', `/bulk-jobs/${job.id}/report.csv`)
      const rows = new Map(cellsOf(text, ',').map(([id, ...cells]) => [id, cells]))
      expect(rows.get(own)?.slice(2)).toEqual(['skipped', 'own'])
      expect(rows.get(gone)).toEqual(['', '', 'skipped', 'not_found'])
      expect(rows.get(good)?.slice(2)).toEqual(['done', ''])
    })

    inFullRun('before each person, a bulk job ends if it was canceled', async () => {
      const id = await person()
      const job = await abandoned(owner, [id])
      const { json } = await owner.call('POST', `/bulk-jobs/${job.id}/cancel`)
      running.clock.skip(leaseLength)
      const node = createBulkJobs(running.ctx)
      node.wake()
      await node.close()

      expect([json.state, (await read(owner, job.id)).state]).toEqual(['cancelled', 'cancelled'])
      expect(await entries(id, 'codes.unlocked')).toEqual([])
      expect(await entries(job.id, 'bulk.cancelled')).toHaveLength(1)
    })
  })

  it('a bulk job does not continue after a backup was restored', async () => {
    const id = await person()
    const job = await abandoned(owner, [id], removing())
    await database()
      .transaction()
      .execute((db) => endAllAccess(db, running.clock.now()))
    running.clock.skip(600)
    const later = await signedIn({ role: 'owner' })

    expect((await read(later, job.id)).state).toBe('stopped')
    expect(await isMember(id)).toBe(true)
  })

  it('the audit trail records each preview and each report of a bulk job with its number of people', async () => {
    const ada = await limited('admin')
    const { json: job } = await prepare(ada, [await person(), await person([otherDomain])])
    await ada.call('GET', `/bulk-jobs/${job.id}/report.csv`)

    const recorded = [...(await entries(job.id, 'bulk.previewed')), ...(await entries(job.id, 'bulk.report_exported'))]
    const facts = { job: job.id, operation: 'unlock', domain: null, count: 2 }
    expect(recorded).toMatchObject([{ actorId: ada.id }, { actorId: ada.id }])
    expect(recorded.map((entry) => JSON.parse(entry.facts))).toMatchObject([{ ...facts, because }, facts])
  })

  inFullRun('the report of a bulk job has no cell that a spreadsheet would calculate', async () => {
    const id = await person(undefined, { name: 'Mallory;=1+41;x' })
    const { json: job } = await prepare(owner, [id])

    const { text } = await owner.call('GET', `/bulk-jobs/${job.id}/report.csv`)

    expect(text).toContain('Mallory')
    expect(calculatedCells(text)).toEqual([])
  })

  inFullRun(
    'an administrator of some domains sees their own bulk jobs, however many others have started since',
    async () => {
      const ada = await limited('admin')
      const { json: job } = await prepare(ada, [await person()])
      await start(ada, job)
      await ended(ada, job.id)
      const row = await database().selectFrom('bulkJob').selectAll().where('id', '=', job.id).executeTakeFirstOrThrow()
      const others = Array.from({ length: 100 }, (_, index) => ({
        ...row,
        id: `${index}`.padStart(40, '0'),
        requestedBy: owner.id,
        createdAt: row.createdAt + 1,
      }))
      await database().insertInto('bulkJob').values(others).execute()
      onTestFinished(async () => {
        await database().deleteFrom('bulkJob').where('requestedBy', '=', owner.id).execute()
      })

      expect((await ada.call('GET', '/bulk-jobs')).json).toMatchObject([{ id: job.id }])
    },
  )

  it('an administrator of some domains sees only their own bulk jobs', async () => {
    const [ada, other] = [await limited('admin'), await limited('admin')]
    const { json: job } = await prepare(ada, [await person()])
    await start(ada, job)
    await ended(ada, job.id)
    const idsOf = async ({ call }: Administrator) =>
      (await call('GET', '/bulk-jobs')).json.map(({ id }: { id: string }) => id) as string[]

    expect(await idsOf(ada)).toEqual([job.id])
    expect(await idsOf(other)).toEqual([])
    expect(await idsOf(owner)).toContain(job.id)
    expect((await other.call('GET', `/bulk-jobs/${job.id}/report.csv`)).code).toBe('api.error.notfound.bulkjob')
  })
})
