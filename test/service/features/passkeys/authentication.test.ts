import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import type { Lies } from '../../../../src/testing/software-authenticator.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { entriesOf, openDatabase } from '../../engine/audit/recorded.ts'
import { passkeyHolder, passkeyPage, rp } from './passkey-holder.ts'
import { createCall, keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const denied = { state: 'denied', factor: 'passkey', reason: 'wrong_passkey' }

describe.each(mainEngines)('using a passkey, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let database: string

  beforeAll(async () => {
    database = await newDatabase()
    running = await startService({ database }, { bypassEnabled: true })
  })
  afterAll(() => running.close())

  /** A use that has begun, and the answer of the authenticator. */
  async function begun(person: Awaited<ReturnType<typeof passkeyHolder>>, more: object = {}, lies: Lies = {}) {
    const ceremony = { challenge: random128(), ...more }
    const { json: options } = await person.startUse(ceremony)
    return { ...ceremony, options, passkey: person.authenticator.use(options, lies) }
  }
  type Begun = Awaited<ReturnType<typeof begun>>
  const bodyOf = ({ options: _options, ...body }: Begun, more: object = {}) => ({ ...body, ...more })

  it('a passkey answer that is sent several times at once approves one session', async () => {
    const person = await passkeyHolder(running)
    const use = await begun(person)

    const answers = await Promise.all(Array.from({ length: 5 }, () => person.finishUse(bodyOf(use))))

    const states = answers.map(({ json }) => json.state as string)
    expect(states.filter((state) => state === 'approved')).toHaveLength(1)
    expect(states.filter((state) => state === 'denied')).toHaveLength(4)
  })

  it('a passkey that is removed while it is used leaves no approval that can be redeemed', async () => {
    const person = await passkeyHolder(running)
    const use = await begun(person)

    const [used] = await Promise.all([
      person.finishUse(bodyOf(use)),
      running.call('DELETE', `${person.passkeys}/${person.passkey.id}`),
    ])

    // The approval of a passkey that was removed afterwards cannot be redeemed.
    const path = `${person.sessions}/${used.json.id}/redeem`
    const redeemed = await running.call('POST', path, { body: { challenge: use.challenge } })
    expect(redeemed.code).toBe('api.error.conflict.state')
  })

  inFullRun('a passkey approves a session at once, and its challenge redeems the approval once', async () => {
    const person = await passkeyHolder(running)
    const challenge = random128()

    const session = await person.usePasskey({ challenge })
    const path = `${person.sessions}/${session.id}/redeem`
    const redeemed = await running.call('POST', path, { body: { challenge, browser: {} } })
    const secondRedemption = await running.call('POST', path, { body: { challenge } })

    const now = running.clock.now()
    expect(session).toMatchObject({ state: 'approved', factor: 'passkey', factorId: person.passkey.id, settledAt: now })
    expect(redeemed.json).toMatchObject({
      epoch: expect.any(String),
      browser: { id: expect.any(String) },
      userVerified: true,
    })
    expect(secondRedemption.code).toBe('api.error.conflict.state')
  })

  it('a passkey answer can redeem its approval in the same call', async () => {
    const { usePasskey } = await passkeyHolder(running)

    const session = await usePasskey({ redeem: { browser: { rememberDays: 1 } } })

    expect(session).toMatchObject({ state: 'approved', epoch: expect.any(String), browser: { id: expect.any(String) } })
  })

  inFullRun('an approval by passkey has the purpose that was named when the ceremony started', async () => {
    const { usePasskey } = await passkeyHolder(running)

    expect(await usePasskey({ purpose: 'change_devices' })).toMatchObject({
      state: 'approved',
      purpose: 'change_devices',
    })
  })

  it('a passkey session reports user verification only when the authenticator verified the user', async () => {
    const { usePasskey, sessions } = await passkeyHolder(running)

    const [verified, unverified] = [await usePasskey(), await usePasskey({}, { uv: false })]

    const read = async ({ id }: { id: string }) => (await running.call('GET', `${sessions}/${id}`)).json
    expect([verified.userVerified, (await read(verified)).userVerified]).toEqual([true, true])
    for (const session of [unverified, await read(unverified)]) expect(session).not.toHaveProperty('userVerified')
  })

  inFullRun('using a passkey stores when it was used and whether it is synced now', async () => {
    const person = await passkeyHolder(running, { flags: { be: true } })
    await running.clock.advance(5)

    await person.usePasskey({}, { bs: true })

    expect(await person.listPasskeys()).toMatchObject([
      { syncable: true, synced: true, lastUsedAt: running.clock.now(), createdAt: running.clock.now() - 5 },
    ])
  })

  it('the service accepts a passkey answer that names no user, and one that names this user', async () => {
    const { usePasskey, id } = await passkeyHolder(running)

    const sessions = [
      await usePasskey({}, { userHandle: null }),
      await usePasskey({}, { userHandle: Buffer.from(id, 'hex').toString('base64url') }),
    ]

    expect(sessions.map(({ state }) => state)).toEqual(['approved', 'approved'])
  })

  it.each<[string, Lies]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['plain http', { origin: 'http://app.example' }],
    ['a frame of another origin', { crossOrigin: true }],
    ['another relying party', { rpId: 'evil.example' }],
    ['a registration instead of a use', { type: 'webauthn.create' }],
    ['no user presence', { up: false }],
    ['the handle of another user', { userHandle: Buffer.alloc(20, 1).toString('base64url') }],
    ['another backup eligibility', { be: true }],
    ['backup without eligibility', { be: false, bs: true }],
    ['a credential that nobody has', { id: 'AAAA' }],
    ['another challenge', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
  ])('the service denies a passkey answer that says %s', async (_, lies) => {
    const { usePasskey, listPasskeys } = await passkeyHolder(running)

    expect(await usePasskey({}, lies)).toMatchObject(denied)
    expect((await listPasskeys())[0]).not.toHaveProperty('lastUsedAt')
  })

  inFullRun('the log reports a passkey of a foreign origin once a minute, without what the browser sent', async () => {
    const other = await startService()
    const { usePasskey } = await passkeyHolder(other)

    await usePasskey({}, { origin: 'https://evil.example' })
    await usePasskey({}, { origin: 'https://evil.example' })
    await other.close()

    const warnings = other.logged.filter(({ message }) => message.startsWith('a passkey was refused'))
    expect(warnings).toMatchObject([{ details: { domain: other.domain.id, rpId: rp.id, origins: rp.origins } }])
    expect(JSON.stringify(other.logged)).not.toContain('evil.example')
  })

  it.each(['clientDataJSON', 'authenticatorData', 'signature'] as const)(
    'the service denies a passkey answer with one bit of %s changed',
    async (part) => {
      const person = await passkeyHolder(running)
      const use = await begun(person)
      const { passkey } = use
      const bytes = Buffer.from(passkey.response[part], 'base64url')
      // Within the origin of client data, and in the counter of authenticator data.
      bytes[part === 'clientDataJSON' ? bytes.length - 25 : bytes.length - 1]! ^= 1
      const response = { ...passkey.response, [part]: bytes.toString('base64url') }

      const { json } = await person.finishUse(bodyOf(use, { passkey: { ...passkey, response } }))

      expect(json).toMatchObject(denied)
    },
  )

  it('the service denies another user’s passkey', async () => {
    const [alice, mallory] = [await passkeyHolder(running), await passkeyHolder(running)]
    const { challenge, options } = await begun(alice)
    const [credential] = mallory.authenticator.credentials
    const { userHandle } = alice.authenticator.credentials[0]!

    const passkey = mallory.authenticator.use(options, { userHandle }, credential)
    const { json } = await alice.finishUse({ challenge, passkey })

    expect(json).toMatchObject(denied)
  })

  it('the service denies a passkey that the user has for another relying party', async () => {
    const person = await passkeyHolder(running)
    const other = { id: 'other.example', origins: rp.origins }
    const pass = await person.passByPasskey()
    const ceremony = { challenge: random128(), pass }
    const { json: creationOptions } = await person.startRegistration({ ...ceremony, rp: { ...other, name: 'Other' } })
    const response = person.authenticator.make(creationOptions)
    await running.call('POST', person.passkeys, { body: { ...ceremony, name: 'Other', response } })

    const { challenge, options } = await begun(person)
    const [, credential] = person.authenticator.credentials
    const lying = { rpId: rp.id }
    const passkey = person.authenticator.use(options, lying, credential)

    expect((await person.finishUse({ challenge, passkey })).json).toMatchObject(denied)
  })

  it('the service denies a passkey answer for another user, domain, purpose or challenge of the caller', async () => {
    const [person, other] = [await passkeyHolder(running), await passkeyHolder(running)]
    const domain = await running.service.administration.createDomain(running.organization.id, { name: random128() })
    await running.call('PUT', `/domains/${domain.id}/users/${person.id}`)
    const elsewhere = `/domains/${domain.id}/sessions`

    const answers = [
      await other.finishUse(bodyOf(await begun(person))),
      await running.call('POST', elsewhere, { body: { user: { id: person.id }, ...bodyOf(await begun(person)) } }),
      await person.finishUse(bodyOf(await begun(person), { purpose: 'change_devices' })),
      await person.finishUse(bodyOf(await begun(person, { purpose: 'change_devices' }), { purpose: 'sign_in' })),
      await person.finishUse(bodyOf(await begun(person), { challenge: random128() })),
    ]

    expect(answers.map(({ json }) => json)).toEqual(answers.map(() => expect.objectContaining(denied)))
  })

  it('the service denies a passkey answer to the challenge of a registration', async () => {
    const person = await passkeyHolder(running)
    const pass = await person.passByPasskey()
    const challenge = random128()
    const { json: registration } = await person.startRegistration({ challenge, pass })
    const { options } = await begun(person)

    const passkey = person.authenticator.use({ ...options, challenge: registration.challenge })

    expect((await person.finishUse({ challenge, passkey })).json).toMatchObject(denied)
  })

  it('the service takes one passkey answer per challenge: no repeat, and none after a wrong one', async () => {
    const person = await passkeyHolder(running)
    const right = await begun(person)
    const lying = await begun(person, {}, { origin: 'https://evil.example' })
    const truth = person.authenticator.use(lying.options)

    const states = [
      await person.finishUse(bodyOf(right)),
      await person.finishUse(bodyOf(right)),
      await person.finishUse(bodyOf(lying)),
      await person.finishUse(bodyOf(lying, { passkey: truth })),
    ].map(({ json }) => json.state)

    expect(states).toEqual(['approved', 'denied', 'denied', 'denied'])
  })

  it('the service takes a passkey answer for 300 seconds', async () => {
    const person = await passkeyHolder(running)
    const [early, late] = [await begun(person), await begun(person)]

    running.clock.skip(299)
    const inTime = await person.finishUse(bodyOf(early))
    running.clock.skip(1)
    const tooLate = await person.finishUse(bodyOf(late))

    expect([inTime.json.state, tooLate.json.state]).toEqual(['approved', 'denied'])
  })

  it('the service denies a passkey that was removed between the start and the end of its use', async () => {
    const person = await passkeyHolder(running)
    const use = await begun(person)

    await running.call('DELETE', `${person.passkeys}/${person.passkey.id}`)

    expect((await person.finishUse(bodyOf(use))).json).toMatchObject(denied)
    expect((await person.startUse()).code).toBe('api.error.notfound.passkey')
  })

  it('the approval of a passkey that was removed in the meantime cannot be redeemed', async () => {
    const person = await passkeyHolder(running)
    const challenge = random128()
    const session = await person.usePasskey({ challenge })

    await running.call('DELETE', `${person.passkeys}/${person.passkey.id}`)
    const redeemed = await running.call('POST', `${person.sessions}/${session.id}/redeem`, { body: { challenge } })

    expect([session.state, redeemed.code]).toEqual(['approved', 'api.error.conflict.state'])
  })

  it('a passkey answer needs a challenge and must not come with a code', async () => {
    const person = await passkeyHolder(running)
    const { passkey, challenge } = await begun(person)

    const answers = [
      await person.finishUse({ passkey }),
      await person.finishUse({ passkey, challenge, otp: '123456' }),
      await person.finishUse({ passkey, challenge, bypasscode: '123456789' }),
    ]

    expect(answers.map(({ status, code }) => [status, code])).toEqual(
      answers.map(() => [400, 'api.error.invalid.passkey']),
    )
  })

  it.each<[string, { id?: undefined | string; type?: string; response?: object }]>([
    ['client data that is no JSON', { response: { clientDataJSON: 'AAAA' } }],
    ['a signature that is no base64url', { response: { signature: '=' } }],
    ['a signature of more than 2 KiB', { response: { signature: 'A'.repeat(2_732) } }],
    ['authenticator data of more than 4 KiB', { response: { authenticatorData: 'A'.repeat(5_463) } }],
    ['a user handle of more than 64 bytes', { response: { userHandle: 'A'.repeat(87) } }],
    ['no signature', { response: { signature: undefined } }],
    ['a credential id of more than 1,023 bytes', { id: 'A'.repeat(1_365) }],
    ['no id', { id: undefined }],
    ['another type', { type: 'password' }],
  ])('the service answers 400 to a passkey answer with %s', async (_, { response = {}, ...more }) => {
    const person = await passkeyHolder(running)
    const use = await begun(person)
    const passkey = { ...use.passkey, ...more, response: { ...use.passkey.response, ...response } }

    const { status, code } = await person.finishUse(bodyOf(use, { passkey }))

    expect([status, code]).toEqual([400, 'api.error.invalid.passkey'])
  })

  it.each([
    ['authenticator data that is too short', { authenticatorData: 'AAAA' }],
    ['a signature that is none', { signature: 'AAAA' }],
    ['authenticator data with bytes left over', { authenticatorData: 'A'.repeat(200) }],
  ])('the service denies a passkey answer with %s', async (_, different) => {
    const person = await passkeyHolder(running)
    const use = await begun(person)
    const passkey = { ...use.passkey, response: { ...use.passkey.response, ...different } }

    expect((await person.finishUse(bodyOf(use, { passkey }))).json).toMatchObject(denied)
  })

  inFullRun('a wrong passkey does not count as a wrong code, and passkeys work while codes are locked', async () => {
    const person = await passkeyHolder(running)
    for (let tries = 0; tries < 11; tries += 1) await person.usePasskey({}, { origin: 'https://evil.example' })
    const unlocked = await person.signIn({ otp: '000000' })
    for (let tries = 0; tries < 10; tries += 1) await person.signIn({ otp: '000000' })
    const locked = await person.signIn({ otp: '000000' })

    expect(unlocked.state).toBe('denied')
    expect(locked).toMatchObject({ errors: [{ code: 'api.error.locked' }] })
    expect((await person.usePasskey()).state).toBe('approved')
  })

  it('a user can start at most 30 passkey ceremonies in 10 minutes, and known browsers have 30 more', async () => {
    const person = await passkeyHolder(running)
    const session = await person.usePasskey({ redeem: { browser: {} } })
    const { browser } = session as unknown as { browser: { id: string } }
    running.clock.skip(601)
    const started = await Promise.all(Array.from({ length: 34 }, () => person.startUse()))

    const answers = [await person.startUse(), await person.startUse({ browser: 'guessed' })]
    const known = await person.startUse({ browser: browser.id })

    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 'api.error.toomanyrequests'))
    expect(started.filter(({ status }) => status === 200)).toHaveLength(30)
    expect(known.status).toBe(200)
  })

  it('passkeys can be used through an API key of role auth', async () => {
    const { administration } = running.service
    const call = createCall(
      running.origin,
      await administration.createApiKey(running.organization.id, { role: 'auth' }),
    )
    const person = await passkeyHolder(running)
    const page = passkeyPage({ call, domain: running.domain }, person)

    const challenge = random128()
    const { json: options } = await page.startUse({ challenge })
    const passkey = person.authenticator.use(options)
    const { json: session } = await page.finishUse({ challenge, passkey })

    expect(session.state).toBe('approved')
  })

  it('passkeys are unknown to callers of 1.3', async () => {
    const person = await passkeyHolder(running)
    const headers = { accept: 'application/vnd.service.v1+json' }
    const use = await begun(person)
    const { json: passed } = await person.finishUse(bodyOf(use))

    const user = await running.call('GET', person.path, { headers })
    const session = await running.call('GET', `${person.sessions}/${passed.id}`, { headers })
    const started = await running.call('POST', `${person.passkeys}/authentication`, { headers, body: {} })
    const created = await running.call('POST', person.sessions, {
      headers,
      body: { user: { id: person.id }, ...bodyOf(await begun(person)) },
    })

    expect(user.text).toBe(
      `{"id":"${person.id}","username":"${person.username}","name":"Name of ${person.username}","email":"somebody@example.com",` +
        `"domains":["${running.domain.id}"],"hardware":"","bypasscodes":[]}`,
    )
    expect(session.text).toBe(`{"id":"${passed.id}","state":"approved"}`)
    expect(started.code).toBe('api.error.notfound.operation')
    // There is no device, and for 1.3 there is no other way without a code.
    expect(created.code).toBe('api.error.notfound.token')
  })

  describe('whose counter does not grow', () => {
    it('a passkey whose counter does not grow is approved and noted in the audit trail', async () => {
      const person = await passkeyHolder(running)
      await person.usePasskey({}, { counter: 7 })

      const states = []
      // The highest counter stays, so that the 5 shows as well.
      for (const counter of [7, 3, 5]) states.push(await person.usePasskey({}, { counter }))

      const facts = { passkey: person.passkey.id, domain: running.domain.id, user: person.id }
      const opened = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
      const entries = await entriesOf(opened.ctx.store.db)
      await opened.close()
      expect(states.map(({ state }) => state)).toEqual(['approved', 'approved', 'approved'])
      const regressed = entries.filter(({ event, facts: { user } }) => /regressed/.test(event) && user === person.id)
      expect(regressed.map((entry) => entry.facts)).toMatchObject([facts, facts, facts])
    })

    it('a passkey whose counter does not grow is denied where clones are refused', async () => {
      const strict = await startService({ passkeys: { refuseClones: true } })
      const person = await passkeyHolder(strict)

      const sessions = [
        await person.usePasskey({}, { counter: 7 }),
        await person.usePasskey({}, { counter: 7 }),
        await person.usePasskey({}, { counter: 6 }),
        await person.usePasskey({}, { counter: 0 }),
        await person.usePasskey({}, { counter: 8 }),
      ]
      await strict.close()

      expect(sessions.map(({ state }) => state)).toEqual(['approved', 'denied', 'denied', 'denied', 'approved'])
    })

    inFullRun('a passkey whose authenticator never counts is not taken for a clone', async () => {
      const strict = await startService({ passkeys: { refuseClones: true } })
      const { usePasskey } = await passkeyHolder(strict, { counts: false })

      const sessions = [await usePasskey(), await usePasskey()]
      await strict.close()

      expect(sessions.map(({ state }) => state)).toEqual(['approved', 'approved'])
    })

    inFullRun('a passkey counter can have the greatest 32-bit value, and a lower one is still denied', async () => {
      const strict = await startService({ passkeys: { refuseClones: true } })
      const person = await passkeyHolder(strict)
      await person.usePasskey({}, { counter: 4_294_967_295 })

      const session = await person.usePasskey({}, { counter: 4_294_967_294 })
      await strict.close()

      expect(session.state).toBe('denied')
    })
  })
})
