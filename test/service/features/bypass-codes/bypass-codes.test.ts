import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inFullRun } from '../../../support/full-run.ts'
import { member, otherThan } from '../codes/code-holder.ts'
import { createTenant, startService, unknownId } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService({}, { bypassEnabled: true })
})
afterAll(() => running.close())

const minute = 60

async function person() {
  const user = await member(running)
  const path = `${user.path}/bypasscodes`
  const create = (usesAllowed: unknown = 1, expirationTime: unknown = 60) =>
    running.call('POST', path, { body: { usesAllowed, expirationTime } })
  const list = async () => (await running.call('GET', path)).json
  return { ...user, codes: path, create, list }
}

describe('a bypass code', () => {
  it('a bypass code has nine digits, the requested number of uses and an expiration time', async () => {
    const { id, create, list, show } = await person()

    const { json, status } = await create('5', '90')

    const end = new Date((running.clock.now() + 90 * minute) * 1000).toISOString().slice(0, 19)
    expect(status).toBe(200)
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      code: expect.stringMatching(/^[0-9]{9}$/),
      usesAllowed: 5,
      usesRemaining: 5,
      dtExpiry: `${end}+0000`,
      user: id,
    })
    expect((await running.call('GET', `/bypasscodes/${json.id}`)).json).toEqual(json)
    expect(await list()).toEqual([json])
    expect(await show()).toMatchObject({ bypasscodes: [json.id], factors: ['bypass'], everEnrolled: true })
  })

  it('a bypass code never expires if that is requested', async () => {
    const { create, signIn } = await person()

    const { json } = await create(1, 0)
    running.clock.skip(24 * 60 * minute)

    expect(json.dtExpiry).toBe('9999-12-31T23:59:59+0000')
    expect(await signIn({ bypasscode: json.code })).toMatchObject({ state: 'approved' })
  })

  inFullRun.each([
    ['usesAllowed', 0],
    ['usesAllowed', 1001],
    ['usesAllowed', 1.5],
    ['usesAllowed', '1.5'],
    ['usesAllowed', 'many'],
    ['usesAllowed', ''],
    ['usesAllowed', null],
    ['usesAllowed', undefined],
    ['expirationTime', -1],
    ['expirationTime', 525_601],
    ['expirationTime', '525601'],
    ['expirationTime', undefined],
  ])('a bypass code cannot have %s %j', async (field, value) => {
    const { codes } = await person()

    const answer = await running.call('POST', codes, { body: { usesAllowed: 1, expirationTime: 1, [field]: value } })

    expect([answer.status, answer.code]).toEqual([400, `api.error.invalid.${field.toLowerCase()}`])
  })

  it.each([
    [1, 1],
    [1000, 525_600],
    ['1000', '0'],
  ])('a bypass code can have %j uses and last %j minutes', async (usesAllowed, expirationTime) => {
    expect((await (await person()).create(usesAllowed, expirationTime)).status).toBe(200)
  })

  it('a bypass code works for its number of uses and is then reported as not found', async () => {
    const { create, signIn, list, show } = await person()
    const { json } = await create(2)

    const first = await signIn({ bypasscode: json.code })
    const [remainingCode] = await list()
    const second = await signIn({ otp: json.code })
    const third = await signIn({ bypasscode: json.code })

    expect([first, second]).toMatchObject([
      { state: 'approved', factor: 'bypass' },
      { state: 'approved', factor: 'bypass' },
    ])
    expect(remainingCode).toEqual({ ...json, usesRemaining: 1 })
    expect(third).toMatchObject({ state: 'denied', reason: 'wrong_code' })
    expect(await list()).toEqual([])
    expect((await running.call('GET', `/bypasscodes/${json.id}`)).code).toBe('api.error.notfound.bypasscode')
    expect(await show()).toMatchObject({ bypasscodes: [], factors: [] })
  })

  inFullRun('a bypass code with five uses is accepted five times when 64 requests try it at once', async () => {
    const { create, signIn } = await person()
    const { json } = await create(5)

    const sessions = await Promise.all(Array.from({ length: 64 }, () => signIn({ bypasscode: json.code })))

    expect(sessions.filter(({ state }) => state === 'approved')).toHaveLength(5)
  })

  it('a bypass code works until it expires, and not a second longer', async () => {
    const { create, signIn, list } = await person()
    const { json } = await create(10, 1)

    await running.clock.advance(minute - 1)
    const last = await signIn({ bypasscode: json.code })
    await running.clock.advance(1)
    const late = await signIn({ bypasscode: json.code })

    expect([last.state, late.state]).toEqual(['approved', 'denied'])
    expect(await list()).toEqual([])
  })

  it('a bypass code works only for its user', async () => {
    const [owner, other] = [await person(), await person()]
    const { json } = await owner.create()

    expect(await other.signIn({ bypasscode: json.code })).toMatchObject({ state: 'denied' })
    expect(await owner.signIn({ bypasscode: json.code })).toMatchObject({ state: 'approved' })
  })

  it('a bypass code works in every domain of the organization that accepts bypass codes, and in no other', async () => {
    const { create, id, show } = await person()
    const { json } = await create(2)
    const domain = async (bypassEnabled: boolean) => {
      const newDomain = await running.service.administration.createDomain(running.organization.id, {
        name: `Takes them: ${bypassEnabled} ${id}`,
        bypassEnabled,
      })
      await running.call('PUT', `/domains/${newDomain.id}/users/${id}`)
      const body = { user: { id }, bypasscode: json.code }
      return (await running.call('POST', `/domains/${newDomain.id}/sessions`, { body })).json
    }

    const [takes, doesNot] = [await domain(true), await domain(false)]

    expect([takes.state, doesNot.state]).toEqual(['approved', 'denied'])
    expect((await running.call('GET', `/bypasscodes/${json.id}`)).json.usesRemaining).toBe(1)
    expect((await show()).factors).toEqual(['bypass'])
  })

  it('a bypass code can be deleted alone or with all other codes of its user', async () => {
    const { create, codes, list, signIn } = await person()
    const createdCodes = [(await create()).json, (await create()).json, (await create()).json]

    const firstDeletion = await running.call('DELETE', `/bypasscodes/${createdCodes[0].id}`)
    const repeatedDeletion = await running.call('DELETE', `/bypasscodes/${createdCodes[0].id}`)
    const remainingCodes = await list()
    const deletionOfAll = await running.call('DELETE', codes)
    const deletionOfNone = await running.call('DELETE', codes)

    expect([firstDeletion, deletionOfAll, deletionOfNone].map((answer) => [answer.status, answer.text])).toEqual([
      [200, ''],
      [200, ''],
      [200, ''],
    ])
    expect(repeatedDeletion.code).toBe('api.error.notfound.bypasscode')
    expect(remainingCodes).toEqual(createdCodes.slice(1))
    expect(await list()).toEqual([])
    expect(await signIn({ bypasscode: createdCodes[1].code })).toMatchObject({ state: 'denied' })
  })

  it('a bypass code is deleted with its user', async () => {
    const { path, create } = await person()
    const { json } = await create()

    const deleted = await running.call('DELETE', path)

    expect(deleted.status).toBe(200)
    expect((await running.call('GET', `/bypasscodes/${json.id}`)).code).toBe('api.error.notfound.bypasscode')
  })

  it('a bypass code is hidden from other organizations', async () => {
    const { codes, create, list } = await person()
    const { json } = await create()
    const stranger = await createTenant(running.service, running.origin)

    const answers = [
      await stranger.call('GET', `/bypasscodes/${json.id}`),
      await stranger.call('DELETE', `/bypasscodes/${json.id}`),
      await stranger.call('GET', codes),
      await stranger.call('POST', codes, { body: { usesAllowed: 1, expirationTime: 1 } }),
      await stranger.call('DELETE', codes),
    ]

    expect(answers.map((answer) => answer.code?.split('.').at(-1))).toEqual([
      'bypasscode',
      'bypasscode',
      'user',
      'user',
      'user',
    ])
    expect(await list()).toEqual([json])
  })

  it('a bypass code is not found by an invalid or unknown id, or for an unknown user', async () => {
    const answers = [
      await running.call('GET', '/bypasscodes/x'),
      await running.call('GET', `/bypasscodes/${unknownId}`),
      await running.call('POST', `/users/${unknownId}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 1 } }),
    ]

    expect(answers.map((answer) => answer.code?.split('.').at(-1))).toEqual(['bypasscode', 'bypasscode', 'user'])
  })
})

describe('the bypass codes of a user', () => {
  it('a sixth bypass code of a user is refused', async () => {
    const { create, list } = await person()
    for (let count = 0; count < 5; count += 1) expect((await create()).status).toBe(200)

    const sixth = await create()

    expect([sixth.status, sixth.code]).toEqual([409, 'api.error.limit.bypasscodes'])
    expect(await list()).toHaveLength(5)
  })

  inFullRun('a user gets at most five bypass codes when 64 are created at once', async () => {
    const { create, list } = await person()

    const answers = await Promise.all(Array.from({ length: 64 }, () => create()))

    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5)
    expect(answers.filter((answer) => answer.code === 'api.error.limit.bypasscodes')).toHaveLength(59)
    expect(await list()).toHaveLength(5)
  })

  it('bypass codes that are used up, expired or deleted make room for new ones', async () => {
    const { create, signIn } = await person()
    const [used, deleted] = [(await create()).json, (await create()).json]
    await create(1, 1)
    await create()
    await create()

    await signIn({ bypasscode: used.code })
    await running.call('DELETE', `/bypasscodes/${deleted.id}`)
    await running.clock.advance(minute)
    const answers = [await create(), await create(), await create(), await create()]

    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 409])
  })

  it('all bypass codes of a user work, in any order', async () => {
    const { create, signIn } = await person()
    const createdCodes = [await create(), await create(), await create()].map(({ json }) => json.code as string)

    const wrong = await signIn({ bypasscode: otherThan(...createdCodes) })
    const sessions = [await signIn({ bypasscode: createdCodes[2] }), await signIn({ bypasscode: createdCodes[0] })]

    expect(wrong.state).toBe('denied')
    expect(sessions.map(({ state }) => state)).toEqual(['approved', 'approved'])
  })
})
