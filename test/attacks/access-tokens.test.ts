import * as fc from 'fast-check'
import { exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose'
import type { JWTHeaderParameters } from 'jose'
import type { BearerOptions } from 'second-factor'
import { createTestClock } from 'second-factor/testing'
import { describe, expect, it } from 'vitest'

import { startBearerApp } from '../support/bearer-app.ts'
import { audience, handMade, startTokenIssuer, usualClaims } from '../support/token-issuer.ts'

/** An API that would pass every token of its issuer, and a stranger who has an issuer, too. */
async function arrange(options: Partial<BearerOptions> = {}) {
  const clock = createTestClock()
  const issuer = await startTokenIssuer(clock)
  const stranger = await startTokenIssuer(clock)
  const bearer = { issuer: issuer.issuer, audience, clock, logger: { info() {}, warn() {}, error() {} }, ...options }
  const { call, passed } = await startBearerApp('Express 5', { bearer, acr: 'any' })
  const claims = usualClaims(issuer.issuer, clock.now())
  /** @returns status and challenge of the answer, and what passed. */
  async function attempt(token: string) {
    const { status, headers } = await call(token)
    return { status, challenge: headers.get('www-authenticate'), passed }
  }
  return { issuer, stranger, clock, claims, attempt }
}

const rejected = (reason: string) => ({
  status: 401,
  challenge: `Bearer error="invalid_token", error_description="${reason}"`,
  passed: [],
})

const noToken = 'The access token is not valid'

describe('the signature of an access token', () => {
  it('an access token without a signature is rejected (RFC 8725 section 3.2)', async () => {
    const { attempt, claims } = await arrange()

    expect(await attempt(handMade({ alg: 'none', typ: 'at+jwt' }, claims))).toEqual(rejected(noToken))
    expect(await attempt(handMade({ alg: 'none', typ: 'at+jwt', kid: 'first' }, claims, 'AA'))).toEqual(
      rejected(noToken),
    )
  })

  it('an access token is rejected that uses the public key as a shared secret (RFC 8725 section 2.1)', async () => {
    const { attempt, claims, issuer } = await arrange()
    const key = await importJWK({ ...issuer.keys.get('first')!.jwk }, 'ES256', { extractable: true })
    const secret = new TextEncoder().encode(await exportSPKI(key as CryptoKey))
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'first' })
      .sign(secret)

    expect(await attempt(token)).toEqual(rejected(noToken))
  })

  it('an access token is rejected whose algorithm the app does not list', async () => {
    const { attempt, issuer } = await arrange({ algorithms: ['ES256'] })
    await issuer.addKey('rsa', 'RS256')

    expect(await attempt(await issuer.token({}, { kid: 'rsa', alg: 'RS256' }))).toEqual(rejected(noToken))
    expect(await attempt(await issuer.token())).toMatchObject({ status: 200 })
  })

  it('an access token is rejected whose claims were changed', async () => {
    const { attempt, issuer, claims } = await arrange()
    const [header, , signature] = (await issuer.token()).split('.')
    const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url')

    expect(await attempt(`${header}.${payload}.${signature}`)).toEqual(rejected(noToken))
  })

  it('an access token is rejected that a stranger has signed under the name of a key of the issuer', async () => {
    const { attempt, stranger, claims } = await arrange()

    expect(await attempt(await stranger.token(claims))).toEqual(rejected(noToken))
  })

  it('an access token is rejected that does not name its key, where the issuer has several', async () => {
    const { attempt, issuer, claims } = await arrange()
    await issuer.addKey('second')
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
      .sign(issuer.keys.get('second')!.privateKey)

    expect(await attempt(token)).toEqual(rejected('The access token does not name its key (kid)'))
  })

  it('an access token cannot bring its key, or name an address of one: jwk, jku, x5c, x5u, kid', async () => {
    const { attempt, stranger, claims } = await arrange()
    const { jwk } = stranger.keys.get('first')!
    const address = `${stranger.issuer}/keys`
    const headers: readonly Partial<JWTHeaderParameters>[] = [
      { jwk, kid: 'other' },
      { jku: address, kid: 'other' },
      { x5u: address, kid: 'other' },
      { x5c: ['MIIB'], kid: 'other' },
      { kid: address },
      { kid: '../../keys' },
    ]

    for (const header of headers) {
      expect(await attempt(await stranger.token(claims, header))).toEqual(
        rejected('The issuer has no key for this access token'),
      )
    }
    expect(stranger.asked).toEqual([])
  })

  it('an access token is rejected whose header has a critical extension (RFC 7515 section 4.1.11)', async () => {
    const { attempt, claims, issuer } = await arrange()
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first', crit: ['only-at'], 'only-at': 'bank' })
      .sign(issuer.keys.get('first')!.privateKey, { crit: { 'only-at': true } })

    expect(await attempt(token)).toEqual(rejected(noToken))
  })

  it('an access token is rejected that is encrypted', async () => {
    const { attempt } = await arrange()

    expect(await attempt('eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA')).toEqual(rejected(noToken))
  })

  it('an access token gets 503 where the key that the issuer publishes for it is not a key', async () => {
    const { attempt, issuer, claims } = await arrange()
    const { privateKey } = await generateKeyPair('ES256')
    issuer.answers.set('/keys', { body: { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'first' }] } })
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first' })
      .sign(privateKey)

    expect(await attempt(token)).toMatchObject({ status: 503, passed: [] })
  })
})

describe('the claims of an access token', () => {
  it('an access token is rejected that is for another API', async () => {
    const { attempt, issuer } = await arrange()
    const reason = 'The access token is for another API'

    expect(await attempt(await issuer.token({ aud: 'https://other.example' }))).toEqual(rejected(reason))
    expect(await attempt(await issuer.token({ aud: undefined }))).toEqual(rejected(reason))
    expect(await attempt(await issuer.token({ aud: [`${audience}/`, 'x'] }))).toEqual(rejected(reason))
  })

  it('an access token is accepted that names this API among others', async () => {
    const { attempt, issuer } = await arrange({ audience: ['https://new.example', audience] })

    expect(await attempt(await issuer.token({ aud: ['x', audience] }))).toMatchObject({ status: 200 })
  })

  it('an access token is rejected that names another issuer', async () => {
    const { attempt, issuer } = await arrange()
    const reason = 'The access token is from another issuer'

    expect(await attempt(await issuer.token({ iss: `${issuer.issuer}/` }))).toEqual(rejected(reason))
    expect(await attempt(await issuer.token({ iss: undefined }))).toEqual(rejected(reason))
  })

  it.each([['JWT'], [undefined], ['dpop+jwt'], ['logout+jwt']])(
    'an access token is rejected whose type is %s, as that of an ID token',
    async (typ) => {
      const { attempt, issuer } = await arrange()

      expect(await attempt(await issuer.token({}, { typ }))).toEqual(
        rejected('The token is not an access token of the type at+jwt'),
      )
    },
  )

  it('an access token is accepted whose type is a whole media type (RFC 9068 section 4)', async () => {
    const { attempt, issuer } = await arrange()

    expect(await attempt(await issuer.token({}, { typ: 'application/at+jwt' }))).toMatchObject({ status: 200 })
  })

  it('an access token is rejected once it has expired, and not within a minute, because clocks differ', async () => {
    const { attempt, issuer, clock } = await arrange()

    expect(await attempt(await issuer.token({ exp: clock.now() - 60 }))).toEqual(
      rejected('The access token has expired'),
    )
    expect(await attempt(await issuer.token({ exp: clock.now() - 59 }))).toMatchObject({ status: 200 })
  })

  it('an access token is rejected that is not valid yet', async () => {
    const { attempt, issuer, clock } = await arrange()

    expect(await attempt(await issuer.token({ nbf: clock.now() + 61 }))).toEqual(
      rejected('The access token is not valid yet'),
    )
    expect(await attempt(await issuer.token({ nbf: clock.now() + 60 }))).toMatchObject({ status: 200 })
  })

  it('an access token is rejected that never expires', async () => {
    const { attempt, issuer } = await arrange()

    expect(await attempt(await issuer.token({ exp: undefined }))).toEqual(rejected(noToken))
    expect(await attempt(await issuer.token({ exp: '9999999999' }))).toEqual(rejected(noToken))
  })

  it.each([undefined, null, 7, ['alice'], {}])('an access token is rejected whose sub is %j', async (sub) => {
    const { attempt, issuer } = await arrange()

    expect(await attempt(await issuer.token({ sub }))).toEqual(
      rejected('The access token does not say whose it is (sub)'),
    )
  })

  it.each([[{ jkt: 'AAAA' }], [{ 'x5t#S256': 'AAAA' }], [null], [{}]])(
    'an access token is rejected that is bound to a key: %j',
    async (cnf) => {
      const { attempt, issuer } = await arrange()

      expect(await attempt(await issuer.token({ cnf }))).toEqual(
        rejected('This API cannot verify access tokens that are bound to a key (cnf)'),
      )
    },
  )

  it('members of a prototype in an access token change nothing', async () => {
    const { attempt, issuer, claims } = await arrange()
    const polluting = `{"__proto__":{"acr":"phr","admin":true},"constructor":{"prototype":{"admin":true}},${JSON.stringify(claims).slice(1)}`
    const token = await new SignJWT(JSON.parse(polluting))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first' })
      .sign(issuer.keys.get('first')!.privateKey)

    await attempt(token)

    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })
})

it('no made-up access token passes, or causes another answer than 400 and 401', async () => {
  const { attempt, issuer } = await arrange()
  await attempt(await issuer.token())
  const parts = fc.array(
    fc.oneof(
      fc.base64String().map((text) => text.replaceAll('/', '_').replaceAll('+', '-').replaceAll('=', '')),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc
        .record({ alg: fc.constantFrom('ES256', 'RS256', 'none', 'HS256', 7, null), kid: fc.constantFrom('first', 7) })
        .map((header) => Buffer.from(JSON.stringify({ typ: 'at+jwt', ...header })).toString('base64url')),
    ),
    { minLength: 1, maxLength: 6 },
  )

  await fc.assert(
    fc.asyncProperty(parts, async (made) => {
      const { status, passed } = await attempt(made.join('.'))
      expect([400, 401]).toContain(status)
      expect(passed).toHaveLength(1)
    }),
    { numRuns: 200 },
  )
})
