import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'

import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { createPublicAgent } from '../../../../src/service/engine/outgoing/public-agent.ts'
import { changeOidcClient } from '../../../../src/service/features/oidc/clients.ts'
import { maxTries, takePing } from '../../../../src/service/features/oidc/ping-statements.ts'
import { tryLength } from '../../../../src/service/features/oidc/send-ping.ts'
import { resetUser } from '../../../../src/service/features/people/reset.ts'
import { oidcStateOf } from '../../../../src/service/oidc-state.ts'
import type { OidcState } from '../../../../src/service/oidc-state.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startNotifiedClient } from '../../../support/notified-client.ts'
import type { NotifiedClient } from '../../../support/notified-client.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { contextOf, provider } from './provider.ts'

describe.each(engines)('what clients of the OpenID provider are told, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let other: Running
  let center: NotifiedClient
  let states: OidcState[]

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database })
    other = await startService({ database, clock: running.clock })
  })
  afterAll(async () => {
    await other.close()
    await running.close()
  })
  beforeEach(async () => {
    center = await startNotifiedClient()
    states = []
  })
  afterEach(async () => {
    for (const state of states) state.close()
    await center.close()
    const { db } = (await contextOf(running)).store
    await sql`delete from oidc_artifact`.execute(db)
    await sql`delete from oidc_ping`.execute(db)
  })

  /** Has a node of the provider send what is due. */
  function node(service = running, agent = center.agent()): OidcState {
    const state = oidcStateOf(service.service)
    states.push(state)
    state.startPings(agent)
    return state
  }

  /** A client that has asked a person, and wants to be told of the answer. */
  async function asked(state: OidcState, endpoint = center.endpoint) {
    const ciba = { notificationEndpoint: endpoint }
    const made = await provider(running, { kind: 'ciba', redirectUris: [], ciba })
    const person = await running.enroll(`person-${randomUUID()}`)
    const session = await person.ask()
    const requestId = randomUUID()
    await state.expectPing({
      message: { endpoint, token: `token-of-${requestId}`, requestId },
      clientId: made.client.id,
      userId: person.user.id,
      subjectId: session.id,
      answerUntil: running.clock.now() + 60,
      expiresIn: 180,
    })
    const answer = async (decision: 'approve' | 'deny' = 'approve') => {
      const [request] = await person.pending()
      const { status } = await person.device.answer(request!.id, { nonce: request!.nonce, decision })
      expect(status).toBe(200)
    }
    return { ...made, ...person, session, requestId, answer }
  }

  const waiting = async () => {
    const { rows } = await sql<{
      tries: number
    }>`select tries from oidc_ping join oidc_artifact on id = artifact_id`.execute((await contextOf(running)).store.db)
    return rows.map(({ tries }) => tries)
  }
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))
  const untilNothingWaits = async () => {
    await expect.poll(waiting).toEqual([])
  }
  /** Waits until this many tries have ended. While one is under way, the next is due after the length of a try. */
  const untilTried = async (count: number) => {
    const ended = async () => {
      const { store } = await contextOf(running)
      const { rows } = await sql<{ tries: number; due: number | string }>`
        select tries, due_at as due from oidc_ping join oidc_artifact on id = artifact_id`.execute(store.db)
      return rows.map(({ tries, due }) => (Number(due) < running.clock.now() + tryLength ? tries : 'under way'))
    }
    await expect.poll(ended).toEqual([count])
  }
  const log = 'an OpenID client could not be notified'
  const failures = () => [...running.logged, ...other.logged].filter(({ message }) => message === log).length

  it.each(['approve', 'deny'] as const)(
    'an OpenID client is told once, on whichever node the person answers %s',
    async (decision) => {
      const state = node()
      node(other)
      const { requestId, answer } = await asked(state)
      await turn()
      expect(center.notified).toEqual([])

      await answer(decision)
      await center.received(1)
      await untilNothingWaits()

      expect(center.notified).toEqual([
        {
          method: 'POST',
          path: '/notify?of=calls',
          headers: expect.objectContaining({
            authorization: `Bearer token-of-${requestId}`,
            'content-type': 'application/json',
          }),
          text: JSON.stringify({ auth_req_id: requestId }),
        },
      ])
    },
  )

  it('a message to an OpenID client is taken once when two nodes take it at once', async () => {
    const { answer } = await asked(oidcStateOf(running.service))
    await answer()
    const stores = [(await contextOf(running)).store, (await contextOf(other)).store]
    const { rows } = await sql<{ artifactId: string }>`select artifact_id from oidc_ping`.execute(stores[0]!.db)
    const ping = { artifactId: rows[0]!.artifactId, tries: 0 }

    const taken = await Promise.all(stores.map(({ db }) => takePing(db, ping, running.clock.now() + tryLength)))

    expect(taken.filter(Boolean)).toHaveLength(1)
  })

  inFullRun('an OpenID client is told that nobody can answer any more', async () => {
    await asked(node())

    await running.clock.advance(60)
    await center.received(1)

    expect(center.notified).toHaveLength(1)
    await untilNothingWaits()
  })

  inFullRun(
    'an OpenID client is told by another node if the one that it asked has ended before the answer',
    async () => {
      const { answer } = await asked(node())
      states[0]!.close()
      await answer()

      node(other)
      await center.received(1)

      expect(center.notified).toHaveLength(1)
      await untilNothingWaits()
    },
  )

  it('an OpenID client is told by another node if one has ended between the answer and the message', async () => {
    const { answer } = await asked(oidcStateOf(running.service))
    await answer()
    const { db } = (await contextOf(running)).store
    const { rows } = await sql<{ artifactId: string }>`select artifact_id from oidc_ping`.execute(db)
    await takePing(db, { artifactId: rows[0]!.artifactId, tries: 0 }, running.clock.now() + tryLength)
    node(other)
    await turn()

    const before = center.notified.length
    await running.clock.advance(60)
    await center.received(1)

    expect(before).toBe(0)
    await untilNothingWaits()
  })

  it('an OpenID client that is out of order is told again later, and not for ever', async () => {
    const before = failures()
    const { answer } = await asked(node())
    center.reply(...Array.from({ length: maxTries }, () => 503))

    let again = running.clock.timerSet(1)
    await answer()
    for (let pause = 1; pause < 2 ** (maxTries - 1); pause *= 2) {
      await again
      again = running.clock.timerSet(pause * 2)
      await running.clock.advance(pause)
    }
    await untilNothingWaits()

    expect(center.notified).toHaveLength(maxTries)
    expect(failures() - before).toBe(1)
  })

  it.each([
    ['refuses the message', 401],
    ['redirects it', (res: ServerResponse) => void res.writeHead(307, { Location: center.endpoint }).end()],
  ] as const)('an OpenID client that %s is not told again', async (_, reply) => {
    const before = failures()
    const { answer } = await asked(node())
    center.reply(reply)

    await answer()
    await untilNothingWaits()
    await running.clock.advance(60)

    expect(center.notified).toHaveLength(1)
    expect(failures() - before).toBe(1)
  })

  inFullRun.each([408, 425, 429])('an OpenID client whose gateway answers %i is told again', async (status) => {
    const { answer } = await asked(node())
    center.reply(status)

    const again = running.clock.timerSet(1)
    await answer()
    await again
    await running.clock.advance(1)
    await center.received(2)
    await untilNothingWaits()

    expect(center.notified[1]?.text).toBe(center.notified[0]?.text)
  })

  it('a ping whose try cannot be stored is tried again after a pause, and not all the time', async () => {
    const { db } = (await contextOf(running)).store
    const { answer } = await asked(node())
    const interrupted = () =>
      running.logged.filter(({ message }) => message === 'a ping of an OpenID client was interrupted').length
    const before = interrupted()
    const fail = engine === 'SQLite' ? "raise(abort, 'full')" : 'broken()'
    if (engine === 'PostgreSQL') {
      await sql`create function broken() returns trigger language plpgsql as 'begin raise ''full''; end'`.execute(db)
    }
    const trigger =
      engine === 'SQLite'
        ? `create trigger broken before update on oidc_ping begin select ${fail}; end`
        : `create trigger broken before update on oidc_ping for each row execute function ${fail}`
    await sql.raw(trigger).execute(db)

    const pause = running.clock.timerSet(5)
    await answer()
    await pause
    for (let turns = 0; turns < 100; turns += 1) await turn()
    const tries = interrupted() - before
    await sql.raw(engine === 'SQLite' ? 'drop trigger broken' : 'drop trigger broken on oidc_ping').execute(db)
    if (engine === 'PostgreSQL') await sql`drop function broken`.execute(db)
    await running.clock.advance(5)
    await center.received(1)

    expect(tries).toBe(1)
  })

  it('an OpenID client with very many messages that hang keeps no other client from being told', async () => {
    const state = node()
    const silent = await asked(state)
    for (let index = 0; index < 120; index += 1) {
      await state.expectPing({
        message: { endpoint: center.endpoint, token: 'token', requestId: `of-the-silent-${index}` },
        clientId: silent.client.id,
        userId: silent.user.id,
        subjectId: silent.session.id,
        answerUntil: running.clock.now() + 60,
        expiresIn: 180,
      })
    }
    const second = await asked(state)
    center.reply(...Array.from({ length: 200 }, () => () => {}))

    await running.clock.advance(60)

    await expect.poll(() => center.notified.some(({ text }) => text.includes(second.requestId))).toBe(true)
  })

  inFullRun('an OpenID client that never answers keeps no other one from being told', async () => {
    const state = node()
    center.reply(() => {})
    const [silent, second] = [await asked(state), await asked(state)]

    await silent.answer()
    await center.received(1)
    await second.answer()
    await center.received(2)

    expect(center.notified[1]?.text).toContain(second.requestId)
  })

  inFullRun('an OpenID client that answers at length is disconnected, and told once', async () => {
    const { answer } = await asked(node())
    let sent = 0
    const closed = new Promise<void>((resolve) => {
      center.reply((res) => {
        res.writeHead(200)
        const chunk = Buffer.alloc(64 * 1024)
        const send = () => {
          while (sent < 10 * 1024 * 1024 && !res.destroyed) {
            sent += chunk.length
            if (!res.write(chunk)) {
              res.once('drain', send)
              return
            }
          }
        }
        res.once('close', resolve)
        send()
      })
    })

    await answer()
    await closed
    await untilNothingWaits()

    expect(sent).toBeLessThan(10 * 1024 * 1024)
    expect(center.notified).toHaveLength(1)
  })

  it.each(['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1'])(
    'an OpenID client whose name leads to %s is not contacted',
    async (address) => {
      const family = address.includes(':') ? 6 : 4
      const agent = createPublicAgent((_name, _options, done) => done(null, [{ address, family }]))
      Object.assign(agent.options, { port: center.port, ca: center.ca })
      const { answer } = await asked(node(running, agent))

      const again = running.clock.timerSet(1)
      await answer()
      await again
      await running.clock.advance(1)
      await untilTried(2)

      expect(center.connections()).toBe(0)
    },
  )

  inFullRun(
    'an OpenID client is told nothing after its endpoint has changed, because its requests have ended',
    async () => {
      const state = node()
      const { ctx, key, answer } = await asked(state)
      await changeOidcClient(ctx, key, { ciba: { notificationEndpoint: 'https://center.example/other' } })

      await answer()
      await turn()
      await running.clock.advance(60)

      expect(await waiting()).toEqual([])
      expect(center.notified).toEqual([])
    },
  )

  inFullRun('an OpenID client is told nothing of a user whose sign-ins have ended', async () => {
    const { ctx, key, user } = await asked(node())
    await resetUser(ctx, { organizationId: key.organizationId, userId: user.id })

    await turn()
    await running.clock.advance(60)

    expect(await waiting()).toEqual([])
    expect(center.notified).toEqual([])
  })

  inFullRun('the token of an OpenID client is not stored in plain text', async () => {
    const { ctx, requestId } = await asked(oidcStateOf(running.service))
    const tables = ['oidc_ping', 'oidc_artifact', 'audit']
    const all = await Promise.all(
      tables.map(async (table) => (await sql`select * from ${sql.table(table)}`.execute(ctx.store.db)).rows),
    )

    expect(JSON.stringify(all)).not.toContain(requestId)
  })
})
