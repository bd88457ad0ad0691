import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { revokeAdministrator } from '../../src/service/features/administrators/administration.ts'
import { administrator, startConsole } from '../service/features/administrators/console-holder.ts'
import type { Console } from '../service/features/administrators/console-holder.ts'
import { createTenant, newUser } from '../service/start-service.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'

let folder: string
let running: Console

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-bulk-'))
  running = await startConsole(join(folder, 'mfa.sqlite'))
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true })
})
// Ceremonies are limited by address.
beforeEach(() => running.clock.skip(600))

type By = Awaited<ReturnType<typeof administrator>>

/** The ids of new members of a domain. */
async function members(call: Console['call'], domain: string, count: number): Promise<string[]> {
  const prefix = `${domain.slice(0, 8)} ${running.clock.now()}`
  await call('PUT', `/domains/${domain}/users`, {
    body: Array.from({ length: count }, (_, index) => newUser(`${prefix} ${index}`)),
  })
  const { json } = await call('GET', `/domains/${domain}/users`)
  return json.map(({ id }: { id: string }) => id)
}
const newDomain = async () => {
  const name = `Domain ${running.clock.now()} ${Math.random()}`
  return (await running.service.administration.createDomain(running.organization.id, { name })).id
}
const remaining = async (domain: string) =>
  (await running.call('GET', `/domains/${domain}/users`)).json.length as number
const state = async ({ call }: By, id: string) => (await call('GET', `/bulk-jobs/${id}`)).json.state as string

describe('an attacker with the session of the help desk', () => {
  it('a bulk action of the help desk reaches no one in another domain or organization, by ids or by search', async () => {
    const stranger = await createTenant(running.service, running.origin)
    const foreign = [
      ...(await members(running.call, await newDomain(), 3)),
      ...(await members(stranger.call, stranger.domain.id, 3)),
    ]
    const domain = await newDomain()
    const { call } = await administrator(running, { role: 'helpdesk', domains: [domain] })
    const prepare = (more: object) =>
      call('POST', '/bulk-jobs', { body: { action: 'enrollment_mail', domain, because: 'test', ...more } })

    const byIds = await prepare({ people: foreign })
    const bySearch = await prepare({ search: {} })
    const { text } = await call('GET', `/bulk-jobs/${bySearch.json.id}/report.csv`)
    const inDomain = await prepare({ search: { domain: stranger.domain.id } })

    expect(byIds.json).toMatchObject({ people: 0, leftOut: [{ reason: 'not_found', people: 6 }] })
    expect(bySearch.json).toMatchObject({ people: 0, leftOut: [] })
    expect(inDomain.code).toBe('api.error.notfound.domain')
    expect(text).toBe('"id","username","name","outcome","reason"\r\n')
  })

  it('the help desk cannot start, cancel or read a bulk action that another administrator prepared', async () => {
    const domain = await newDomain()
    const people = await members(running.call, domain, 2)
    const ann = await administrator(running, { role: 'admin', domains: [domain], email: 'ann@example.net' })
    const body = { action: 'remove_member', because: 'left', domain, people }
    const { json } = await ann.call('POST', '/bulk-jobs', { body })
    const hal = await administrator(running, { role: 'helpdesk', domains: [domain], email: 'hal@example.net' })

    const answers = [
      await hal.call('POST', `/bulk-jobs/${json.id}/start`, { body: { people: 2 } }),
      await hal.call('POST', `/bulk-jobs/${json.id}/cancel`),
      await hal.call('GET', `/bulk-jobs/${json.id}`),
      await hal.call('GET', `/bulk-jobs/${json.id}/report.csv`),
    ]

    expect(answers.map(({ code }) => code)).toEqual(Array(4).fill('api.error.notfound.bulkjob'))
    expect(await remaining(domain)).toBe(2)
  })
})

describeInFullRun('an attacker with the session of an admin', () => {
  inFullRun('a running bulk action changes no one else once its admin is revoked', async () => {
    const domain = await newDomain()
    const people = await members(running.call, domain, 90)
    const ann = await administrator(running, { role: 'admin', domains: [domain], email: 'ann@example.net' })
    const body = { action: 'remove_member', because: 'left', domain, people }
    const { json } = await ann.call('POST', '/bulk-jobs', { body })
    const owner = await administrator(running, { role: 'owner' })

    await ann.call('POST', `/bulk-jobs/${json.id}/start`, { body: { people: 90 } })
    await revokeAdministrator(running.ctx, { organizationId: running.organization.id, id: ann.id })
    const remainingCount = await remaining(domain)
    await vi.waitFor(async () => expect(await state(owner, json.id)).not.toBe('running'))

    expect(await state(owner, json.id)).toBe('stopped')
    expect(remainingCount).toBeGreaterThan(0)
    // The one person who was being removed at that moment is gone.
    expect(await remaining(domain)).toBeGreaterThanOrEqual(remainingCount - 1)
  })

  it('starting a canceled bulk action changes no one', async () => {
    const domain = await newDomain()
    const people = await members(running.call, domain, 2)
    const ann = await administrator(running, { role: 'admin', domains: [domain] })
    const body = { action: 'remove_member', because: 'left', domain, people }
    const { json } = await ann.call('POST', '/bulk-jobs', { body })
    await ann.call('POST', `/bulk-jobs/${json.id}/cancel`)

    const replayed = await ann.call('POST', `/bulk-jobs/${json.id}/start`, { body: { people: 2 } })

    expect([replayed.status, replayed.json.state]).toEqual([200, 'cancelled'])
    expect(await remaining(domain)).toBe(2)
  })
})
