import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import type { Lies } from '../../../../src/testing/software-authenticator.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { member } from '../codes/code-holder.ts'
import { passkeyHolder, passkeyUser, rp } from './passkey-holder.ts'
import { createCall, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const wrong = 'api.error.invalid.response'
const over = 'api.error.conflict.state'

describe.each(mainEngines)('adding a passkey, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running

  beforeAll(async () => {
    running = await startService({ database: await newDatabase() }, { bypassEnabled: true })
  })
  afterAll(() => running.close())

  /** A registration that has begun, and what finishes it. */
  async function begun(person: Awaited<ReturnType<typeof passkeyUser>>, lies: Lies = {}) {
    const ceremony = { challenge: random128(), first: true }
    const { json: options } = await person.startRegistration(ceremony)
    const response = person.authenticator.make(options, lies)
    return {
      ceremony,
      options,
      response,
      finish: (more: object = {}) => finish(person.passkeys, { ...ceremony, response, ...more }),
    }
  }
  const finish = (path: string, body: object) => running.call('POST', path, { body: { name: 'Laptop', ...body } })

  it('a registration answer that arrives several times at once adds one passkey', async () => {
    const person = await passkeyUser(running)
    const { finish: end } = await begun(person)

    const answers = await Promise.all([end(), end(), end()])

    const results = answers.map(({ code, status }) => code ?? status)
    expect(results.filter((result) => result === 200)).toHaveLength(1)
    expect(results.filter((result) => result === over)).toHaveLength(2)
    expect(await person.listPasskeys()).toHaveLength(1)
  })

  it('the service refuses the 11th passkey of a user, at the start and at the end', async () => {
    const person = await passkeyHolder(running)
    for (let count = 1; count < 9; count += 1) await person.addPasskey({ pass: await person.passByPasskey() })
    const pass = await person.passByPasskey()
    const started = await Promise.all(
      [random128(), random128()].map(async (challenge) => {
        const { json } = await person.startRegistration({ challenge, pass })
        return { challenge, pass, response: person.authenticator.make(json) }
      }),
    )

    const ended = await Promise.all(started.map((each) => finish(person.passkeys, each)))
    const extra = await person.startRegistration({ pass })

    const results = ended.map(({ code, status }) => code ?? status)
    expect(new Set(results)).toEqual(new Set([200, 'api.error.limit.passkeys']))
    expect(extra.code).toBe('api.error.limit.passkeys')
    expect(await person.listPasskeys()).toHaveLength(10)
  })

  it('a user gets one first factor, even when a passkey and an app are set up repeatedly at once', async () => {
    const person = await passkeyUser(running)
    const ceremonies = await Promise.all(Array.from({ length: 4 }, () => begun(person)))

    const answers = await Promise.all([
      ...ceremonies.map(({ finish: end }) => end()),
      ...Array.from({ length: 4 }, async () => (await person.enrollApp({ first: true })).answer),
    ])

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { hardware, passkeys } = await person.show()
    expect([hardware !== '', passkeys.length > 0].filter(Boolean)).toHaveLength(1)
  })

  inFullRun.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'the service accepts a passkey with a key of %s, which then signs in',
    async (algorithm) => {
      const person = await passkeyUser(running, { algorithm })

      const { json } = await person.addPasskey()

      expect(await person.usePasskey()).toMatchObject({ state: 'approved', factor: 'passkey', factorId: json.id })
    },
  )

  inFullRun.each([
    [{}, { syncable: false, synced: false }],
    [{ be: true }, { syncable: true, synced: false }],
    [
      { be: true, bs: true },
      { syncable: true, synced: true },
    ],
  ])('the service stores where the authenticator keeps a new passkey: %j', async (flags, stored) => {
    const { addPasskey, listPasskeys } = await passkeyUser(running, { flags })

    await addPasskey()

    expect(await listPasskeys()).toMatchObject([stored])
  })

  it('the service cleans the name that a person gives a passkey', async () => {
    const { addPasskey } = await passkeyUser(running)

    const { json } = await addPasskey({ name: 'My\u202elaptop\u0007' })

    expect(json.name).toBe('Mylaptop')
  })

  inFullRun('adding a passkey does not require the authenticator to verify the person', async () => {
    const { addPasskey } = await passkeyUser(running)

    expect((await addPasskey({}, { uv: false })).status).toBe(200)
  })

  it.each<[string, Lies]>([
    ['another origin', { origin: 'https://app.example.evil.example' }],
    ['a subdomain that the app did not name', { origin: 'https://sub.app.example' }],
    ['plain http', { origin: 'http://app.example' }],
    ['a frame of another origin', { crossOrigin: true }],
    ['another relying party', { rpId: 'other.example' }],
    ['a use instead of a registration', { type: 'webauthn.get' }],
    ['no user presence', { up: false }],
    ['backup without eligibility', { be: false, bs: true }],
    ['the id of another credential', { id: 'AAAA' }],
    ['attestation of the format packed', { fmt: 'packed' }],
    ['attestation of the format tpm', { fmt: 'tpm' }],
    ['attestation of the format android-safetynet', { fmt: 'android-safetynet' }],
    ['attestation of an unknown format', { fmt: 'unknown' }],
  ])('the service refuses a registration answer that says %s', async (_, lies) => {
    const { addPasskey, show } = await passkeyUser(running)

    expect((await addPasskey({}, lies)).code).toBe(wrong)
    expect(await show()).toMatchObject({ passkeys: [], everEnrolled: false })
  })

  it('the service accepts a registration answer without presence only if the browser made the passkey without asking', async () => {
    const { addPasskey } = await passkeyUser(running)

    const unconditional = await addPasskey({ conditional: false }, { up: false })
    const conditional = await addPasskey({ conditional: true }, { up: false, uv: false })

    expect([unconditional.code, conditional.status]).toEqual([wrong, 200])
  })

  it('a passkey can be added from every origin that the app named', async () => {
    const { addPasskey } = await passkeyUser(running)

    expect((await addPasskey({}, { origin: rp.origins.at(-1)! })).status).toBe(200)
  })

  inFullRun.each([
    ['text', 'text'],
    ['JSON that is no object', '1'],
    ['JSON without a challenge', '{"type":"webauthn.create"}'],
    ['a challenge that is no text', '{"challenge":1}'],
    ['null', 'null'],
  ])('the service answers 400 to a registration with client data that is %s', async (_, data) => {
    const person = await passkeyUser(running)
    const { response, finish: end } = await begun(person)
    const clientDataJSON = Buffer.from(data).toString('base64url')

    const { status, code, json } = await end({
      response: { ...response, response: { ...response.response, clientDataJSON } },
    })

    expect([status, code]).toEqual([400, wrong])
    expect(json.errors[0].message).toMatch(/^response: clientDataJSON: expected client data/)
  })

  inFullRun.each([
    ['no CBOR', 'AAAA'],
    ['a number in CBOR', Buffer.from([0x01]).toString('base64url')],
    ['truncated CBOR', Buffer.from([0xa3, 0x63]).toString('base64url')],
    ['deeply nested CBOR', Buffer.alloc(8_000, 0x81).toString('base64url')],
    [
      'a length beyond its end',
      Buffer.from([0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).toString('base64url'),
    ],
  ])(
    'the service answers 400 to a registration with an attestation object that is %s',
    async (_, attestationObject) => {
      const person = await passkeyUser(running)
      const { response, finish: end } = await begun(person)

      const answer = await end({ response: { ...response, response: { ...response.response, attestationObject } } })

      expect([answer.status, answer.code]).toEqual([400, wrong])
    },
  )

  inFullRun.each([
    ['a credential id of more than 1,023 bytes', { id: 'A'.repeat(1_365), rawId: 'A'.repeat(1_365) }],
    ['an id that is no base64url', { id: 'a+b', rawId: 'a+b' }],
    ['another type', { type: 'password' }],
    ['no answer', { response: undefined }],
    [
      'an attestation object of more than 8 KiB',
      { response: { clientDataJSON: 'AAAA', attestationObject: 'A'.repeat(10_924) } },
    ],
    ['client data of more than 4 KiB', { response: { clientDataJSON: 'A'.repeat(5_463), attestationObject: 'AAAA' } }],
  ])('the service answers 400 to a registration with %s', async (_, different) => {
    const person = await passkeyUser(running)
    const { response, finish: end } = await begun(person)

    const { status, code } = await end({ response: { ...response, ...different } })

    expect([status, code]).toEqual([400, wrong])
  })

  it('the service takes one registration answer per challenge: no repeat, and none after a wrong one', async () => {
    const [person, other] = [await passkeyUser(running), await passkeyUser(running)]
    const right = await begun(person)
    const lying = await begun(other, { origin: 'https://other.example' })
    const truth = other.authenticator.make(lying.options)

    const first = [await right.finish(), await right.finish()]
    const second = [await lying.finish(), await lying.finish({ response: truth })]

    expect(first.map(({ code, status }) => code ?? status)).toEqual([200, over])
    expect(second.map(({ code }) => code)).toEqual([wrong, over])
  })

  it('the service takes a registration answer for 300 seconds', async () => {
    const [early, late] = [await passkeyUser(running), await passkeyUser(running)]
    const [inTime, tooLate] = [await begun(early), await begun(late)]

    running.clock.skip(299)
    const first = await inTime.finish()
    running.clock.skip(1)
    const second = await tooLate.finish()

    expect([first.status, second.code]).toEqual([200, over])
  })

  it('a registration binds the challenge to the user, to the domain and to the challenge of the caller', async () => {
    const [person, other] = [await passkeyUser(running), await passkeyUser(running)]
    const domain = await running.service.administration.createDomain(running.organization.id, { name: random128() })
    await running.call('PUT', `/domains/${domain.id}/users/${person.id}`)
    const [first, second, third] = [await begun(person), await begun(person), await begun(person)]

    const answers = [
      await finish(other.passkeys, { ...first.ceremony, response: first.response }),
      await finish(person.passkeys.replace(running.domain.id, domain.id), {
        ...second.ceremony,
        response: second.response,
      }),
      await third.finish({ challenge: random128() }),
      // The first two did not name this ceremony.
      await first.finish(),
    ]

    expect(answers.map(({ code, status }) => code ?? status)).toEqual([over, over, wrong, 200])
  })

  it('a registration does not accept the challenge of a passkey use', async () => {
    const person = await passkeyHolder(running)
    const ceremony = { challenge: random128(), pass: await person.passByPasskey() }
    const { json: use } = await person.startUse({ challenge: ceremony.challenge })
    const { json: options } = await person.startRegistration(ceremony)

    const response = person.authenticator.make({ ...options, challenge: use.challenge })

    expect((await finish(person.passkeys, { ...ceremony, response })).code).toBe(over)
  })

  it('the service refuses a credential that is already registered by this user or another one', async () => {
    const person = await passkeyHolder(running)
    const sameId = person.passkey.credentialId

    const own = await person.addPasskey({ pass: await person.passByPasskey() }, { sameId })
    const ofOtherUser = await (await passkeyUser(running)).addPasskey({}, { sameId })

    expect([own.code, ofOtherUser.code]).toEqual(['api.error.conflict.passkey', 'api.error.conflict.passkey'])
    expect(await person.listPasskeys()).toHaveLength(1)
  })

  inFullRun(
    'a user who tries to add a credential that is already registered still counts as never enrolled',
    async () => {
      const { passkey } = await passkeyHolder(running)
      const { addPasskey, show } = await passkeyUser(running)

      await addPasskey({}, { sameId: passkey.credentialId })

      expect(await show()).toMatchObject({ everEnrolled: false })
    },
  )

  inFullRun('the service allows 30 passkey ceremonies of a user in 10 minutes', async () => {
    const person = await passkeyUser(running)
    for (let count = 0; count < 30; count += 1) await person.startRegistration()

    const refused = await person.startRegistration()
    running.clock.skip(601)
    const later = await person.startRegistration()

    expect([refused.status, refused.code, later.status]).toEqual([429, 'api.error.toomanyrequests', 200])
    expect(refused.headers.get('retry-after')).toBe('600')
  })

  it('an API key of role auth can add a passkey only as the first factor of a user', async () => {
    const { administration } = running.service
    const call = createCall(
      running.origin,
      await administration.createApiKey(running.organization.id, { role: 'auth' }),
    )
    const [newcomer, holder] = [await passkeyUser(running), await passkeyHolder(running)]
    const ceremony = { challenge: random128(), first: true }
    const body = { ...ceremony, rp: { ...rp, name: 'App' } }

    const { json: options } = await call('POST', `${newcomer.passkeys}/registration`, { body })
    const response = newcomer.authenticator.make(options)
    const first = await call('POST', newcomer.passkeys, { body: { ...ceremony, name: 'Laptop', response } })
    const pass = await holder.passByPasskey()
    const refused = [
      await call('POST', `${holder.passkeys}/registration`, { body }),
      await call('POST', `${holder.passkeys}/registration`, { body: { ...body, first: false, pass } }),
      await call('POST', holder.passkeys, { body: { ...ceremony, first: false, pass, name: 'Laptop', response } }),
    ]

    expect(first.status).toBe(200)
    const forbidden = 'api.error.forbidden'
    expect(refused.map(({ code }) => code)).toEqual(['api.error.conflict.enrolled', forbidden, forbidden])
  })

  it('the password alone cannot add a passkey while an activation code from an administrator is pending', async () => {
    const person = await passkeyUser(running)
    await running.call('PUT', `${person.memberPath}/token`)

    expect((await person.addPasskey()).code).toBe(over)
  })

  it('a passkey is refused to a user who was removed between the start and the end of registration', async () => {
    const person = await passkeyUser(running)
    const { finish: end } = await begun(person)

    await running.call('DELETE', person.memberPath)
    const afterLeaving = await end()
    await running.call('PUT', person.memberPath)
    const afterReturning = await end()

    expect([afterLeaving.code, afterReturning.code]).toEqual(['api.error.notfound.user', over])
  })

  it('a passkey registration does not find a user of another domain', async () => {
    const domain = await running.service.administration.createDomain(running.organization.id, { name: random128() })
    const person = await member(running)
    const body = { rp: { ...rp, name: 'App' }, challenge: random128(), first: true }

    const { code } = await running.call('POST', `/domains/${domain.id}/users/${person.id}/passkeys/registration`, {
      body,
    })

    expect(code).toBe('api.error.notfound.user')
  })
})

describe('a relying party', () => {
  let running: Running

  beforeAll(async () => {
    running = await startService()
  })
  afterAll(() => running.close())

  const start = async (party: object) => {
    const { startRegistration } = await passkeyUser(running)
    return startRegistration({ rp: { ...rp, name: 'App', ...party } })
  }

  inFullRun.each(['app.example', 'localhost', 'x.localhost', 'xn--bcher-kva.example', 'a'.repeat(63)])(
    'a relying party can have the id %s',
    async (id) => {
      expect((await start({ id })).status).toBe(200)
    },
  )

  it.each([
    '',
    'App.example',
    'https://app.example',
    'app.example:443',
    'app.example.',
    '.example',
    'a..b',
    '-a.example',
    '127.0.0.1',
    '[::1]',
    '1',
    `${'a.'.repeat(127)}a`,
    'bücher.example',
  ])('the id of a relying party is a domain name in lower case, and not %s', async (id) => {
    const { status, code } = await start({ id })

    expect([status, code]).toEqual([400, 'api.error.invalid.rp'])
  })

  inFullRun.each(['https://app.example', 'https://app.example:8443', 'http://localhost', 'http://x.localhost:3000'])(
    'a relying party can have the origin %s',
    async (origin) => {
      expect((await start({ origins: [origin] })).status).toBe(200)
    },
  )

  it.each([
    ['http://app.example'],
    ['https://app.example/'],
    ['https://app.example/path'],
    ['https://APP.example'],
    ['http://localhost.example'],
    ['http://127.0.0.1:3000'],
    ['null'],
    ['*'],
    ['android:apk-key-hash:x'],
    [],
    Array.from({ length: 21 }, (_, index) => `https://app${index}.example`),
  ])('a relying party names 1 to 20 origins where browsers allow passkeys, and not %j', async (...origins) => {
    expect((await start({ origins })).code).toBe('api.error.invalid.rp')
  })
})
