import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { createBulkJobs } from '../../../../src/service/features/bulk-jobs/runner.ts'
import { takeBulkJob } from '../../../../src/service/features/bulk-jobs/statements.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { unique } from '../codes/code-holder.ts'
import { keysFor, newUser } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'

describe.each(mainEngines)('jobs on many people that several nodes race for, on %s,', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let other: OpenedService

  beforeAll(async () => {
    const database = await newDatabase()
    // No mail server is there, so enrollment mails can be prepared and started, and fail.
    const smtp = { host: '127.0.0.1', port: 1, from: 'mfa@example.com' }
    running = await startConsole(database, { smtp, authenticatorUrl: 'https://mfa.example' })
    other = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
  })
  afterAll(async () => {
    await other.close()
    await running.close()
  })
  // Ceremonies are limited by address.
  beforeEach(() => running.clock.skip(600))

  const owner = () => administrator(running, { role: 'owner', email: `${unique()}@example.org` })
  const database = () => running.ctx.store.db
  type By = Awaited<ReturnType<typeof owner>>

  /** A new domain with some people, all of whom a job is to remove. */
  async function prepared(by: By, people: number) {
    const { id: domain } = await running.service.administration.createDomain(running.organization.id, {
      name: unique(),
    })
    await running.call('PUT', `/domains/${domain}/users`, {
      body: Array.from({ length: people }, () => newUser(unique())),
    })
    const body = { action: 'remove_member', because: 'left', domain, search: { domain } }
    return { domain, id: (await by.call('POST', '/bulk-jobs', { body })).json.id as string }
  }

  inFullRun('one node takes a bulk job when several race for it', async () => {
    const by = await owner()
    const { id } = await prepared(by, 1)
    const now = running.clock.now()
    const state = { state: 'running', startedAt: now, heldUntil: now + 1 } as const
    await database().updateTable('bulkJob').set(state).where('id', '=', id).execute()
    running.clock.skip(1)
    const lease = { now: now + 1, until: now + 31, mails: 0 } as const
    const nodes = [running.ctx, other.ctx, running.ctx, other.ctx, running.ctx, other.ctx]

    const taken = await Promise.all(
      nodes.map(({ store }, index) => takeBulkJob(store.db, { ...lease, holder: `node ${index}` })),
    )

    expect(taken.filter((job) => job?.id === id)).toHaveLength(1)
  })

  inFullRun('a bulk job changes each person once when several nodes race for it', async () => {
    const by = await owner()
    const { id, domain } = await prepared(by, 25)
    const nodes = [running.ctx, other.ctx, other.ctx].map((ctx) => createBulkJobs(ctx))
    await by.call('POST', `/bulk-jobs/${id}/start`, { body: { people: 25 } })
    for (const node of nodes) node.wake()
    await vi.waitFor(async () => expect((await by.call('GET', `/bulk-jobs/${id}`)).json.state).toBe('done'), {
      timeout: 20_000,
    })
    await Promise.all(nodes.map((node) => node.close()))

    const entries = await database().selectFrom('audit').select(['event', 'facts']).execute()
    const removed = entries.filter(({ event, facts }) => event === 'membership.removed' && facts.includes(domain))
    expect(removed).toHaveLength(25)
    expect(entries.filter(({ event, facts }) => event === 'bulk.finished' && facts.includes(id))).toHaveLength(1)
  })

  it('bulk jobs of a help desk agent cover 50 people in 24 hours, even if two are started at once', async () => {
    const { id: domain } = await running.service.administration.createDomain(running.organization.id, {
      name: unique(),
    })
    const rows = Array.from({ length: 30 }, () => newUser(unique()))
    await running.call('PUT', `/domains/${domain}/users`, { body: rows })
    const by = await administrator(running, { role: 'helpdesk', domains: [domain], email: `${unique()}@example.org` })
    const body = { action: 'enrollment_mail', domain, because: 'new_device', search: { domain } }
    const { id: first } = (await by.call('POST', '/bulk-jobs', { body })).json
    const row = await database().selectFrom('bulkJob').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
    const second = first.split('').toReversed().join('')
    await database()
      .insertInto('bulkJob')
      .values({ ...row, id: second })
      .execute()
    const items = await database().selectFrom('bulkItem').selectAll().where('jobId', '=', first).execute()
    await database()
      .insertInto('bulkItem')
      .values(items.map((item) => ({ ...item, jobId: second })))
      .execute()
    const start = (id: string) => by.call('POST', `/bulk-jobs/${id}/start`, { body: { people: 30 } })

    const answers = await Promise.all([first, second].map(start))
    for (const id of [first, second]) {
      const state = async () => (await by.call('GET', `/bulk-jobs/${id}`)).json.state
      await vi.waitFor(async () => expect(await state()).not.toBe('running'), { timeout: 20_000 })
    }
    const repeatedStarts = await Promise.all([first, second].map(start))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(repeatedStarts.map(({ code }) => code).filter(Boolean)).toEqual(['api.error.toomanyrequests'])
  })

  inFullRun('an administrator runs one bulk job at a time, even if two are started at once', async () => {
    const by = await owner()
    const { id: first } = await prepared(by, 1)
    const { id: second } = await prepared(by, 1)
    // A preview replaces the one before, so the first is there as if it had been prepared at the same moment.
    const row = await database().selectFrom('bulkJob').selectAll().where('id', '=', second).executeTakeFirstOrThrow()
    await database()
      .insertInto('bulkJob')
      .values({ ...row, id: first })
      .execute()

    const answers = await Promise.all(
      [first, second].map((id) => by.call('POST', `/bulk-jobs/${id}/start`, { body: { people: 1 } })),
    )

    const statuses = answers.map(({ status, code }) => code ?? status)
    expect(statuses).toContain(200)
    const started = await database().selectFrom('audit').select('facts').where('event', '=', 'bulk.started').execute()
    const mine = started.filter(({ facts }) => facts.includes(first) || facts.includes(second))
    // The first one may have finished before the second one started.
    expect(mine).toHaveLength(statuses.filter((status) => status === 200).length)
  })
})
