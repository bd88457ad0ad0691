import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { leaseLength } from '../../../../src/service/features/bulk-jobs/held-job.ts'
import { createBulkJobs } from '../../../../src/service/features/bulk-jobs/runner.ts'
import { useEngine } from '../../../support/engines.ts'
import type { Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { member, unique } from '../codes/code-holder.ts'
import { newUser } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console, Invited } from '../administrators/console-holder.ts'
import { personWithDevice } from '../callers/phone-caller.ts'

type By = Awaited<ReturnType<typeof administrator>>

describe('mails to many people', () => {
  const newDatabase = useEngine('SQLite')
  let mail: MailServer
  let running: Console

  beforeAll(async () => {
    mail = await startMailServer()
    const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
    running = await startConsole(await newDatabase(), { smtp, authenticatorUrl: 'https://mfa.example' })
  })
  afterAll(async () => {
    await running.close()
    await mail.close()
  })
  beforeEach(() => {
    mail.take()
    // Ceremonies are limited by address.
    running.clock.skip(600)
  })

  const signedIn = (invited: Invited) => administrator(running, { email: `${unique()}@example.org`, ...invited })
  const person = (more: Parameters<typeof member>[1] = {}) =>
    member(running, { email: `${unique()}@example.com`, ...more })
  const prepare = (by: By, people: readonly string[], action = 'enrollment_mail') => {
    const about = action === 'unlock' ? {} : { domain: running.domain.id }
    return by.call('POST', '/bulk-jobs', { body: { action, because: 'new_device', people, ...about } })
  }
  const start = (by: By, { id, people }: { id: string; people: number }) =>
    by.call('POST', `/bulk-jobs/${id}/start`, { body: { people } })
  const ended = async (by: By, id: string) => {
    const read = async () => (await by.call('GET', `/bulk-jobs/${id}`)).json
    await vi.waitFor(async () => expect((await read()).state).not.toBe('running'), { timeout: 5_000 })
    return read()
  }

  inFullRun(
    'a bulk job mails each person one link and leaves out people with a device or without an address',
    async () => {
      const owner = await signedIn({ role: 'owner' })
      const [first, second] = [await person(), await person()]
      const [without, enrolled] = [await person({ email: null }), await personWithDevice(running)]
      const before = mail.mails.length
      const { json: job } = await prepare(owner, [first.id, second.id, without.id, enrolled.id])
      await start(owner, job)

      expect(job.leftOut).toEqual(
        expect.arrayContaining([
          { reason: 'no_email', people: 1 },
          { reason: 'enrolled', people: 1 },
        ]),
      )
      expect(await ended(owner, job.id)).toMatchObject({ state: 'done', people: 2, done: 2 })
      const links = mail.mails.slice(before).filter(({ text }) => text.includes('#code='))
      expect(links).toHaveLength(2)
      for (const { text } of links) expect(text).toMatch(/https:\/\/mfa\.example\/authenticator\/#code=\w{10}/)
      const rows = await running.ctx.store.db
        .selectFrom('audit')
        .selectAll()
        .where('event', '=', 'enrollment.mailed')
        .execute()
      expect(rows.map(({ actorId, facts }) => [actorId, (JSON.parse(facts) as { job: string }).job])).toEqual([
        [owner.id, job.id],
        [owner.id, job.id],
      ])
    },
  )

  inFullRun('only a process that knows the mail server sends the mails of a bulk job', async () => {
    const owner = await signedIn({ role: 'owner' })
    const { json: job } = await prepare(owner, [(await person()).id])
    const startedAt = running.clock.now()
    const lease = { state: 'running', startedAt, holder: 'gone', heldUntil: startedAt } as const
    await running.ctx.store.db.updateTable('bulkJob').set(lease).where('id', '=', job.id).execute()
    const beside = createBulkJobs(running.ctx)
    beside.wake()
    await new Promise((resolve) => void setTimeout(resolve, 50))
    await beside.close()

    expect(await ended(owner, job.id)).toMatchObject({ state: 'done', done: 1 })
  })

  it('bulk mails of the help desk skip addresses that changed within 7 days, even if after the preview', async () => {
    const hal = await signedIn({ role: 'helpdesk', domains: [running.domain.id] })
    const [settled, changed, later] = [await person(), await person(), await person()]
    const readdress = ({ id }: { id: string }) =>
      running.call('PUT', `/users/${id}`, { body: { email: `${unique()}@example.com` } })
    await readdress(changed)
    const { json: job } = await prepare(hal, [settled.id, changed.id, later.id])
    const now = running.clock.now()
    const lease = { state: 'running', startedAt: now, holder: 'gone', heldUntil: now + leaseLength } as const
    await running.ctx.store.db.updateTable('bulkJob').set(lease).where('id', '=', job.id).execute()
    await readdress(later)
    const before = mail.mails.length
    running.clock.skip(leaseLength)

    expect([job.people, job.leftOut]).toEqual([2, [{ reason: 'guarded', people: 1 }]])
    expect(await ended(hal, job.id)).toMatchObject({ state: 'done', done: 1, skipped: 1 })
    const links = mail.mails.slice(before).filter(({ text }) => text.includes('#code='))
    expect(links).toHaveLength(1)
  })

  it('a mail tells the owners when a bulk job covers more than 100 people', async () => {
    const email = `${unique()}@example.org`
    const owner = await administrator(running, { role: 'owner', email })
    const { id: domain } = await running.service.administration.createDomain(running.organization.id, {
      name: unique(),
    })
    const rows = Array.from({ length: 101 }, () => newUser(unique()))
    await running.call('PUT', `/domains/${domain}/users`, { body: rows })
    const { json: few } = await prepare(owner, [(await person()).id], 'unlock')
    await start(owner, few)
    await ended(owner, few.id)
    const search = { domain }
    const { json: many } = await owner.call('POST', '/bulk-jobs', {
      body: { action: 'unlock', because: 'locked_out', search },
    })
    await start(owner, many)
    const alertMails = () =>
      mail.mails.filter(({ to, text }) => to.includes(email) && text.includes('has started an action'))
    while (alertMails().length === 0) await mail.arrival()

    expect(many.people).toBe(101)
    expect(alertMails()).toHaveLength(1)
    expect(alertMails()[0]?.text).toContain('101 users')
  })

  it('a mail tells the owners when one administrator’s bulk jobs cover more than 100 people in 24 hours', async () => {
    const email = `${unique()}@example.org`
    await administrator(running, { role: 'owner', email })
    const { id: domain } = await running.service.administration.createDomain(running.organization.id, {
      name: unique(),
    })
    await running.call('PUT', `/domains/${domain}/users`, { body: Array.from({ length: 60 }, () => newUser(unique())) })
    const ada = await administrator(running, { role: 'owner', email: `${unique()}@example.org`, name: 'Ada' })
    const alertTexts = () => mail.mails.filter(({ to }) => to.includes(email)).map(({ text }) => text)
    const counts: number[] = []
    for (let jobs = 0; jobs < 4; jobs += 1) {
      const body = { action: 'unlock', because: 'locked_out', search: { domain } }
      const { json: job } = await ada.call('POST', '/bulk-jobs', { body })
      await start(ada, job)
      await ended(ada, job.id)
      const expected = [0, 1, 1, 2][jobs] ?? 0
      while (alertTexts().length < expected) await mail.arrival()
      counts.push(alertTexts().length)
    }

    expect(counts).toEqual([0, 1, 1, 2])
    expect(alertTexts()[0]).toContain('Ada has started an action on 60 users.')
    expect(alertTexts()[0]).toContain('In 24 hours, Ada has acted on 120 users.')
  })

  describe('of a job that is canceled', () => {
    const mails = () => mail.mails.filter(({ text }) => text.includes('#code=')).length
    const cancel = (by: By, id: string) => by.call('POST', `/bulk-jobs/${id}/cancel`)

    it('a bulk job that is canceled just before a mail does not send it', async () => {
      const owner = await signedIn({ role: 'owner' })
      const { json: job } = await prepare(owner, [(await person()).id])
      const startedAt = running.clock.now()
      const lease = { state: 'running', startedAt, holder: 'gone', heldUntil: startedAt } as const
      const { db } = running.ctx.store
      await db.updateTable('bulkJob').set(lease).where('id', '=', job.id).execute()
      // The first transaction chooses the person, the second one counts the mail.
      const { promise: canceled, resolve } = Promise.withResolvers<void>()
      const beforeMail = beforeTransaction(db, 2, async () => resolve(void (await cancel(owner, job.id))))
      const sent: string[] = []
      const node = createBulkJobs({
        ...running.ctx,
        store: { ...running.ctx.store, db: beforeMail },
        authenticatorUrl: 'https://mfa.example',
        senders: { ...running.ctx.senders, email: { send: ({ to }) => Promise.resolve(void sent.push(to)) } },
      })
      node.wake()
      await canceled
      await node.close()
      const { state, done } = await ended(owner, job.id)

      expect([state, done, sent]).toEqual(['cancelled', 0, []])
    })

    it('a mail that was on its way when its bulk job was canceled counts toward the help desk’s limit', async () => {
      const { id: domain } = await running.service.administration.createDomain(running.organization.id, {
        name: unique(),
      })
      await running.call('PUT', `/domains/${domain}/users`, {
        body: Array.from({ length: 51 }, () => newUser(unique())),
      })
      const { json } = await running.call('GET', `/domains/${domain}/users`)
      const [first, ...others] = json.map(({ id }: { id: string }) => id) as [string, ...string[]]
      const hal = await signedIn({ role: 'helpdesk', domains: [domain] })
      const preparing = (people: readonly string[]) =>
        hal.call('POST', '/bulk-jobs', { body: { action: 'enrollment_mail', because: 'new_device', people, domain } })
      const { json: job } = await preparing([first])
      mail.meanwhile(async () => void (await cancel(hal, job.id)))
      const before = mails()
      await start(hal, job)
      await vi.waitFor(async () => expect((await hal.call('GET', `/bulk-jobs/${job.id}`)).json.done).toBe(1), {
        timeout: 5_000,
      })
      mail.meanwhile(() => Promise.resolve())

      expect([(await ended(hal, job.id)).state, mails() - before]).toEqual(['cancelled', 1])
      expect((await preparing(others)).code).toBe('api.error.limit.people')
      expect((await preparing(others.slice(1))).json.people).toBe(49)
    })
  })
})

/** The same database, in which something happens before one of the transactions that begin from now on. */
function beforeTransaction<D extends Queryable>(db: D, number: number, act: () => Promise<unknown>): D {
  let begun = 0
  return new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const method = (value as (...given: unknown[]) => unknown).bind(target)
      if (name !== 'transaction') return method
      return () => {
        begun += 1
        return begun === number ? delayed(method() as object, act) : method()
      }
    },
  })
}

const delayed = (builder: object, act: () => Promise<unknown>): object =>
  new Proxy(builder, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const method = (value as (...given: unknown[]) => unknown).bind(target)
      if (name === 'execute') return async (run: unknown) => act().then(() => method(run))
      return (...given: unknown[]) => delayed(method(...given) as object, act)
    },
  })
