import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { operations } from '../../../../src/contract/operations.ts'
import { createIgnoredMembers } from '../../../../src/service/engine/http/ignored-members.ts'
import { unknownMembers } from '../../../../src/service/engine/http/unknown-members.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { unique } from '../../features/codes/code-holder.ts'
import { createCall, startService, v14 } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const day = 86_400

let running: Running

beforeEach(async () => {
  running = await startService()
})
afterEach(() => running.close())

const v13 = { accept: '*/*' }
const lines = () =>
  running.logged
    .filter(({ message }) => message.startsWith('version 1.3 ignored members'))
    .map(({ details }) => details as Record<string, unknown>)
const names = () => lines().map(({ members }) => members)

/** Creates a user with further members. */
const create = (more: object, { call = running.call, headers = v13 } = {}) =>
  call('POST', '/users', { body: { username: unique(), name: 'Name', email: 'n@example.com', ...more }, headers })

describe('members that version 1.3 does not know', () => {
  it('version 1.3 logs the names of members that it ignores, with the API key and the operation, and accepts the body', async () => {
    const answer = await create({ numberMatching: true, company: 'marmalade' })

    expect(answer.status).toBe(200)
    expect(lines()).toEqual([
      {
        apiKey: expect.stringMatching(/^[0-9a-f]{40}$/),
        operation: 'POST /users',
        members: ['numberMatching', 'company'],
        others: 0,
        requestId: expect.any(String),
      },
    ])
    expect(JSON.stringify(running.logged)).not.toContain('marmalade')
  })

  it('version 1.3 logs ignored members once a day for each API key', () => {
    let now = 1_700_000_000
    const noted: unknown[] = []
    const logger = { info() {}, warn: ({ members }: { members?: unknown }) => void noted.push(members), error() {} }
    const note = createIgnoredMembers({ now: () => now })
    const pass = (id: string, member: string) =>
      note({ id, operation: 'POST /users', logger }, z.object({}), { [member]: 1 })

    pass('one', 'first')
    pass('one', 'second')
    pass('other', 'third')
    now += day - 1
    pass('one', 'fourth')
    now += 1
    pass('one', 'fifth')

    expect(noted).toEqual([['first'], ['third'], ['fifth']])
  })

  it('version 1.3 logs at most ten names of ignored members, and none that could be data', async () => {
    const many = Object.fromEntries(Array.from('abcdefghijkl', (letter) => [letter, 1]))

    await create({ 'alice@example.com': 1, [`K${'1b2'.repeat(21)}`]: 1, ['x'.repeat(41)]: 1, 'two\nlines': 1, ...many })

    expect(lines()).toMatchObject([{ members: Object.keys(many).slice(0, 10), others: 6 }])
  })

  inFullRun('version 1.3 logs ignored members inside of others, and in the rows of a synchronization', async () => {
    const sessions = `/domains/${running.domain.id}/sessions`
    const { user } = await running.enroll(unique())
    const body = {
      user: { id: user.id, device: 1 },
      attributes: [
        { key: 'k', value: 'v', icon: 1 },
        { key: 'k', value: 'v', icon: 2 },
      ],
    }

    const other = createCall(running.origin, await running.service.administration.createApiKey(running.organization.id))

    await running.call('POST', sessions, { body, headers: v13 })
    const rows = [{ username: unique(), name: 'Name', email: 'n@example.com', department: 'Sales' }]
    await other('PUT', `/domains/${running.domain.id}/users`, { body: rows, headers: v13 })

    expect(names()).toEqual([['user.device', 'attributes.icon'], ['department']])
  })

  it('no line is logged for a body without unknown members, for one that is rejected, and in version 1.4', async () => {
    await create({})
    await create({ email: 'not an address', company: 1 })
    await create({ company: 1 }, { headers: { accept: v14 } })

    expect(lines()).toEqual([])
  })
})

describe('unknown members of a schema', () => {
  it('unknown members are found in optional, changed and alternative values', () => {
    const schema = z
      .object({
        user: z.union([z.object({ id: z.string() }), z.object({ username: z.string() })]),
        place: z.object({ city: z.string() }).nullish(),
        list: z.array(z.object({ a: z.number() })).transform((list) => list.length),
      })
      .refine(() => true)
    const value = {
      user: { username: 'alice', id2: 1 },
      place: { city: 'Lyon', zip: 1 },
      list: [{ a: 1 }, { a: 1, b: 2 }],
      constructor: 1,
    }

    expect([...unknownMembers(schema, value)]).toEqual(['user.id2', 'place.zip', 'list.b', 'constructor'])
    expect([...unknownMembers(schema, { user: { id: '1' }, place: null, list: [] })]).toEqual([])
  })

  it('unknown members of every body of version 1.3 are found', () => {
    const bodies = operations.flatMap(({ endpoint: { body, body13, since } }) =>
      since || !body ? [] : [body13 ?? body],
    )

    expect(bodies.length).toBeGreaterThan(5)
    for (const body of bodies) {
      const schema = body instanceof z.ZodArray ? (body.element as z.ZodType) : body
      expect([...unknownMembers(schema, { strange: 1 })]).toEqual(['strange'])
    }
  })
})
