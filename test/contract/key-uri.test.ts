import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'

import { KeyUriError, parseKeyUri } from '../../src/contract/key-uri.ts'

const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const seed = '3132333435363738393031323334353637383930'

describe('the address of an authenticator app', () => {
  it('what the address leaves out has the defaults of its format', () => {
    const app = parseKeyUri(`otpauth://totp/Shop:anna?secret=${secret}&issuer=Shop`)

    expect(app).toEqual({ seed, algorithm: 'SHA1', digits: 6, period: 30 })
  })

  it.each([
    { algorithm: 'SHA256', digits: 8, period: 60 },
    { algorithm: 'SHA512', digits: 7, period: 15 },
    { algorithm: 'SHA1', digits: 6, period: 120 },
  ])('an address that another library writes is read: $algorithm, $digits digits, $period s', (parameters) => {
    const uri = new TOTP({ issuer: 'Shop', label: 'anna', secret: Secret.fromHex(seed), ...parameters }).toString()

    expect(parseKeyUri(uri)).toEqual({ seed, ...parameters })
  })

  it('names of hashes with hyphens, and secrets in groups and small letters, are read', () => {
    const grouped = secret.toLowerCase().replace(/(.{4})/g, '$1%20')

    expect(parseKeyUri(`otpauth://totp/a?secret=${grouped}&algorithm=HMAC-SHA-256`)).toMatchObject({
      seed,
      algorithm: 'SHA256',
    })
  })

  it.each([
    ['of a counter', `otpauth://hotp/a?secret=${secret}&counter=1`, /HOTP/],
    ['of another kind', `otpauth://steam/a?secret=${secret}`, /neither/],
    ['of a phone with all its sites', 'otpauth-migration://offline?data=CjEK', /other sites/],
    ['that is none', `https://example.com/?secret=${secret}`, /no otpauth/],
    ['that is no address', secret, /no otpauth/],
    ['without a secret', 'otpauth://totp/a', /no secret/],
    ['with a secret in hexadecimal', 'otpauth://totp/a?secret=3132333435363738390A', /no secret/],
    ['with an unknown hash', `otpauth://totp/a?secret=${secret}&algorithm=MD5`, /algorithm/],
    ['with five digits', `otpauth://totp/a?secret=${secret}&digits=5`, /digits/],
    ['with a period of ten seconds', `otpauth://totp/a?secret=${secret}&period=10`, /period/],
    ['with an unknown parameter', `otpauth://totp/a?secret=${secret}&encoder=steam`, /not known/],
    ['with a parameter twice', `otpauth://totp/a?secret=${secret}&digits=6&digits=8`, /twice/],
    ['that is too long', `otpauth://totp/${'a'.repeat(3000)}?secret=${secret}`, /no otpauth/],
  ])('an address %s is refused, and never quoted', (_description, uri, message) => {
    const refusal = (() => {
      try {
        return parseKeyUri(uri)
      } catch (error) {
        return error
      }
    })()

    expect(refusal).toBeInstanceOf(KeyUriError)
    expect((refusal as KeyUriError).message).toMatch(message)
    expect((refusal as KeyUriError).message).not.toContain(secret)
  })
})
