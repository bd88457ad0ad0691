import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { previewCode } from '../support/device-signer.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { hardwareToken, holder, member, unique } from './features/codes/code-holder.ts'
import { createTenant, newUser, read, startService } from './start-service.ts'
import type { Running } from './start-service.ts'

/** The limits of the interface document, and those that it leaves open, each tested at the limit and one past it. */
let running: Running

beforeAll(async () => {
  running = await startService({}, { bypassEnabled: true })
})
afterAll(() => running.close())

const post = async (path: string, body: unknown) => {
  const { status, code } = await running.call('POST', path, { body })
  return status === 200 ? 'taken' : code
}

const letters = (length: number) => 'x'.repeat(length)
const emoji = (length: number) => '😀'.repeat(length)

describe('an API key', () => {
  it.each([
    [63, 401],
    [64, 200],
    [65, 401],
  ])('an API key of %i characters is answered with %i', async (length, status) => {
    const key = `${running.apiKey}x`.slice(0, length)

    const answer = await fetch(`${running.origin}/api/ping`, { headers: { authorization: `Service key="${key}"` } })

    expect(answer.status).toBe(status)
  })
})

describe('an identifier', () => {
  it.each(['/users/', '/domains/', '/hardware/', '/bypasscodes/'])(
    'an identifier below %s must have exactly 40 digits',
    async (path) => {
      const ids = ['0'.repeat(39), '0'.repeat(40), '0'.repeat(41), 'F'.repeat(40), 'g'.repeat(40)]

      const answers = await Promise.all(ids.map((id) => running.call('GET', path + id)))

      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
    },
  )

  it('an identifier has 40 hexadecimal digits in every created resource', async () => {
    const person = await holder(running)
    const { json: code } = await running.call('POST', `${person.path}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 1 },
    })
    const session = await person.signIn({ otp: '000000' })

    for (const id of [person.id, person.token.id, code.id, session.id, running.domain.id]) {
      expect(id).toMatch(/^[0-9a-f]{40}$/)
    }
  })
})

describe('a user', () => {
  const invalid = (field: string) => `api.error.invalid.${field}`

  it.each([
    ['username', '', invalid('username')],
    ['username', '1', 'taken'],
    ['username', letters(128), 'taken'],
    ['username', letters(129), invalid('username')],
    ['username', emoji(128), 'taken'],
    ['username', emoji(129), invalid('username')],
    ['name', '', invalid('name')],
    ['name', '1', 'taken'],
    ['name', letters(128), 'taken'],
    ['name', letters(129), invalid('name')],
    ['email', 'a@b.cd', 'taken'],
    ['email', `${letters(64)}@${letters(60)}.${letters(60)}.${letters(60)}.xx`, 'taken'],
    ['email', `${letters(64)}@${letters(63)}.${letters(63)}.${letters(63)}.xxxx`, invalid('email')],
  ])('creating a user with the %s %j results in %s', async (field, value, outcome) => {
    expect(await post('/users', { ...newUser(unique()), [field]: value })).toBe(outcome)
  })

  it.each([
    ['name', letters(128), 200],
    ['name', letters(129), 400],
    ['name', '', 400],
  ])('changing a user to the %s %j results in %i', async (field, value, status) => {
    const { path } = await member(running)

    expect((await running.call('PUT', path, { body: { [field]: value } })).status).toBe(status)
  })
})

describe('bypass codes', () => {
  const singleUse = { usesAllowed: 1, expirationTime: 1 }

  it('bypass codes are limited to five per user, and one more can be created once one is gone', async () => {
    const { path } = await member(running)
    const codes = `${path}/bypasscodes`

    const outcomes = [
      await post(codes, singleUse),
      await post(codes, singleUse),
      await post(codes, singleUse),
      await post(codes, singleUse),
    ]
    const { json: fifth } = await running.call('POST', codes, { body: singleUse })
    const sixth = await post(codes, singleUse)
    await running.call('DELETE', `/bypasscodes/${fifth.id}`)
    const afterRemoval = await post(codes, singleUse)

    expect(outcomes).toEqual(['taken', 'taken', 'taken', 'taken'])
    expect([sixth, afterRemoval]).toEqual(['api.error.limit.bypasscodes', 'taken'])
  })

  it('bypass codes have exactly nine digits', async () => {
    const { path, signIn } = await member(running)
    const { json } = await running.call('POST', `${path}/bypasscodes`, { body: { usesAllowed: 10, expirationTime: 1 } })

    const tries = [json.code.slice(0, 8), `${json.code}0`, json.code]
    const states = []
    for (const bypasscode of tries) states.push((await signIn({ bypasscode })).state)

    expect(json.code).toMatch(/^\d{9}$/)
    expect(states).toEqual(['denied', 'denied', 'approved'])
  })

  inFullRun.each([
    ['usesAllowed', 0, 'api.error.invalid.usesallowed'],
    ['usesAllowed', 1, 'taken'],
    ['usesAllowed', '1', 'taken'],
    ['usesAllowed', 1000, 'taken'],
    ['usesAllowed', '1000', 'taken'],
    ['usesAllowed', 1001, 'api.error.invalid.usesallowed'],
    ['usesAllowed', '1001', 'api.error.invalid.usesallowed'],
    ['usesAllowed', 1.5, 'api.error.invalid.usesallowed'],
    ['usesAllowed', '1.5', 'api.error.invalid.usesallowed'],
    ['usesAllowed', ' 1', 'api.error.invalid.usesallowed'],
    ['usesAllowed', '', 'api.error.invalid.usesallowed'],
    ['usesAllowed', null, 'api.error.invalid.usesallowed'],
    ['expirationTime', -1, 'api.error.invalid.expirationtime'],
    ['expirationTime', 0, 'taken'],
    ['expirationTime', '0', 'taken'],
    ['expirationTime', 1, 'taken'],
    ['expirationTime', 525_600, 'taken'],
    ['expirationTime', '525600', 'taken'],
    ['expirationTime', 525_601, 'api.error.invalid.expirationtime'],
    ['expirationTime', '525601', 'api.error.invalid.expirationtime'],
  ])('creating a bypass code with %s %j results in %s', async (field, value, outcome) => {
    const { path } = await member(running)

    expect(await post(`${path}/bypasscodes`, { ...singleUse, [field]: value })).toBe(outcome)
  })

  it('bypass codes are valid until their last minute, for up to a year', async () => {
    const { path, signIn } = await member(running)
    const make = async (expirationTime: number) =>
      (await running.call('POST', `${path}/bypasscodes`, { body: { usesAllowed: 10, expirationTime } })).json
    const [year, never, minute] = [await make(525_600), await make(0), await make(1)]
    const now = running.clock.now()

    await running.clock.advance(59)
    const before = await signIn({ bypasscode: minute.code })
    await running.clock.advance(1)
    const after = await signIn({ bypasscode: minute.code })

    expect([before.state, after.state]).toEqual(['approved', 'denied'])
    expect(Date.parse(year.dtExpiry.replace('+0000', 'Z')) / 1000).toBe(now + 365 * 24 * 60 * 60)
    expect(never.dtExpiry).toBe('9999-12-31T23:59:59+0000')
  })
})

describe('a hardware token', () => {
  const valid = { serialNumber: 'S', type: 'TOTP6', timeStep: 30, seed: '0'.repeat(40) }

  inFullRun.each([
    ['type', 'TOTP5', 'api.error.invalid.type'],
    ['type', 'TOTP6', 'taken'],
    ['type', 'TOTP7', 'api.error.invalid.type'],
    ['type', 'TOTP8', 'taken'],
    ['type', 'totp6', 'api.error.invalid.type'],
    ['timeStep', 29, 'api.error.invalid.timestep'],
    ['timeStep', 30, 'taken'],
    ['timeStep', '30', 'taken'],
    ['timeStep', 31, 'api.error.invalid.timestep'],
    ['timeStep', 59, 'api.error.invalid.timestep'],
    ['timeStep', 60, 'taken'],
    ['timeStep', '60', 'taken'],
    ['timeStep', '61', 'api.error.invalid.timestep'],
    ['timeStep', '60s', 'taken'],
    ['timeStep', '61s', 'api.error.invalid.timestep'],
    ['digits', 6, 'taken'],
    ['digits', 8, 'api.error.invalid.digits'],
    ['period', 15, 'taken'],
    ['period', 44, 'taken'],
    ['period', 45, 'api.error.invalid.period'],
    ['algorithm', 'SHA512', 'taken'],
    ['algorithm', 'sha512', 'api.error.invalid.algorithm'],
    ['seed', '0'.repeat(30), 'api.error.invalid.seed'],
    ['seed', '0'.repeat(32), 'taken'],
    ['seed', '0'.repeat(33), 'api.error.invalid.seed'],
    ['seed', '0'.repeat(128), 'taken'],
    ['seed', '0'.repeat(130), 'api.error.invalid.seed'],
    ['serialNumber', '', 'api.error.invalid.serialnumber'],
    ['serialNumber', letters(64), 'taken'],
    ['serialNumber', letters(65), 'api.error.invalid.serialnumber'],
    ['alias', '', 'api.error.invalid.alias'],
    ['alias', letters(128), 'taken'],
    ['alias', letters(129), 'api.error.invalid.alias'],
  ])('creating a hardware token with the %s %j results in %s', async (field, value, outcome) => {
    expect(await post('/hardware', { ...valid, serialNumber: unique(), [field]: value })).toBe(outcome)
  })

  it.each([
    ['TOTP6', 6],
    ['TOTP8', 8],
  ] as const)(
    'a hardware token of type %s shows %i digits, and rejects codes with one digit more or less',
    async (type, digits) => {
      const person = await holder(running, { type, timeStep: 60 })
      const code = person.token.code()

      const states = []
      for (const otp of [code.slice(1), `0${code}`, code]) states.push((await person.signIn({ otp })).state)

      expect(code).toHaveLength(digits)
      expect(states).toEqual(['denied', 'denied', 'approved'])
    },
  )

  it.each([30, 60] as const)(
    'a hardware token with steps of %i seconds shows a code for that long',
    async (timeStep) => {
      const token = await hardwareToken(running, { type: 'TOTP6', timeStep })
      // Advances to the start of a time step.
      await running.clock.advance(timeStep - (running.clock.now() % timeStep))

      const first = token.code()
      await running.clock.advance(timeStep - 1)
      const last = token.code()
      await running.clock.advance(1)

      expect([last, token.code(-1)]).toEqual([first, first])
    },
  )
})

describe('an activation code', () => {
  it.each([
    [9, 'api.error.invalid.code'],
    [10, undefined],
    [11, 'api.error.invalid.code'],
  ])('an activation code of %i characters is answered with %s', async (length, outcome) => {
    const { id } = await member(running)
    const { json } = await running.call('PUT', `/domains/${running.domain.id}/users/${id}/token`)

    const answer = await read(await previewCode(running.origin, `${json.code}x`.slice(0, length)))

    expect(answer.code).toBe(outcome)
  })

  it('an activation code is valid until the last second of its last day', async () => {
    const { id } = await member(running)
    const { json } = await running.call('PUT', `/domains/${running.domain.id}/users/${id}/token`)

    running.clock.skip(7 * 24 * 60 * 60 - 1)
    const before = await read(await previewCode(running.origin, json.code))
    await running.clock.advance(1)
    const after = await read(await previewCode(running.origin, json.code))

    expect([before.code, after.code]).toEqual([undefined, 'api.error.notfound.activationcode'])
  })
})

describeInFullRun('a new session', () => {
  const attribute = { key: 'k', value: 'v' }

  it.each([
    ['16 attributes', { attributes: Array.from({ length: 16 }, () => attribute) }, 'api.error.notfound.token'],
    ['17 attributes', { attributes: Array.from({ length: 17 }, () => attribute) }, 'api.error.notfound.token'],
    ['a key of 64', { attributes: [{ ...attribute, key: emoji(64) }] }, 'api.error.notfound.token'],
    ['a key of 65', { attributes: [{ ...attribute, key: emoji(65) }] }, 'api.error.notfound.token'],
    ['a value of 256', { attributes: [{ ...attribute, value: letters(256) }] }, 'api.error.notfound.token'],
    ['a value of 257', { attributes: [{ ...attribute, value: letters(257) }] }, 'api.error.notfound.token'],
    ['a code of 64', { otp: letters(64) }, 'taken'],
    ['a code of 65', { otp: letters(65) }, 'api.error.invalid.otp'],
    ['a bypass code of 65', { bypasscode: letters(65) }, 'api.error.invalid.bypasscode'],
    ['a challenge of 128 bits', { challenge: `${'A'.repeat(21)}Q` }, 'api.error.notfound.token'],
    ['a challenge of 130 bits', { challenge: `${'A'.repeat(21)}R` }, 'api.error.invalid.challenge'],
    ['a challenge of 126 bits', { challenge: 'A'.repeat(21) }, 'api.error.invalid.challenge'],
  ])('a new session with %s is answered with %j', async (_what, more, outcome) => {
    const { id } = await member(running)

    // The missing token is reported only if everything else is valid.
    expect(await post(`/domains/${running.domain.id}/sessions`, { user: { id }, ...more })).toBe(outcome)
  })

  it('a new session stays pending for exactly as long as its domain allows', async () => {
    const { ask, session } = await running.enroll(unique())
    const { id } = await ask()

    await running.clock.advance(89)
    const before = await session(id)
    await running.clock.advance(1)
    const after = await session(id)

    expect([before.state, after.state]).toEqual(['pending', 'expired'])
  })
})

describeInFullRun('a page', () => {
  it('a page has 100 entries, and the next entry starts another page', async () => {
    const tenant = await createTenant(running.service, running.origin)
    const add = () => tenant.call('POST', '/users', { body: newUser(unique()) })
    await Promise.all(Array.from({ length: 100 }, add))

    const edge = await tenant.call('GET', '/users')
    await add()
    const beyond = await tenant.call('GET', '/users')
    const next = await tenant.call('GET', '/users?page=2')
    const past = await tenant.call('GET', '/users?page=3')

    expect(edge.headers.get('link')).not.toContain('next')
    expect(beyond.headers.get('link')).toContain('</api/users?page=2>; rel="next"')
    expect([edge, beyond, next, past].map(({ json }) => json.length)).toEqual([100, 100, 1, 0])
  })
})

describeInFullRun('a synchronization', () => {
  it('a synchronization accepts 16 MiB, and not one byte more', async () => {
    const tenant = await createTenant(running.service, running.origin)
    const limit = 16 * 1024 * 1024
    const text = JSON.stringify([newUser(unique())])
    const path = `/domains/${tenant.domain.id}/users`

    const edge = await tenant.call('PUT', path, { raw: text + ' '.repeat(limit - text.length) })
    const beyond = await tenant.call('PUT', path, { raw: text + ' '.repeat(limit - text.length + 1) })

    expect(edge.status).toBe(200)
    expect([beyond.status, beyond.code]).toEqual([413, 'api.error.toolarge'])
  })
})
