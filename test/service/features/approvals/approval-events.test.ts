import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { readEvents } from '../../../../src/contract/read-events.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { createTenant, startService, v14 } from '../../start-service.ts'
import type { Running, Tenant } from '../../start-service.ts'
import { approvalsOf, approver } from './approving.ts'

const open: AbortController[] = []
afterEach(() => {
  for (const stream of open.splice(0)) stream.abort()
})

/** Follows the stream: the function returns the next id, or undefined at the end of the stream. */
async function follow(origin: string, { apiKey, domain }: Pick<Tenant, 'apiKey' | 'domain'>) {
  const abort = new AbortController()
  open.push(abort)
  const response = await fetch(`${origin}/api/domains/${domain.id}/approvals/events`, {
    signal: abort.signal,
    headers: { accept: v14, authorization: `Service key="${apiKey}"` },
  })
  const ids = idsOf(response.body!)
  // Once the first bytes arrive, no later event is missed.
  await ids.next()
  return async () => (await ids.next()).value
}

async function* idsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string | undefined> {
  yield undefined
  for await (const events of readEvents(body)) for (const data of events) yield (JSON.parse(data) as { id: string }).id
}

describe('the event stream of approvals', () => {
  let running: Running
  let app: ReturnType<typeof approvalsOf>

  beforeAll(async () => {
    running = await startService()
    app = approvalsOf(running)
  })
  afterAll(() => running.close())

  it('the event stream of approvals reports every approval that settles, whatever its outcome', async () => {
    const [anna, next] = [await approver(running), await follow(running.origin, running)]
    const settled: (string | undefined)[] = []
    const expected: string[] = []

    for (const settle of ['approve', 'deny', 'report', 'cancel']) {
      const { json } = await app.ask({ user: { id: anna.id }, requestedBy: `script that is to ${settle}` })
      await (settle === 'cancel' ? app.cancel(json.id) : anna.decide(json.id, settle))
      expected.push(json.id)
      settled.push(await next())
    }

    expect(settled).toEqual(expected)
  })

  it('the event stream of approvals ends within 5 seconds once its API key is revoked', async () => {
    const tenant = await createTenant(running.service, running.origin)
    const { administration } = running.service
    const [apiKey] = await administration.apiKeys(tenant.organization.id)
    const next = await follow(running.origin, tenant)
    let hasEnded = false
    const end = next().then((id) => {
      hasEnded = true
      return id
    })

    await running.clock.advance(20)
    const hasEndedBefore = hasEnded
    await administration.revokeApiKey(tenant.organization.id, apiKey!.id)
    await running.clock.advance(5)

    expect([hasEndedBefore, await end]).toEqual([false, undefined])
  })

  it('the event stream of approvals reports an unanswered approval when it expires', async () => {
    running.clock.skip(60)
    const anna = await approver(running)
    const ask = async () => (await app.ask({ user: { id: anna.id }, expiresIn: 60 })).json.id
    const early = await ask()
    const next = await follow(running.origin, running)
    await running.clock.advance(10)
    const late = await ask()

    await running.clock.advance(50)
    const first = await next()
    await running.clock.advance(10)

    expect([first, await next()]).toEqual([early, late])
  })

  inFullRun('the event stream of approvals reports nothing about other domains and organizations', async () => {
    const other = await createTenant(running.service, running.origin)
    const next = await follow(running.origin, other)
    const [anna, ben] = [await approver(running), await approver({ ...running, ...other })]
    const there = approvalsOf(other)

    await app.cancel((await app.ask({ user: { id: anna.id } })).json.id)
    const { json: own } = await there.ask({ user: { id: ben.id } })
    await there.cancel(own.id)

    expect(await next()).toBe(own.id)
  })

  it('the event stream of approvals reports an approval that too few people can still approve', async () => {
    running.clock.skip(60)
    const [anna, next] = [await approver(running), await follow(running.origin, running)]
    const { json } = await app.ask({ user: { id: anna.id } })

    await running.call('DELETE', `/domains/${running.domain.id}/users/${anna.id}`)

    expect(await next()).toBe(json.id)
    expect((await app.get(json.id)).state).toBe('denied')
  })

  it('the event stream of approvals ends cleanly when the service closes', async () => {
    const closing = await startService()
    const next = await follow(closing.origin, closing)

    await closing.close()

    expect(await next()).toBeUndefined()
  })

  inFullRun('the event stream of approvals and held reads learn what another process settles', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-approvals-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const database = join(folder, 'mfa.sqlite')
    const [here, there] = [await startService({ database }), await startService({ database })]
    const next = await follow(there.origin, here)
    const [anna, mine] = [await approver(here), approvalsOf(here)]

    const ids: string[] = []
    const settled: (string | undefined)[] = []
    const states: string[] = []
    for (const decision of ['approve', 'deny', 'approve']) {
      const { json } = await mine.ask({ user: { id: anna.id } })
      const held = fetch(`${there.origin}/api${mine.path}/${json.id}`, {
        headers: { accept: v14, authorization: `Service key="${here.apiKey}"`, prefer: 'wait=60' },
      })
      await anna.decide(json.id, decision)
      ids.push(json.id)
      settled.push(await next())
      states.push(((await (await held).json()) as { state: string }).state)
    }
    await Promise.all([here.close(), there.close()])

    expect([settled, states]).toEqual([ids, ['approved', 'denied', 'approved']])
  })
})
