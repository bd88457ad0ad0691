import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { readEvents } from '../../../../src/contract/read-events.ts'
import { createService } from '../../../../src/service/index.ts'
import type { Service } from '../../../../src/service/index.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import type { Listening } from '../../../../src/service/engine/http/listen.ts'
import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import { createDeviceCalls, createDeviceSigner, previewCode } from '../../../support/device-signer.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { waitingForLocks } from '../../../support/waiting-for-locks.ts'
import { createCall, keysFor, newUser, read, startService, v14, withoutOverload } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const challenge = 'BBBBBBBBBBBBBBBBBBBBBA'

/** Counts the responses by status. */
const countsOf = (answers: { status: number }[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, group]) => [status, group.length]))

describe.each(engines)('two nodes with one %s database', (engine) => {
  const newDatabase = useEngine(engine)
  let database: string
  let here: Running
  let second: Service
  let door: Listening
  let there: { origin: string; call: Running['call'] }

  beforeAll(async () => {
    database = await newDatabase()
    here = await startService({ database })
    const limits = { ...withoutOverload, triesPerAddress: 10_000, triesPerService: 10_000 }
    second = await createService({ database, clock: here.clock, limits, ...keysFor(database) })
    door = await listen(second.listener, { host: '127.0.0.1', port: 0 })
    const origin = `http://127.0.0.1:${door.port}`
    there = { origin, call: createCall(origin, here.apiKey) }
  })
  afterAll(async () => {
    await Promise.all([here.close(), door.close(), second.close()])
  })

  /** A user whose device talks to the other node. */
  async function enroll(username: string) {
    const enrolled = await here.enroll(username)
    return { ...enrolled, deviceThere: createDeviceCalls(there.origin, enrolled.signer) }
  }

  inFullRun('a node answers a held call when another node changes something', async () => {
    const { ask, pending, held, deviceThere } = await enroll('held')
    const { id } = await ask()
    const [request] = await pending()
    const begun = here.clock.timerSet(25)
    const answer = held(id, 25)
    await begun

    await deviceThere.answer(id, { nonce: request!.nonce, decision: 'approve' })

    expect((await answer).json.state).toBe('approved')
  })

  inFullRun('a node delivers a request to a device that waits at another node', async () => {
    const { ask, deviceThere } = await enroll('inbox')
    const etag = (await deviceThere.inbox()).headers.get('etag') ?? ''
    const begun = here.clock.timerSet(25)
    const inbox = deviceThere.inbox({ 'if-none-match': etag, prefer: 'wait=25' })
    await begun

    const { id } = await ask()

    expect((await read(await inbox)).json.requests).toMatchObject([{ id }])
  })

  inFullRun('a node streams the sessions that settle at another node', async () => {
    const abort = new AbortController()
    const response = await fetch(`${there.origin}/api/domains/${here.domain.id}/sessions/events`, {
      headers: { accept: v14, authorization: `Service key="${here.apiKey}"` },
      signal: abort.signal,
    })
    const events = readEvents(response.body!)
    await events.next()
    const { ask, sessions } = await enroll('streamed')
    const { id } = await ask()

    await here.call('DELETE', `${sessions}/${id}`)

    // Sessions of earlier tests may be among them.
    for await (const batch of events) if (batch.includes(JSON.stringify({ id }))) break
    abort.abort()
    expect(response.status).toBe(200)
  })

  inFullRun('a node notifies a device at another node that it was revoked', async () => {
    const { user, deviceThere } = await enroll('revoked')
    const etag = (await deviceThere.inbox()).headers.get('etag') ?? ''
    const begun = here.clock.timerSet(25)
    const inbox = deviceThere.inbox({ 'if-none-match': etag, prefer: 'wait=25' })
    await begun

    await here.call('DELETE', `/domains/${here.domain.id}/users/${user.id}/token`)

    expect((await read(await inbox)).code).toBe('api.error.device.revoked')
  })

  it('two nodes settle a session once when 32 answers and cancellations arrive at once', async () => {
    for (let round = 0; round < 4; round++) {
      const { ask, pending, device, deviceThere, sessions, session } = await enroll(`settle ${round}`)
      const { id } = await ask()
      const [request] = await pending()
      const { nonce } = request!
      const acts = [
        () => device.answer(id, { nonce, decision: 'approve' }),
        () => deviceThere.answer(id, { nonce, decision: 'deny' }),
        () => here.call('DELETE', `${sessions}/${id}`),
        () => there.call('DELETE', `${sessions}/${id}`),
      ]

      const answers = await Promise.all(
        Array.from({ length: 32 }, async (_, index) => {
          const { status } = await acts[index % 4]!()
          return { kind: index % 4, status }
        }),
      )

      const { state } = await session(id)
      const statuses = (kind: number) => [
        ...new Set(answers.filter((answer) => answer.kind === kind).map((answer) => answer.status)),
      ]
      expect(['approved', 'denied', 'cancelled']).toContain(state)
      // A decision that matches the outcome is confirmed each time; the opposite one gets a conflict.
      expect(statuses(0)).toEqual([state === 'approved' ? 200 : 409])
      expect(statuses(1)).toEqual([state === 'denied' ? 200 : 409])
      expect([...statuses(2), ...statuses(3)]).toEqual([200, 200])
    }
  })

  inFullRun('two nodes redeem an approval once when 32 callers try at once', async () => {
    const { ask, pending, device, sessions } = await enroll('redeem')
    const { id } = await ask({ challenge })
    const [request] = await pending()
    await device.answer(id, { nonce: request!.nonce, decision: 'approve' })

    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        (index % 2 ? here : there).call('POST', `${sessions}/${id}/redeem`, { body: { challenge } }),
      ),
    )

    expect(countsOf(answers)).toEqual({ 200: 1, 409: 31 })
  })

  inFullRun('two nodes activate one device when 16 use the same code at once', async () => {
    const user = (await here.call('POST', '/users', { body: newUser('activate') })).json
    const path = `/domains/${here.domain.id}/users/${user.id}`
    await here.call('PUT', path)
    const { code } = (await here.call('PUT', `${path}/token`)).json
    const { service } = (await read(await previewCode(here.origin, code))).json
    const devices = await Promise.all(
      Array.from({ length: 16 }, async (_, index) => {
        const signer = await createDeviceSigner({ service, now: () => here.clock.now() })
        return createDeviceCalls(index % 2 ? here.origin : there.origin, signer)
      }),
    )

    const answers = await Promise.all(devices.map(async (device) => read(await device.activate(code))))

    expect(countsOf(answers)).toEqual({ 200: 1, 404: 15 })
    expect((await here.call('GET', `${path}/token`)).json.state).toBe('active')
  })

  inFullRun('two nodes issue one token when 32 callers request one at once', async () => {
    const user = (await here.call('POST', '/users', { body: newUser('issue') })).json
    const path = `/domains/${here.domain.id}/users/${user.id}`
    await here.call('PUT', path)

    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, index) => (index % 2 ? here : there).call('PUT', `${path}/token`)),
    )

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ json }) => json.code)).size).toBe(1)
  })

  inFullRun('two nodes create one user when 32 requests with the same name arrive at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        (index % 2 ? here : there).call('POST', '/users', { body: newUser('once') }),
      ),
    )

    expect(countsOf(answers)).toEqual({ 200: 1, 409: 31 })
  })

  inFullRun('two nodes leave no user half deleted when a user is deleted and added at once', async () => {
    for (let round = 0; round < 5; round++) {
      const user = (await here.call('POST', '/users', { body: newUser(`deleted ${round}`) })).json
      const path = `/domains/${here.domain.id}/users/${user.id}`

      const answers = await Promise.all([
        there.call('PUT', path),
        here.call('PUT', path),
        here.call('DELETE', `/users/${user.id}`),
        there.call('PUT', path),
      ])

      expect(answers[2].status).toBe(200)
      for (const { status } of answers) expect([200, 404]).toContain(status)
      expect((await there.call('GET', path)).code).toBe('api.error.notfound.user')
    }
  })

  // On SQLite, transactions follow each other.
  if (engine === 'SQLite') return

  inFullRun('two nodes confirm an answer that a device sends twice at once', async () => {
    const { ask, pending, device, deviceThere } = await enroll('twice')
    const { id } = await ask()
    const [request] = await pending()
    const approve = { nonce: request!.nonce, decision: 'approve' } as const

    const store = await openPostgresStore(database)

    const { answers } = await store.db.transaction().execute(async (db) => {
      await sql`select 1 from session where id = ${id} for update`.execute(db)
      const sentAnswers = Promise.all([device.answer(id, approve), deviceThere.answer(id, approve)])
      await expect.poll(() => waitingForLocks(db)).toBe(2)
      return { answers: sentAnswers }
    })

    expect((await answers).map(({ status }) => status)).toEqual([200, 200])
    await store.close()
  })
})
