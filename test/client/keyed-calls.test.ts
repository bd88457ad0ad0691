import { expect, it } from 'vitest'

import { newIdempotencyKey } from '../../src/client/keyed-calls.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import { operations } from '../../src/contract/operations.ts'

/** Calls of a sign-in, which would each cost three statements more. */
const withoutKey = [
  'createPasskeySession',
  'createSession',
  'redeemApproval',
  'redeemSession',
  'startPasskeyAuthentication',
  'startPasskeyRegistration',
]

it('a client sends a key with each call that can be repeated, apart from those of a sign-in', () => {
  const namesOf = (isOne: (endpoint: Endpoint) => boolean) =>
    operations.filter(({ endpoint }) => isOne(endpoint)).map(({ name }) => name)

  const keyed = namesOf((endpoint) => newIdempotencyKey(endpoint) !== undefined)

  expect(namesOf(({ repeatable }) => repeatable === true).toSorted()).toEqual([...keyed, ...withoutKey].toSorted())
})
