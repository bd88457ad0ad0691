import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { storeArtifact } from '../../../../src/service/features/oidc/artifacts.ts'
import { signingKeys } from '../../../../src/service/features/oidc/keys.ts'
import { importHardwareTokens } from '../../../../src/service/features/hardware/import.ts'
import { keyStatus } from '../../../../src/service/upkeep/key-status.ts'
import { heartbeat, nodeTimeout } from '../../../../src/service/engine/secrets/live-nodes.ts'
import { rotateKeys } from '../../../../src/service/upkeep/rotation.ts'
import type { Waiting } from '../../../../src/service/upkeep/rotation.ts'
import type { ServiceContext } from '../../../../src/service/engine/context/service-context.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import {
  insertAdministratorPasskey,
  sealAdministratorKey,
} from '../../../../src/service/features/administrators/passkey-statements.ts'
import { insertAdministrator } from '../../../../src/service/features/administrators/statements.ts'
import type { Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import { insertPushKey } from '../../../../src/service/engine/push/statements.ts'
import {
  pushKeyRecord,
  recordOf,
  sealedPage,
  sealedPlaces,
} from '../../../../src/service/engine/secrets/sealed-values.ts'
import { activationCodeText } from '../../../../src/service/engine/secrets/secrets.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import type { TestClock } from '../../../../src/testing/clock.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { approvalsOf, approver } from '../../features/approvals/approving.ts'
import { holder, member } from '../../features/codes/code-holder.ts'
import { passkeyHolder } from '../../features/passkeys/passkey-holder.ts'
import { activateDevice, createCall, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { openNode, ring } from './key-holders.ts'

/** The command as it is installed; `npm run build` makes it. */
const program = fileURLToPath(new URL('../../../../bin/second-factor.js', import.meta.url))

/** Thirty transactions of a rotation: the process is killed after the first ones. */
const seedCount = 1_500

let mail: MailServer
beforeAll(async () => {
  mail = await startMailServer()
})
afterAll(() => mail.close())

describe.each(mainEngines)('a key rotation on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let database: string
  let open: { close(): Promise<void> }[] = []

  afterEach(async () => {
    for (const resource of open.splice(0).toReversed()) await resource.close()
  })

  const smtp = () => ({ host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' })

  /** A running node. */
  async function serve(keys: string, clock?: TestClock): Promise<Running> {
    const options = { database, keys, smtp: smtp(), ...(clock && { clock }) }
    const running = await startService(options, { bypassEnabled: true, emailOtpEnabled: true })
    open.push(running)
    return running
  }

  async function node(keys: string, clock: TestClock): Promise<OpenedService> {
    const opened = await openNode(database, keys, clock)
    open.push(opened)
    return opened
  }

  async function end(resource: { close(): Promise<void> }): Promise<void> {
    open = open.filter((other) => other !== resource)
    await resource.close()
  }

  /** Advances the clock whenever it waits. */
  function rotate({ ctx }: OpenedService, clock: TestClock, onWaiting: (reason: Waiting) => void = () => {}) {
    return rotateKeys(ctx, {
      waiting(reason) {
        onWaiting(reason)
        setImmediate(() => void heartbeatsAreIn(ctx, clock).then(() => clock.advance(1)))
      },
    })
  }

  /** A live node may briefly wait for the file lock, and that wait uses real time, not this clock. */
  async function heartbeatsAreIn({ store }: ServiceContext, clock: TestClock): Promise<void> {
    for (let look = 0; look < 50; look += 1) {
      const { late } = await store.db
        .selectFrom('keyNode')
        .select((eb) => eb.fn.countAll<number | string>().as('late'))
        .where('seenAt', '<', clock.now() - heartbeat)
        .where('seenAt', '>', clock.now() - nodeTimeout)
        .executeTakeFirstOrThrow()
      if (Number(late) === 0) return
      await pause(2)
    }
  }

  /** A user with every kind of sealed value, created before the keys change. */
  async function somebody(running: Running) {
    const { call, domain } = running
    const person = await holder(running)
    const waiting = await member(running, { email: 'waiting@example.com' })
    const bypass = await call('POST', `${person.path}/bypasscodes`, { body: { usesAllowed: 9, expirationTime: 0 } })
    const token = await call('PUT', `/domains/${domain.id}/users/${waiting.id}/token`)
    await passkeyHolder(running)
    const sendMail = async () => {
      const before = mail.mails.length
      await call('POST', `/domains/${domain.id}/users/${waiting.id}/otp`, { body: { deliverableOTPType: 'EMAIL' } })
      return mail.mails.slice(before).at(-1)?.code ?? ''
    }
    const activate = (origin: string, clock: TestClock) => activateDevice(origin, clock, token.json.code)
    return { ...person, waiting, bypass: bypass.json, activate, sendMail }
  }

  const signIn = async ({ call, domain }: Running, userId: string, more: object): Promise<string> => {
    const { json } = await call('POST', `/domains/${domain.id}/sessions`, { body: { user: { id: userId }, ...more } })
    return json.state ?? JSON.stringify(json)
  }

  it('a key rotation reseals everything with the new key while requests are served; then the old one can be removed', async () => {
    database = await newDatabase()
    const first = await serve(ring('k1'))
    const { clock } = first
    const person = await somebody(first)
    const bystanders = await Promise.all(Array.from({ length: 4 }, () => holder(first)))

    // Makes the new key the primary on every node: nodes write with it as soon as all of them have it.
    await first.service.close()
    const second = await serve(ring('k2', 'k1'), clock)
    const serving: Running = { ...second, call: createCall(second.origin, first.apiKey), domain: first.domain }
    const command = await node(ring('k2', 'k1'), clock)
    const states: string[] = []
    const enough = new AbortController()
    const served = bystanders.map(() => Promise.withResolvers<void>())
    const requests = bystanders.map(async ({ id }, index) => {
      const creation = await serving.call('POST', `/users/${id}/bypasscodes`, {
        body: { usesAllowed: 1000, expirationTime: 0 },
      })
      do {
        // So many more would only repeat what these find out.
        await pause(5)
        states.push(await signIn(serving, id, { bypasscode: creation.json.code }))
        served[index]?.resolve()
      } while (!enough.signal.aborted)
    })
    // From now on, each of them signs in again and again.
    await Promise.all(served.map(({ promise }) => promise))
    const before = states.length
    const rotated = await rotate(command, clock)
    enough.abort()
    await Promise.all(requests)
    await end(command)

    expect(rotated).toMatchObject({ key: 'k2', retired: ['k1'] })
    expect(rotated.resealed).toBeGreaterThanOrEqual(7)
    expect(states.length).toBeGreaterThanOrEqual(before + bystanders.length)
    expect(new Set(states)).toEqual(new Set(['approved']))

    // Without the old key.
    await end(second)
    const third = await serve(ring('k2'), clock)
    const after: Running = { ...third, call: createCall(third.origin, first.apiKey), domain: first.domain }
    const device = await person.activate(third.origin, clock)
    expect([
      await signIn(after, person.id, { otp: person.token.code() }),
      await signIn(after, person.id, { bypasscode: person.bypass.code }),
      (await after.call('GET', `/bypasscodes/${person.bypass.id}`)).json.code,
    ]).toEqual(['approved', 'approved', person.bypass.code])
    expect(device.signer.id).toHaveLength(40)
  })

  it('a key rotation that is killed midway resumes where it was', async () => {
    database = await newDatabase()
    const clock = createTestClock()
    const service = await node(ring('k1'), clock)
    const { db } = service.ctx.store
    await db
      .insertInto('organization')
      .values({ id: '0'.repeat(40), name: 'Organization', createdAt: 1 })
      .execute()
    const seeds = Array.from({ length: seedCount }, (_, index) => index.toString(16).padStart(40, '0'))
    await importHardwareTokens(service.ctx, '0'.repeat(40), [
      seeds.map((seed, line) => ({
        line,
        token: { serialNumber: `S${line}`, seed, type: 'TOTP6', timeStep: 30 },
      })),
    ])
    // The rotation would wait for it, because it writes with the old key.
    await end(service)
    const watching = await node(ring('k1', 'k2'), clock)
    const sealedWith = async (prefix: string) => {
      const rows = await watching.ctx.store.db
        .selectFrom('codeGenerator')
        .select((eb) => eb.fn.countAll<number | string>().as('count'))
        .where('seed', 'like', `${prefix}.%`)
        .executeTakeFirstOrThrow()
      return Number(rows.count)
    }

    const child = spawn(process.execPath, [program, 'keys', 'rotate', '--database', database], {
      env: { ...process.env, MFA_KEYS: ring('k2', 'k1') },
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    // Before it has registered, each look would only delay its start.
    const registered = () => watching.ctx.store.db.selectFrom('keyNode').select('id').execute()
    while ((await registered()).length < 2) await pause(20)
    while ((await sealedWith('k2')) === 0) await pause(1)
    child.kill('SIGKILL')
    await exited
    const middle = [await sealedWith('k1'), await sealedWith('k2')]
    await end(watching)
    const resumed = await node(ring('k2', 'k1'), clock)
    const { resealed } = await rotate(resumed, clock)

    expect(Math.min(...middle)).toBeGreaterThan(0)
    expect(middle[0]! + middle[1]!).toBe(seedCount)
    expect(resealed).toBe(middle[0])
    const { secrets, store } = resumed.ctx
    const rows = await store.db.selectFrom('codeGenerator').select(['id', 'seed']).execute()
    const opened = rows.map(({ id, seed }) => secrets.open(seed, { kind: 'seed', id, userId: null }))
    expect(rows.every(({ seed }) => seed.startsWith('k2.'))).toBe(true)
    expect(opened.toSorted()).toEqual(seeds)
  })

  inFullRun('a key rotation reseals every kind of secret, and each opens to its old value', async () => {
    database = await newDatabase()
    const first = await serve(ring('k1'))
    const { clock } = first
    const person = await somebody(first)
    await person.activate(first.origin, clock)
    await somebody(first)
    const user = { username: 'keyed', name: 'Keyed', email: 'keyed@example.com' }
    await first.call('POST', '/users', { body: user, headers: { 'idempotency-key': 'key' } })
    const approving = await approver(first)
    const { json: approval } = await approvalsOf(first).ask({ user: { id: approving.id } })
    await approving.decide(approval.id, 'approve')
    const { ctx: before } = await node(ring('k1'), clock)
    await keepOneOfEach(before)
    const sealedBefore = await allSealed(before)
    for (const resource of open.splice(0)) await resource.close()

    const rotating = await node(ring('k2', 'k1'), clock)
    await rotate(rotating, clock)
    await end(rotating)
    const { ctx: after } = await node(ring('k2'), clock)

    expect(new Set(sealedBefore.map(({ kind }) => kind))).toEqual(new Set(sealedPlaces.map(({ kind }) => kind)))
    expect(await allSealed(after)).toEqual(sealedBefore)
  })

  inFullRun(
    'a key rotation finds codes stored with the old key while both keys exist, and waits for e-mailed ones to expire',
    async () => {
      database = await newDatabase()
      const first = await serve(ring('k1'))
      const { clock } = first
      const person = await somebody(first)
      const early = await person.sendMail()
      await first.service.close()
      const second = await serve(ring('k2', 'k1'), clock)
      const serving: Running = { ...second, call: createCall(second.origin, first.apiKey), domain: first.domain }

      const before = [
        await signIn(serving, person.waiting.id, { otp: early }),
        await signIn(serving, person.id, { bypasscode: person.bypass.code }),
      ]
      await person.activate(second.origin, clock)
      expect(before).toEqual(['approved', 'approved'])

      // As written by a node that has not restarted yet.
      const command = await node(ring('k2', 'k1'), clock)
      await command.ctx.store.db
        .insertInto('emailCode')
        .values({
          domainId: first.domain.id,
          userId: person.waiting.id,
          codeLookup: 'k1.x',
          wrongTries: 0,
          expiresAt: clock.now() + 60,
        })
        .execute()
      const reasons: Waiting[] = []
      const begun = clock.now()
      await rotate(command, clock, (reason) => reasons.push(reason))

      expect(new Set(reasons.map((reason) => reason.for))).toEqual(new Set(['email codes', 'writers']))
      expect(clock.now() - begun).toBeGreaterThanOrEqual(60)
    },
  )

  it('a key rotation waits while a node without the new key runs, and meanwhile seals nothing with the new key', async () => {
    database = await newDatabase()
    const old = await serve(ring('k1'))
    const { clock } = old
    const person = await somebody(old)
    const command = await node(ring('k2', 'k1'), clock)
    const reasons: Waiting[] = []
    let ended = false

    const { promise: longEnough, resolve } = Promise.withResolvers<void>()
    const rotating = rotate(command, clock, (reason) => {
      if (reasons.push(reason) === 40) resolve()
    }).finally(() => (ended = true))
    await Promise.race([longEnough, rotating])
    const meanwhile = await keyStatus(command.ctx)
    const creation = await old.call('POST', `${person.path}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 0 },
    })

    expect(ended).toBe(false)
    expect(reasons[0]).toMatchObject({ for: 'nodes', nodes: [expect.stringMatching(/:\d+$/)] })
    expect(meanwhile.keys).toMatchObject([
      { id: 'k2', first: true, inUse: false, values: 0 },
      // The secrets of a user, a passkey, and the key of push messages.
      { id: 'k1', inUse: true, values: 5 },
    ])
    expect((await old.call('GET', `/bypasscodes/${creation.json.id}`)).json.code).toBe(creation.json.code)

    await old.service.close()
    expect((await rotating).retired).toEqual(['k1'])
  })

  inFullRun(
    'a key rotation counts a dead node while it could be alive, and lets no node start without the new key',
    async () => {
      database = await newDatabase()
      const clock = createTestClock()
      const first = await node(ring('k1'), clock)
      await first.ctx.store.db
        .insertInto('keyNode')
        .values({ id: 'dead', name: 'dead', keyIds: 'k1', primaryId: 'k1', primarySince: 0, seenAt: clock.now() })
        .execute()
      await end(first)
      const begun = clock.now()

      await rotate(await node(ring('k2', 'k1'), clock), clock)

      expect(clock.now() - begun).toBeGreaterThanOrEqual(30)
      await expect(openNode(database, ring('k1'), clock)).rejects.toThrow(/sealed with the key "k2"/)
    },
  )
})

/** Adds what users create with a browser that receives push messages, with a PIN, and when they replace their device. */
async function keepOneOfEach(ctx: ServiceContext): Promise<void> {
  const { store, secrets } = ctx
  const { db } = store
  const device = await db.selectFrom('device').select(['id', 'userId']).executeTakeFirstOrThrow()
  const token = await db
    .selectFrom('token')
    .select(['id', 'userId'])
    .where('state', '=', 'active')
    .executeTakeFirstOrThrow()
  const pin = secrets.seal('hash of a PIN', { kind: 'pin', ...device })
  const push = secrets.seal('where messages go', { kind: 'push subscription', ...device })
  await db.updateTable('device').set({ pin, push }).where('id', '=', device.id).execute()
  const replacement = secrets.seal('abcdefghij', { kind: 'replacement code', ...token })
  await db
    .updateTable('token')
    .set({ replacement, replacementLookup: secrets.lookup(activationCodeText('abcdefghij')) })
    .where('id', '=', token.id)
    .execute()
  await insertPushKey(db, { publicKey: 'public', privateKey: secrets.seal('private', pushKeyRecord) })
  await keepAdministrator(db, secrets)
  await signingKeys(ctx, 90 * 86_400)
  await storeArtifact(ctx, { model: 'Session', id: 'kept' }, { payload: { uid: 'kept' }, address: undefined })
}

async function keepAdministrator(db: Queryable, secrets: ServiceContext['secrets']): Promise<void> {
  const { id: organizationId } = await db.selectFrom('organization').select('id').executeTakeFirstOrThrow()
  const owner = { id: 'ad'.repeat(20), administratorId: 'ad'.repeat(20) }
  const person = { name: 'Olivia', email: 'olivia@example.com', role: 'owner', userId: null } as const
  await insertAdministrator(db, { id: owner.id, organizationId, ...person, userHandle: 'handle', createdAt: 1 }, [])
  await insertAdministratorPasskey(db, {
    ...owner,
    rpId: 'console.example',
    credentialId: 'credential',
    publicKey: sealAdministratorKey(secrets, owner, Buffer.from('public key')),
    counter: 0,
    transports: '[]',
    name: 'Laptop',
    syncable: 0,
    synced: 0,
    createdAt: 1,
  })
}

async function allSealed({ store, secrets }: ServiceContext) {
  const pages = sealedPlaces.map(async (place) => {
    const values = await sealedPage(store.db, place, { after: '', limit: 100 })
    return values.map((value) => ({
      kind: place.kind,
      id: value.id,
      secret: secrets.open(value.sealed, recordOf(place, value)),
    }))
  })
  return (await Promise.all(pages)).flat()
}
