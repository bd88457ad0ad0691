import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inFullRun } from '../../../support/full-run.ts'
import { hardwareToken, holder, member, unique } from '../codes/code-holder.ts'
import { createTenant, startService, unknownId } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const v13 = { accept: 'application/vnd.service.v1+json' }
const seed = '3132333435363738393031323334353637383930'
const good = () => ({ alias: 'Key ring', serialNumber: unique(), type: 'TOTP6', timeStep: 30, seed })
const create = (more: object = {}) => running.call('POST', '/hardware', { body: { ...good(), ...more } })

describe('a hardware token', () => {
  it('a hardware token is returned without its seed', async () => {
    const serialNumber = unique()

    const { json, text } = await create({ serialNumber })

    expect(json).toEqual({
      id: json.id,
      alias: 'Key ring',
      serialNumber,
      type: 'TOTP6',
      timeStep: '30s',
      algorithm: 'SHA1',
      digits: 6,
      period: 30,
      syncState: 'Never Used',
      user: '',
      createdAt: running.clock.now(),
    })
    expect(text).not.toContain(seed)
    expect((await running.call('GET', `/hardware/${json.id}`)).json).toEqual(json)
  })

  it('a hardware token that is created without a name is named after its id', async () => {
    const { json } = await create({ alias: undefined })
    const { json: other } = await create({ alias: null })

    expect(json.alias).toBe(`HW-${json.id.slice(0, 8)}`)
    expect(other.alias).toBe(`HW-${other.id.slice(0, 8)}`)
  })

  it.each([
    [30, '30s'],
    ['30', '30s'],
    [60, '60s'],
    ['60', '60s'],
    ['30s', '30s'],
    ['60s', '60s'],
  ])('a hardware token can be created with a time step of %j', async (timeStep, shownTimeStep) => {
    expect((await create({ timeStep })).json.timeStep).toBe(shownTimeStep)
  })

  it.each([
    [{ algorithm: 'SHA256', digits: 6, period: 15 }, 'TOTP6', '30s'],
    [{ algorithm: 'SHA512', digits: 7, period: 44 }, 'TOTP8', '30s'],
    [{ algorithm: 'SHA1', digits: 8, period: 45 }, 'TOTP8', '60s'],
    [{ algorithm: 'SHA1', digits: 6, period: 120 }, 'TOTP6', '60s'],
  ])('a hardware token with %j is a %s token of %s in version 1.3', async (parameters, type, timeStep) => {
    const { json } = await create({ type: undefined, timeStep: undefined, ...parameters })
    const former = await running.call('GET', `/hardware/${json.id}`, { headers: v13 })

    expect(json).toMatchObject({ ...parameters, type, timeStep })
    expect(Object.keys(former.json)).not.toContain('digits')
    expect(former.json).toMatchObject({ type, timeStep })
  })

  it.each([
    { algorithm: 'SHA256', digits: 8, period: 60 },
    { algorithm: 'SHA512', digits: 7, period: 15 },
  ] as const)(
    'an authenticator app with %j is enrolled by a code of it, and signs in by the next',
    async (parameters) => {
      const person = await member(running)

      const { answer, code } = await person.enrollApp(parameters)
      const session = await person.signIn({ otp: code(1) })

      expect(answer.json).toMatchObject({ ...parameters, selfEnrolled: true })
      expect(session.state).toBe('approved')
    },
  )

  it('a hardware token of version 1.3 has the codes that its words say, whatever else the caller sends', async () => {
    const body = { ...good(), algorithm: 'SHA512', digits: 7, period: 15 }
    const { json } = await running.call('POST', '/hardware', { headers: v13, body })

    const exact = await running.call('GET', `/hardware/${json.id}`)

    expect(exact.json).toMatchObject({ algorithm: 'SHA1', digits: 6, period: 30 })
  })

  it.each([
    ['digits', { type: 'TOTP6', digits: 8 }],
    ['digits', { type: 'TOTP8', digits: 6 }],
    ['period', { timeStep: 30, period: 60 }],
    ['period', { timeStep: 60, period: 44 }],
    ['type', { type: undefined }],
    ['timeStep', { timeStep: undefined }],
  ])('a hardware token is refused because of %s where it is %j, so that nothing is guessed', async (field, more) => {
    expect((await create(more)).code).toBe(`api.error.invalid.${field.toLowerCase()}`)
  })

  it.each([
    ['alias', ''],
    ['alias', 'x'.repeat(129)],
    ['serialNumber', ''],
    ['serialNumber', 'x'.repeat(65)],
    ['serialNumber', undefined],
    ['type', 'TOTP7'],
    ['type', undefined],
    ['timeStep', 45],
    ['timeStep', '45s'],
    ['timeStep', undefined],
    ['seed', 'ab'.repeat(15)],
    ['seed', 'ab'.repeat(65)],
    ['seed', `${'ab'.repeat(16)}c`],
    ['seed', 'xy'.repeat(16)],
    ['seed', undefined],
  ])('a hardware token cannot have the %s %j', async (field, value) => {
    const answer = await create({ [field]: value })

    expect([answer.status, answer.code]).toEqual([400, `api.error.invalid.${field.toLowerCase()}`])
    expect(answer.text).not.toContain('ababab')
  })

  it.each([
    ['alias', 'x'],
    ['alias', 'x'.repeat(128)],
    ['serialNumber', 'x'.repeat(64)],
    ['seed', 'ab'.repeat(16)],
    ['seed', 'AB'.repeat(64)],
  ])('a hardware token can have the %s %j', async (field, value) => {
    const tenant = await createTenant(running.service, running.origin)

    expect((await tenant.call('POST', '/hardware', { body: { ...good(), [field]: value } })).status).toBe(200)
  })

  inFullRun(
    'a hardware token has a unique serial number in its organization, even when many are created at once',
    async () => {
      const serialNumber = unique()
      const other = await createTenant(running.service, running.origin)

      const answers = await Promise.all(Array.from({ length: 16 }, () => create({ serialNumber })))
      const elsewhere = await other.call('POST', '/hardware', { body: { ...good(), serialNumber } })

      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
      expect(answers.filter((answer) => answer.code === 'api.error.conflict.serialnumber')).toHaveLength(15)
      expect(elsewhere.status).toBe(200)
    },
  )

  it('renaming a hardware token changes nothing else about it', async () => {
    const { json } = await create()

    const renamed = await running.call('PUT', `/hardware/${json.id}`, { body: { alias: 'Other', type: 'TOTP8' } })
    const wrong = await running.call('PUT', `/hardware/${json.id}`, { body: { alias: '' } })

    expect(renamed.json).toEqual({ ...json, alias: 'Other' })
    expect(wrong.code).toBe('api.error.invalid.alias')
  })

  it('a hardware token can be deleted once, and is taken from its user', async () => {
    const person = await holder(running)

    const first = await running.call('DELETE', `/hardware/${person.token.id}`)
    const second = await running.call('DELETE', `/hardware/${person.token.id}`)

    expect([first.status, first.text, second.code]).toEqual([200, '', 'api.error.notfound.hardware'])
    expect(await person.show()).toMatchObject({ hardware: '', factors: [], everEnrolled: true })
    expect(await person.signIn({ otp: person.token.code() })).toMatchObject({ state: 'denied' })
  })

  it('a hardware token is not found by malformed or unknown ids', async () => {
    const answers = [
      await running.call('GET', '/hardware/x'),
      await running.call('GET', `/hardware/${unknownId}`),
      await running.call('PUT', `/hardware/${unknownId}`, { body: { alias: 'x' } }),
      await running.call('DELETE', `/hardware/${unknownId}`),
    ]

    expect(answers.map((answer) => answer.code)).toEqual(Array.from({ length: 4 }, () => 'api.error.notfound.hardware'))
  })

  it('a hardware token is not visible to another organization', async () => {
    const person = await holder(running)
    const stranger = await createTenant(running.service, running.origin)
    const { json: own } = await stranger.call('POST', '/users', {
      body: { username: 'own', name: 'Own', email: 'own@example.com' },
    })

    const answers = [
      await stranger.call('GET', `/hardware/${person.token.id}`),
      await stranger.call('PUT', `/hardware/${person.token.id}`, { body: { alias: 'x' } }),
      await stranger.call('DELETE', `/hardware/${person.token.id}`),
      await stranger.call('PUT', `/users/${own.id}/hardware/${person.token.id}`),
      await stranger.call('PUT', `${person.path}/hardware/${person.token.id}`),
      await stranger.call('GET', `${person.path}/hardware`),
      await stranger.call('DELETE', `${person.path}/hardware`),
    ]

    expect(answers.map((answer) => answer.code?.split('.').at(-1))).toEqual([
      'hardware',
      'hardware',
      'hardware',
      'hardware',
      'user',
      'user',
      'user',
    ])
    expect((await stranger.call('GET', '/hardware')).json).toEqual([])
    expect(await person.token.show()).toMatchObject({ user: person.id })
  })
})

describe('the list of hardware tokens', () => {
  inFullRun(
    'the list of hardware tokens has pages of 100, oldest first, with links, and is empty past its end',
    async () => {
      const tenant = await createTenant(running.service, running.origin)
      const ids: string[] = []
      for (let count = 0; count < 101; count += 1) {
        ids.push((await tenant.call('POST', '/hardware', { body: good() })).json.id)
      }
      const page = (query: string) => tenant.call('GET', `/hardware${query}`)

      const [first, same, second, third] = [
        await page(''),
        await page('?page=1'),
        await page('?page=2'),
        await page('?page=3'),
      ]

      expect(first.json.map((token: { id: string }) => token.id)).toEqual(ids.slice(0, 100))
      expect(same.json).toEqual(first.json)
      expect(first.headers.get('link')).toContain('</api/hardware?page=2>; rel="next"')
      expect(second.json.map((token: { id: string }) => token.id)).toEqual(ids.slice(100))
      expect(third.json).toEqual([])
    },
  )

  it.each(['0', '-1', 'x'])('the list of hardware tokens has no page %j', async (page) => {
    expect((await running.call('GET', `/hardware?page=${page}`)).code).toBe('api.error.invalid.page')
  })
})

describe('the hardware token of a user', () => {
  it('a hardware token can be assigned to the same user again, and both user and token show it', async () => {
    const person = await member(running)
    const token = await hardwareToken(running)
    const give = () => running.call('PUT', `${person.path}/hardware/${token.id}`)

    const answers = [await give(), await give()]

    expect(answers.map((answer) => [answer.status, answer.text])).toEqual([
      [200, ''],
      [200, ''],
    ])
    expect(await token.show()).toMatchObject({ user: person.id })
    expect((await running.call('GET', `${person.path}/hardware`)).json).toEqual(await token.show())
    expect(await person.show()).toMatchObject({ hardware: token.id, factors: ['otp'], everEnrolled: true })
  })

  it('a hardware token cannot be assigned if another user has it or the user has another token', async () => {
    const [first, second] = [await holder(running), await holder(running)]
    const free = await hardwareToken(running)

    const taken = await running.call('PUT', `${second.path}/hardware/${first.token.id}`)
    const another = await running.call('PUT', `${first.path}/hardware/${free.id}`)

    expect([taken.status, taken.code]).toEqual([409, 'api.error.conflict.hardware'])
    expect([another.status, another.code]).toEqual([409, 'api.error.conflict.hardware'])
    expect(await free.show()).toMatchObject({ user: '' })
  })

  inFullRun('a hardware token assigned to many users at once goes to one, and each user gets at most one', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => member(running)))
    const tokens = await Promise.all(Array.from({ length: 2 }, () => hardwareToken(running)))

    const answers = await Promise.all(
      people.flatMap(({ path }) => tokens.map(({ id }) => running.call('PUT', `${path}/hardware/${id}`))),
    )

    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(2)
    const owners = (await Promise.all(tokens.map((token) => token.show()))).map(({ user }) => user)
    expect(new Set(owners).size).toBe(2)
  })

  it('a hardware token can be released once, and then be assigned to another user', async () => {
    const [first, second] = [await holder(running), await member(running)]
    const release = () => running.call('DELETE', `${first.path}/hardware`)

    const answers = [await release(), await release()]
    await running.call('PUT', `${second.path}/hardware/${first.token.id}`)

    expect(answers.map((answer) => answer.code)).toEqual([undefined, 'api.error.notfound.hardware'])
    expect((await running.call('GET', `${first.path}/hardware`)).code).toBe('api.error.notfound.hardware')
    expect(await first.token.show()).toMatchObject({ user: second.id })
  })

  it('a hardware token rejects for its next user a code that was already used', async () => {
    const [first, second] = [await holder(running), await member(running)]
    const otp = first.token.code()
    await first.signIn({ otp })
    await running.call('DELETE', `${first.path}/hardware`)
    await running.call('PUT', `${second.path}/hardware/${first.token.id}`)

    expect(await second.signIn({ otp })).toMatchObject({ state: 'denied' })
  })

  it('a hardware token is released when its user is deleted', async () => {
    const person = await holder(running)

    const deleted = await running.call('DELETE', person.path)

    expect(deleted.status).toBe(200)
    expect(await person.token.show()).toMatchObject({ user: '' })
  })

  it('assigning a hardware token requires an existing user and an existing token', async () => {
    const person = await member(running)
    const token = await hardwareToken(running)

    const answers = [
      await running.call('PUT', `/users/${unknownId}/hardware/${token.id}`),
      await running.call('PUT', `${person.path}/hardware/${unknownId}`),
      await running.call('PUT', `${person.path}/hardware/x`),
    ]

    expect(answers.map((answer) => answer.code)).toEqual([
      'api.error.notfound.user',
      'api.error.notfound.hardware',
      'api.error.notfound.hardware',
    ])
  })
})
