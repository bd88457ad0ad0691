import { describe, expect, it } from 'vitest'

import type { CreationOptions, RequestOptions } from '../../src/contract/webauthn.ts'
import { createAuthenticator, noneAttestation } from '../../src/testing/software-authenticator.ts'
import { startPolicyApp } from '../express/policy-app.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64url')

/** What a member can hold in place of what belongs there; undefined leaves it out. */
const values: readonly unknown[] = [
  undefined,
  null,
  7,
  {},
  [],
  '',
  '!',
  'A',
  'AA',
  'A+/=',
  'A'.repeat(3000),
  'A'.repeat(9000),
  encoded('null'),
  encoded('{}'),
  encoded('{"challenge":7}'),
  encoded('{"type":"webauthn.get","challenge":"AA","origin":7}'),
  Buffer.from([0xff, 0xff]).toString('base64url'),
  Buffer.from([0xa1, 0x01]).toString('base64url'),
  noneAttestation(Buffer.alloc(0)),
  noneAttestation(Buffer.alloc(37, 0xff)),
]

/** Every answer in which one member is wrong. */
function* malformed(validResponse: object): Generator<[string, string]> {
  const { response, ...rest } = validResponse as Record<string, unknown> & { response: object }
  for (const value of values) {
    for (const name of Object.keys(rest)) {
      const named = `${name}: ${JSON.stringify(value)}`
      if (value !== (rest as Record<string, unknown>)[name])
        yield [named, JSON.stringify({ ...rest, [name]: value, response })]
    }
    for (const name of Object.keys(response)) {
      // Authenticators and browsers may leave these out.
      if (name === 'userHandle' && value == null) continue
      if (name === 'transports' && (value === undefined || Array.isArray(value))) continue
      yield [
        `response.${name}: ${JSON.stringify(value)}`,
        JSON.stringify({ ...rest, response: { ...response, [name]: value } }),
      ]
    }
    yield [`response: ${JSON.stringify(value)}`, JSON.stringify({ ...rest, response: value })]
  }
  yield ['no JSON', '{']
  yield ['null', 'null']
}

async function startApp() {
  const app = await startPolicyApp()
  const { trouble } = app.app

  /** What an answer leads to besides the status. */
  const takeEffects = () => [...app.events.splice(0).map(({ type }) => type), ...trouble.splice(0)]
  return { ...app, takeEffects }
}

describe('a malformed answer of a passkey', () => {
  it('a malformed answer of a passkey at a sign-in is a wrong one, and never an outage', async () => {
    const app = await startApp()
    await app.givePasskey()
    const { browser } = await app.signIn()
    const { text } = await browser.submit('/mfa/passkey/options')
    const validResponse = app.authenticator.use(JSON.parse(text) as RequestOptions)
    const unexpectedOutcomes: unknown[] = []
    app.takeEffects()

    for (const [label, response] of malformed(validResponse)) {
      const { status, headers } = await browser.submit('/mfa/passkey', { response })
      const outcome = [status, headers['location'], ...app.takeEffects()]
      if (String(outcome) !== '303,/mfa?use=passkey,passkey.wrong') unexpectedOutcomes.push([label, ...outcome])
    }

    expect(unexpectedOutcomes).toEqual([])
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  it('a malformed answer when a passkey is added is a wrong one, and never an outage', async () => {
    const app = await startApp()
    const { call, domain } = app.service
    const bob = (await call('POST', '/users', { body: { username: 'bob', name: 'Bob', email: null } })).json
    await call('PUT', `/domains/${domain.id}/users/${bob.id}`)
    const { browser } = await app.signIn('bob')
    const { text } = await browser.submit('/mfa/enroll/passkey/options')
    const authenticator = createAuthenticator({ origin: app.url })
    const validResponse = authenticator.make(JSON.parse(text) as CreationOptions)
    const unexpectedOutcomes: unknown[] = []
    app.takeEffects()

    for (const [label, response] of malformed(validResponse)) {
      const { status } = await browser.submit('/mfa/enroll/passkey', { name: 'Laptop', response })
      const outcome = [status, ...app.takeEffects()]
      if (status < 400 || status >= 500 || outcome.length > 1) unexpectedOutcomes.push([label, ...outcome])
    }

    expect(unexpectedOutcomes).toEqual([])
    expect((await call('GET', `/domains/${domain.id}/users/${bob.id}/passkeys`)).json).toEqual([])
  })
})
