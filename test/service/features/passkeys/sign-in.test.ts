import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { PasskeySignedIn } from '../../../../src/contract/passkeys.ts'
import type { UsernamelessOptions } from '../../../../src/contract/webauthn.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import type { Lies } from '../../../../src/testing/software-authenticator.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import { passkeyHolder, rp } from './passkey-holder.ts'
import { keysFor, startService } from '../../start-service.ts'
import type { Answer, Running } from '../../start-service.ts'
import { inFullRun } from '../../../support/full-run.ts'

const gone = 'api.error.notfound.passkey'

describe.each(mainEngines)('a sign-in in which the passkey says who the user is, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let database: string

  beforeAll(async () => {
    database = await newDatabase()
    running = await startService({ database, ...keysFor(database) })
  })
  afterAll(() => running.close())

  async function storedCeremonies(): Promise<number> {
    const { ctx, close } = await openDatabase(database, keysFor(database))
    const rows = await ctx.store.db.selectFrom('passkeyCeremony').select('challengeHash').execute()
    await close()
    return rows.length
  }

  const at = (domainId = running.domain.id) => `/domains/${domainId}/passkeys`

  async function start(more: object = {}): Promise<UsernamelessOptions & { caller: string }> {
    const caller = random128()
    const { json } = await running.call('POST', `${at()}/authentication`, { body: { rp, challenge: caller, ...more } })
    return { ...(json as UsernamelessOptions), caller }
  }

  const finish = (response: object, more: object): Promise<Answer> =>
    running.call('POST', `${at()}/sessions`, { body: { rp, response, ...more } })

  /** All of it, as truthfully as told. */
  async function signIn(person: Awaited<ReturnType<typeof passkeyHolder>>, lies: Lies = {}, more: object = {}) {
    const { caller, ...options } = await start()
    return finish(person.authenticator.use(options, lies), { challenge: caller, ...more })
  }

  it('a usernameless sign-in takes an answer once, even when the same one arrives several times at once', async () => {
    const person = await passkeyHolder(running)
    const { caller, ...options } = await start()
    const response = person.authenticator.use(options)

    const answers = await Promise.all([1, 2, 3].map(() => finish(response, { challenge: caller })))
    const later = await finish(response, { challenge: caller })

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404])
    expect(later.code).toBe(gone)
  })

  it('a usernameless sign-in asks for any passkey of the app, and for user verification', async () => {
    expect(await start()).toMatchObject({ rpId: rp.id, userVerification: 'required', allowCredentials: [] })
  })

  inFullRun(
    'a usernameless sign-in says who the user is, with an approval that its challenge redeems once',
    async () => {
      const person = await passkeyHolder(running)
      const { caller, ...options } = await start()

      const { json } = await finish(person.authenticator.use(options), { challenge: caller, ipAddress: '192.0.2.1' })
      const session = json as PasskeySignedIn
      const redeem = (challenge: string) =>
        running.call('POST', `${person.sessions}/${session.id}/redeem`, { body: { challenge } })
      const redeemed = [await redeem(random128()), await redeem(caller), await redeem(caller)]

      expect(session).toMatchObject({
        state: 'approved',
        factor: 'passkey',
        factorId: person.passkey.id,
        userVerified: true,
        user: { id: person.id, username: person.username },
      })
      expect(redeemed.map(({ status }) => status)).toEqual([409, 200, 409])
    },
  )

  it.each<[string, Lies]>([
    ['without user verification', { uv: false }],
    ['without a person', { up: false }],
    ['for another relying party', { rpId: 'other.example' }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['in a frame of another origin', { crossOrigin: true }],
    ['of a registration', { type: 'webauthn.create' }],
    ['for a challenge of the attacker', { challenge: Buffer.alloc(54).toString('base64url') }],
    ['for a short challenge', { challenge: 'AAAA' }],
    ['without a user', { userHandle: null }],
    ['of another user', { userHandle: Buffer.alloc(20).toString('base64url') }],
    ['with an unknown credential', { id: Buffer.alloc(32).toString('base64url') }],
  ])('a usernameless sign-in rejects an answer %s', async (_, lies) => {
    const person = await passkeyHolder(running)

    expect((await signIn(person, lies)).code).toBe(gone)
  })

  it('a usernameless sign-in rejects an answer for the challenge of another caller, relying party or domain', async () => {
    const person = await passkeyHolder(running)
    const { administration } = running.service
    const other = await administration.createDomain(running.organization.id, { name: 'Other' })
    const { caller, ...options } = await start()
    const response = person.authenticator.use(options)
    const elsewhere = { body: { rp, challenge: caller, response } }

    const answers = [
      await finish(response, { challenge: random128() }),
      await finish(response, { challenge: caller, rp: { ...rp, id: 'example' } }),
      await running.call('POST', `${at(other.id)}/sessions`, elsewhere),
    ]

    expect(answers.map(({ code }) => code)).toEqual([gone, gone, gone])
    expect((await finish(response, { challenge: caller })).status).toBe(200)
  })

  it('a usernameless sign-in rejects an answer to a challenge that was made for a known user', async () => {
    const person = await passkeyHolder(running)
    const challenge = random128()
    const started = await person.startUse({ challenge })

    const answered = await finish(person.authenticator.use(started.json), { challenge })

    expect(answered.code).toBe(gone)
  })

  it('a usernameless sign-in rejects an answer after five minutes', async () => {
    const person = await passkeyHolder(running)
    const { caller, ...options } = await start()
    const response = person.authenticator.use(options)
    await running.clock.advance(300)

    expect((await finish(response, { challenge: caller })).code).toBe(gone)
  })

  it('a usernameless sign-in rejects the passkey of a user who has left the domain', async () => {
    const person = await passkeyHolder(running)
    const other = await running.service.administration.createDomain(running.organization.id, { name: 'Refuge' })
    await running.call('PUT', `/domains/${other.id}/users/${person.id}`)
    await running.call('DELETE', `/domains/${running.domain.id}/users/${person.id}`)

    expect((await signIn(person)).code).toBe(gone)
  })

  it('a usernameless sign-in rejects a passkey that was removed', async () => {
    const person = await passkeyHolder(running)
    await running.call('DELETE', `${person.passkeys}/${person.passkey.id}`)

    expect((await signIn(person)).code).toBe(gone)
  })

  it('a usernameless sign-in stores nothing until a right answer comes, however many challenges are requested', async () => {
    const person = await passkeyHolder(running)
    const before = await storedCeremonies()

    const started = await Promise.all(Array.from({ length: 40 }, () => start()))
    const { caller, ...options } = started[0]!
    await finish(person.authenticator.use(options, { uv: false }), { challenge: caller })

    expect(new Set(started.map(({ challenge }) => challenge)).size).toBe(40)
    expect(await storedCeremonies()).toBe(before)
  })

  it('a usernameless sign-in without valid client data is malformed', async () => {
    const person = await passkeyHolder(running)
    const { caller, ...options } = await start()
    const { response, ...answer } = person.authenticator.use(options)
    const broken = { ...answer, response: { ...response, clientDataJSON: 'AAAA' } }

    expect((await finish(broken, { challenge: caller })).code).toBe('api.error.invalid.response')
  })

  it('a usernameless sign-in does not exist in version 1.3', async () => {
    const headers = { accept: 'application/vnd.service.v1+json' }

    const answer = await running.call('POST', `${at()}/authentication`, {
      headers,
      body: { rp, challenge: random128() },
    })

    expect(answer.status).toBe(404)
  })
})
