import { expect, it } from 'vitest'

import { listAudit } from '../../src/admin-contract/audit.ts'
import { searchPeople } from '../../src/admin-contract/people.ts'
import { queryShapes } from '../../src/admin-contract/query-shapes.ts'
import { readQuery } from '../../src/console/screens/audit/query.ts'
import { readValue } from '../../src/console/session/read-value.ts'

const id = 'a1'.repeat(20)

it('the address of the audit trail keeps each value that the service accepts', () => {
  const values = {
    q: 'denied',
    event: 'session.denied,session.expired',
    user: id,
    domain: id,
    actor: 'Åsa at the command line',
    reason: 'not_reported',
    factor: 'push',
    since: '0',
    until: '1796000000',
    before: '2000000',
    live: '1',
  }
  const { q, live, ...sent } = readQuery(new URLSearchParams(values))
  expect({ q, live, ...sent }).toEqual(values)
  expect(listAudit.query?.safeParse(sent).success).toBe(true)
})

it.each([
  ['event', 'denied'],
  ['user', 'zz'],
  ['domain', id.slice(1)],
  ['actor', 'a'.repeat(129)],
  ['actor', 'a\u0000'],
  ['reason', 'A'],
  ['factor', '1'],
  ['since', 'abc'],
  ['until', '-5'],
  ['before', '9'.repeat(16)],
] as const)('the address of the audit trail leaves out %s=%s, which the service would reject', (name, value) => {
  expect(listAudit.query?.safeParse({ [name]: value }).success).toBe(false)
  expect(readQuery(new URLSearchParams({ [name]: value }))[name]).toBeUndefined()
})

it.each([
  ['from', 'from', '0'],
  ['from', 'from', '1e3'],
  ['from', 'from', '9'.repeat(10)],
  ['domain', 'id', 'wiki'],
  ['q', 'q', 'x'.repeat(129)],
] as const)('the address of a list leaves out %s as %s=%s, which the service would reject', (name, shape, value) => {
  expect(searchPeople.query?.safeParse({ [name]: value }).success).toBe(false)
  expect(readValue(new URLSearchParams({ [name]: value }), name, queryShapes[shape])).toBeUndefined()
})

it('the address of a list keeps what a person searches for, in any script', () => {
  expect(readValue(new URLSearchParams({ q: 'Łukasz أحمد 花子' }), 'q', queryShapes.q)).toBe('Łukasz أحمد 花子')
  expect(readValue(new URLSearchParams({ q: '' }), 'q', queryShapes.q)).toBeUndefined()
})
