import { randomUUID } from 'node:crypto'

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { artifactLimits, maxPayload } from '../../../../src/service/features/oidc/models.ts'
import { removeOidcClient } from '../../../../src/service/features/oidc/clients.ts'
import { resetUser } from '../../../../src/service/features/people/reset.ts'
import { endSessionsButKeys } from '../../../../src/service/features/browsers/epochs.ts'
import { settleRestored } from '../../../../src/service/upkeep/restored.ts'
import { sweep } from '../../../../src/service/upkeep/sweep.ts'
import { oidcStateOf } from '../../../../src/service/oidc-state.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { provider, signIn } from './provider.ts'

const ended = { name: 'OidcStateError', code: 'ended' }
const used = { name: 'OidcStateError', code: 'used' }

describe.each(engines)('what the OpenID provider stores, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let other: Running
  let made: Awaited<ReturnType<typeof provider>>

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database })
    other = await startService({ database })
  })
  afterAll(async () => {
    await other.close()
    await running.close()
  })
  beforeEach(async () => {
    made = await provider(running)
  })

  const signInOf = () => signIn(made.state, { accountId: made.user.id, clientId: made.client.id })

  describe('storage', () => {
    inFullRun('the OpenID provider finds what it stored, by id and by uid, until it expires', async () => {
      const flow = signInOf()
      await flow.all()

      const session = made.state.adapter('Session')
      expect(await session.find(flow.id.session)).toEqual({ kind: 'Session', uid: flow.uid, accountId: made.user.id })
      expect(await session.findByUid(flow.uid)).toEqual(await session.find(flow.id.session))
      running.clock.skip(3600)
      expect(await session.find(flow.id.session)).toBeUndefined()
      expect(await session.findByUid(flow.uid)).toBeUndefined()
    })

    it('the OpenID provider stores no id, no uid and no payload in plain text', async () => {
      const flow = signInOf()
      await flow.all()
      const { rows } = await sql`select * from oidc_artifact`.execute(made.ctx.store.db)
      const text = JSON.stringify(rows)

      expect(text).toContain(made.user.id)
      for (const secret of [...Object.values(flow.id), flow.uid, 'accountId']) expect(text).not.toContain(secret)
    })

    it('what the OpenID provider stores opens in no other row, and for no other user', async () => {
      const [mine, theirs] = [signInOf(), signInOf()]
      await mine.all()
      await theirs.all()
      const { db } = made.ctx.store
      const rows = db.selectFrom('oidcArtifact').selectAll().where('userId', '=', made.user.id)
      const [first, second] = await rows.where('model', '=', 'AuthorizationCode').execute()
      await db.updateTable('oidcArtifact').set({ payload: first!.payload }).where('id', '=', second!.id).execute()
      await db.updateTable('oidcArtifact').set({ userId: 'x' }).where('id', '=', first!.id).execute()

      const code = made.state.adapter('AuthorizationCode')
      await expect(code.find(mine.id.code)).rejects.toThrow('belongs to another record')
      await expect(code.find(theirs.id.code)).rejects.toThrow('belongs to another record')
      await db.deleteFrom('oidcArtifact').where('id', 'in', [first!.id, second!.id]).execute()
    })

    inFullRun('an id of one model of the OpenID provider finds nothing of another one', async () => {
      const flow = signInOf()
      await flow.all()

      expect(await made.state.adapter('AccessToken').find(flow.id.code)).toBeUndefined()
    })

    inFullRun('the OpenID provider stores no payload above 32 KiB', async () => {
      const payload = { params: { state: 'x'.repeat(maxPayload) } }

      await expect(made.state.adapter('Interaction').upsert('i', payload, 60)).rejects.toMatchObject({
        code: 'too_large',
      })
    })

    inFullRun('the OpenID provider keeps what belongs to no user for an hour at most', async () => {
      await made.state.adapter('Session').upsert('anonymous', { uid: 'u' }, 14 * 24 * 3600)

      running.clock.skip(3600)

      expect(await made.state.adapter('Session').find('anonymous')).toBeUndefined()
    })

    inFullRun('a sweep removes what has expired at the OpenID provider', async () => {
      await signInOf().all()
      running.clock.skip(3601)

      await sweep(made.ctx)

      const { rows } = await sql`select * from oidc_artifact where user_id = ${made.user.id}`.execute(made.ctx.store.db)
      expect(rows).toEqual([])
    })
  })

  describe('one use', () => {
    it('a code of the OpenID provider is consumed once when two nodes consume it at once', async () => {
      const flow = signInOf()
      await flow.all()
      const nodes = [made.state, oidcStateOf(other.service)]

      const results = await Promise.allSettled(
        [0, 1, 0, 1].map((node) => nodes[node]!.adapter('AuthorizationCode').consume(flow.id.code)),
      )

      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const rejected = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult
      expect(rejected.reason).toMatchObject(used)
      const consumed = await made.state.adapter('AuthorizationCode').find(flow.id.code)
      expect(consumed).toMatchObject({ consumed: expect.any(Number) })
    })

    it('an assertion of an OpenID client is stored once when two nodes store it at once', async () => {
      const nodes = [made.state, oidcStateOf(other.service)]
      const assertion = { kind: 'ReplayDetection', iss: made.client.id }

      const results = await Promise.allSettled(
        [0, 1, 0].map((node) => nodes[node]!.adapter('ReplayDetection').upsert('jti', assertion, 60)),
      )

      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      await made.state.adapter('ReplayDetection').destroy('jti')
    })

    inFullRun('a login at the OpenID provider is taken once when two requests resume it at once', async () => {
      const { begin, finish, resume } = signInOf()
      await begin()
      await finish()

      const results = await Promise.allSettled([resume(), resume()])

      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    })

    it('the OpenID provider revokes what was issued with a grant', async () => {
      const flow = signInOf()
      await flow.all()

      await made.state.adapter('AuthorizationCode').revokeByGrantId(flow.id.grant)

      expect(await made.state.adapter('AuthorizationCode').find(flow.id.code)).toBeUndefined()
      expect(await flow.left()).toBe(2)
    })
  })

  describe('the end of a sign-in', () => {
    it('everything that the OpenID provider has of a user ends with the epoch, and nothing of others', async () => {
      const flow = signInOf()
      await flow.all()
      const colleague = await provider(running)
      const theirs = signIn(colleague.state, { accountId: colleague.user.id, clientId: colleague.client.id })
      await theirs.all()

      await made.ctx.store.db.transaction().execute((db) => endSessionsButKeys(db, made.user.id))

      expect([await flow.left(), await theirs.left()]).toEqual([0, 3])
    })

    inFullRun(
      'what the OpenID provider has of a user ends with a reset, a removed membership, and the user',
      async () => {
        const ends = {
          reset: () => resetUser(made.ctx, { ...made.key, userId: made.user.id }),
          leave: () => running.call('DELETE', `/domains/${running.domain.id}/users/${made.user.id}`),
          delete: () => running.call('DELETE', `/users/${made.user.id}`),
        }
        for (const end of Object.values(ends)) {
          made = await provider(running)
          const flow = signInOf()
          await flow.all()
          await end()
          expect(await flow.left()).toBe(0)
        }
      },
    )

    it('the OpenID provider signs nobody in with what a restored backup contains', async () => {
      const flow = signInOf()
      await flow.all()

      await settleRestored(made.ctx, [])

      expect(await flow.left()).toBe(0)
    })

    inFullRun('what an OpenID client was issued ends with the client', async () => {
      const flow = signInOf()
      await flow.all()

      expect(await removeOidcClient(made.ctx, made.key)).toBe(true)

      expect(await made.state.adapter('AuthorizationCode').find(flow.id.code)).toBeUndefined()
      expect(await made.state.adapter('Grant').find(flow.id.grant)).toBeUndefined()
      expect(await made.state.client(made.client.id)).toBeUndefined()
    })
  })

  describe('what ended stays ended', () => {
    const endEpoch = () => made.ctx.store.db.transaction().execute((db) => endSessionsButKeys(db, made.user.id))

    it('the OpenID provider rejects a login that was verified under an earlier epoch', async () => {
      const flow = signInOf()
      await flow.begin()
      await endEpoch()

      await expect(flow.finish()).rejects.toMatchObject(ended)
    })

    it('the OpenID provider rejects an interaction that ended with its user', async () => {
      const flow = signInOf()
      await flow.begin()
      await flow.finish()
      await endEpoch()

      await expect(flow.resume()).rejects.toMatchObject(ended)
    })

    it('the OpenID provider rejects the session and the grant of a login that ended a moment ago', async () => {
      const flow = signInOf()
      await flow.begin()
      await flow.finish()
      await flow.resume()
      await endEpoch()

      await expect(flow.session()).rejects.toMatchObject(ended)
      await expect(flow.grant()).rejects.toMatchObject(ended)
    })

    it('the OpenID provider rejects a code and a token of a grant that ended a moment ago', async () => {
      const flow = signInOf()
      await flow.all()
      await endEpoch()

      await expect(flow.code()).rejects.toMatchObject(ended)
    })

    it('a session of the OpenID provider moves to another id while it lasts', async () => {
      const flow = signInOf()
      await flow.all()

      const session = made.state.adapter('Session')
      await session.destroy(flow.id.session)
      await session.upsert('moved', { uid: flow.uid, accountId: made.user.id }, 3600)

      expect(await session.findByUid(flow.uid)).toEqual(await session.find('moved'))
      await session.destroy('moved')
    })

    inFullRun(
      'the OpenID provider keeps nothing of a user whose sign-ins and their end happen at once on two nodes',
      async () => {
        const nodes = [made.state, oidcStateOf(other.service)]
        const flows = [0, 1, 2, 3].map((index) =>
          signIn(nodes[index % 2]!, { accountId: made.user.id, clientId: made.client.id }),
        )
        for (const flow of flows) {
          await flow.begin()
          await flow.finish()
        }
        const steps = ['resume', 'session', 'grant', 'code'] as const

        await Promise.all([
          ...flows.map(async (flow) => {
            for (const step of steps) await flow[step]().catch(() => {})
          }),
          endEpoch(),
        ])

        for (const flow of flows) expect(await flow.left()).toBe(0)
      },
    )
  })

  describe('limits', () => {
    it('the OpenID provider stores a limited number of requests of one client, and those of others', async () => {
      const { ofClient } = artifactLimits
      const now = running.clock.now()
      const scope = `openid ${made.client.id}`
      await made.ctx.store.db
        .insertInto('tally')
        .values({ scope, at: now - (now % 60), count: ofClient.total - 1 })
        .execute()
      const colleague = await provider(running)

      await signInOf().begin()
      await expect(signInOf().begin()).rejects.toMatchObject({ code: 'full' })

      await signIn(colleague.state, { accountId: made.user.id, clientId: colleague.client.id }).begin()
    })
  })

  describe('strangers', () => {
    const use = (network: string, count: number, whose = made.client.id) => {
      const now = running.clock.now()
      const row = { scope: `openid ${whose} ${network}`, at: now - (now % 60), count }
      return made.ctx.store.db.insertInto('tally').values(row).execute()
    }
    const beginFrom = (address: string | undefined) =>
      made.state
        .adapter('Interaction', () => address)
        .upsert(randomUUID(), { kind: 'Interaction', params: { client_id: made.client.id } }, 600)

    it('strangers in one network use up what that network can have stored for an OpenID client, and no more', async () => {
      await use('2001:db8:0:1::/64', artifactLimits.ofClient.ofNetwork - 1)

      await beginFrom('2001:db8:0:1::1')
      await expect(beginFrom('2001:db8:0:1::2')).rejects.toMatchObject({ code: 'full' })

      await beginFrom('2001:db8:0:2::1')
      await beginFrom(undefined)
    })

    it('strangers in one network can begin a limited number of web sessions at the OpenID provider', async () => {
      const { ofNetwork } = artifactLimits.ofNone
      await use('192.0.2.80', ofNetwork, 'none')
      const store = made.state.sessionStore('sign-in/none')
      const begin = (ip: string) =>
        new Promise((resolve) => store.set(randomUUID(), { cookie: {}, req: { ip } }, (error) => resolve(error)))

      expect(await begin('192.0.2.80')).toMatchObject({ code: 'full' })
      expect(await begin('192.0.2.81')).toBeUndefined()
    })
  })

  describe('web sessions of the pages', () => {
    const store = (owner = 'external/1') => {
      const methods = made.state.sessionStore(owner)
      const call = <T>(run: (done: (error?: unknown, value?: T) => void) => void) =>
        new Promise<T | undefined>((resolve, reject) => run((error, value) => (error ? reject(error) : resolve(value))))
      return {
        set: (id: string, session: object) =>
          call((done) => methods.set(id, { cookie: { maxAge: 600_000 }, ...session }, done)),
        get: (id: string) => call<unknown>((done) => methods.get(id, done)),
        touch: (id: string, maxAge: number) => call((done) => methods.touch(id, { cookie: { maxAge } }, done)),
        destroy: (id: string) => call((done) => methods.destroy(id, done)),
      }
    }

    it('web sessions of the OpenID provider are stored, touched, found and removed', async () => {
      const { set, get, touch, destroy } = store()
      await set('sid', { userId: made.user.id, hint: 1 })
      await touch('sid', 7_200_000)
      running.clock.skip(3600)
      expect(await get('sid')).toMatchObject({ userId: made.user.id, hint: 1 })

      await destroy('sid')

      expect(await get('sid')).toBeNull()
    })

    it('web sessions of the OpenID provider are unknown to every other owner', async () => {
      const [own, others] = [store(), store('sign-in/1')]
      await own.set('sid', { userId: made.user.id, hint: 1 })

      expect(await others.get('sid')).toBeNull()
      await others.destroy('sid')
      await others.set('sid', { userId: made.user.id, hint: 2 })
      await others.touch('sid', 7_200_000)
      expect(await own.get('sid')).toMatchObject({ hint: 1 })
      running.clock.skip(3600)

      expect(await own.get('sid')).toBeNull()
      expect(await others.get('sid')).toMatchObject({ hint: 2 })
    })

    it('web sessions of the OpenID provider outlive the epoch, which mfa() checks, and end with the user', async () => {
      const { set, get } = store()
      await set('sid', { userId: made.user.id })
      await made.ctx.store.db.transaction().execute((db) => endSessionsButKeys(db, made.user.id))
      expect(await get('sid')).not.toBeNull()

      await running.call('DELETE', `/users/${made.user.id}`)

      expect(await get('sid')).toBeNull()
    })
  })
})
