import { createCipheriv, createHmac } from 'node:crypto'

import sax from 'sax'
import { describe, expect, it } from 'vitest'

import { readPskc as readContainer } from '../../../../../src/service/features/hardware/files/pskc.ts'
import { parseXml } from '../../../../../src/service/features/hardware/files/xml.ts'
import { inFullRun } from '../../../../support/full-run.ts'
import {
  container,
  encrypted,
  encryption,
  exampleKey,
  exampleSeed,
  keyPackage,
  passwordContainer,
  plain,
  plainData,
} from './pskc-file.ts'
import { all, pieces } from './pieces.ts'

const key = Buffer.from(exampleKey, 'hex')
const token = { serialNumber: '987654321', seed: exampleSeed, algorithm: 'SHA1', digits: 8, period: 30 }
const row = { line: expect.any(Number), token }

const readPskc = (text: string, sharedKey?: Buffer, password?: string) =>
  all(readContainer(parseXml(pieces(text), sax), { key: sharedKey, password }))

const hotp = { algorithm: 'urn:ietf:params:xml:ns:keyprov:pskc:hotp' }
const reasonOf = async (text: string, sharedKey?: Buffer) => {
  const [first] = await readPskc(text, sharedKey)
  return first && 'reason' in first ? first.reason : undefined
}

describe('a Portable Symmetric Key Container', () => {
  it('readPskc() reads secrets in base64, as in RFC 6030 figures 2 and 5', async () => {
    expect(await readPskc(container(keyPackage()), undefined)).toEqual([row])
  })

  it('readPskc() reads AES-128-CBC with a pre-shared key and HMAC-SHA1, as in RFC 6030 figure 6', async () => {
    const text = container(encryption(), keyPackage({ secret: encrypted() }))

    expect(await readPskc(text, key)).toEqual([row])
  })

  it('readPskc() accepts a namespace prefix, as in RFC 6030 figure 7', async () => {
    const text = container(keyPackage())
      .replace('xmlns=', 'xmlns:pskc=')
      .replaceAll(/<(\/?)(?=[A-Z])/g, '<$1pskc:')

    expect(await readPskc(text, undefined)).toEqual([row])
  })

  it('readPskc() uses the encryption key for the MAC when the file names no other key', async () => {
    const secret = encrypted({ mac: 'N8Agsfe5A7WQFswmdvL/MHdd3y0=' })

    expect(await readPskc(container(encryption({ macKey: '' }), keyPackage({ secret })), key)).toEqual([row])
  })

  it('readPskc() reads AES-256-CBC and HMAC-SHA256, with the padding of XML Encryption', async () => {
    const long = Buffer.alloc(32, 7)
    const macKey = Buffer.alloc(32, 9)
    const seal = (secret: Buffer) => {
      const cipher = createCipheriv('aes-256-cbc', long, Buffer.alloc(16, 1)).setAutoPadding(false)
      const padding = Buffer.alloc(16 - (secret.length % 16), 0xaa)
      padding[padding.length - 1] = padding.length
      return Buffer.concat([Buffer.alloc(16, 1), cipher.update(Buffer.concat([secret, padding])), cipher.final()])
    }
    const value = seal(Buffer.from(exampleSeed, 'hex'))
    const secret = encrypted({
      value: value.toString('base64'),
      mac: createHmac('sha256', macKey).update(value).digest('base64'),
      algorithm: 'aes256-cbc',
    })
    const head = encryption({
      mac: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
      macKey: seal(macKey).toString('base64'),
      algorithm: 'aes256-cbc',
    })

    expect(await readPskc(container(head, keyPackage({ secret })), long)).toEqual([row])
  })

  it('readPskc() defaults to time steps of 30 seconds and keeps the line of each key package', async () => {
    const minute = '<TimeInterval><PlainValue> 60 </PlainValue></TimeInterval>'

    const rows = await readPskc(container(keyPackage({ interval: '' }), keyPackage({ interval: minute })), undefined)

    expect(rows).toMatchObject([{ token: { period: 30 } }, { token: { period: 60 } }])
    expect(rows[1]!.line).toBeGreaterThan(rows[0]!.line)
  })
})

describe('an encrypted secret', () => {
  const changed = Buffer.from('AAECAwQFBgcICQoLDA0OD+cIHItlB3Wra1DUpxVvOx2lef1VmNPCMl8jwZqIUqGv', 'base64')
  changed[20]! ^= 1

  it.each([
    ['of another key', encrypted(), Buffer.alloc(16, 3)],
    ['that was changed', encrypted({ value: changed.toString('base64') }), key],
    ['with another MAC', encrypted({ mac: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' }), key],
    ['with a shorter MAC', encrypted({ mac: 'Su8=' }), key],
    ['without its MAC', encrypted({ mac: '' }), key],
    ['by another algorithm', encrypted({ algorithm: 'tripledes-cbc' }), key],
    ['without blocks', encrypted({ value: 'AAEC' }), key],
    ['as no base64', encrypted({ value: '!!!' }), key],
  ])('readPskc() rejects an encrypted secret %s', async (_what, secret, sharedKey) => {
    // Its key for the MAC is the encryption key, so that a wrong one gets this far.
    const own = sharedKey === key ? encryption() : encryption({ macKey: '' })

    expect(await reasonOf(container(own, keyPackage({ secret })), sharedKey)).toContain('the secret cannot be read')
  })

  it('readPskc() rejects an encrypted secret when the file names no supported MAC', async () => {
    const text = container(encryption({ mac: 'urn:other' }), keyPackage({ secret: encrypted() }))

    expect(await reasonOf(text, key)).toContain('the secret cannot be read')
  })

  it('readPskc() requires the key of the file to read an encrypted secret', async () => {
    const text = container(encryption(), keyPackage({ secret: encrypted() }))

    await expect(readPskc(text, undefined)).rejects.toThrow('Enter its pre-shared key.')
    await expect(readPskc(text, Buffer.alloc(32))).rejects.toThrow('The key does not match the file.')
  })

  it('readPskc() reads a secret whose key derives from a password, as in RFC 6030 figure 7', async () => {
    const [first] = await readPskc(passwordContainer(), undefined, 'qwerty')

    // The figure has these digits as bytes, and not as text.
    expect(first).toEqual({
      line: expect.any(Number),
      token: { ...token, seed: '3132333435363738393031323334353637383930' },
    })
  })

  it('readPskc() requires the password of the file, and names it where it is wrong', async () => {
    await expect(readPskc(passwordContainer())).rejects.toThrow('with a password')
    await expect(readPskc(passwordContainer(), key)).rejects.toThrow('with a password')
    await expect(readPskc(passwordContainer(), undefined, 'azerty')).rejects.toThrow('The password does not match')
  })

  it.each([
    ['more iterations than any file needs', { iterations: '2000001' }, 'IterationCount'],
    ['no iterations', { iterations: '0' }, 'IterationCount'],
    ['a number of iterations with an exponent', { iterations: '1e3' }, 'IterationCount'],
    ['a key that is too long', { length: '1000000000' }, 'PBKDF2'],
    ['a key of another length', { length: '20' }, 'PBKDF2'],
    ['another derivation', { derivation: 'urn:other#scrypt' }, 'PBKDF2'],
    ['another hash', { prf: '<PRF Algorithm="urn:other#hmac-md5"/>' }, 'PBKDF2'],
  ])('readPskc() derives nothing for %s', async (_what, more, reason) => {
    const before = process.threadCpuUsage()

    await expect(readPskc(passwordContainer(more), undefined, 'qwerty')).rejects.toThrow(reason)

    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000)
  })

  it('readPskc() names a certificate, which a pre-shared key does not replace', async () => {
    const head =
      '<EncryptionKey><ds:X509Data><ds:X509Certificate>MIIB</ds:X509Certificate></ds:X509Data></EncryptionKey>'

    await expect(readPskc(container(head, keyPackage({ secret: encrypted() })), key)).rejects.toThrow('certificate')
  })
})

describe('a key package', () => {
  it.each([
    ['<Suite>SHA1</Suite>', 'SHA1'],
    ['<Suite>SHA-1</Suite>', 'SHA1'],
    ['<Suite>HMAC-SHA1</Suite>', 'SHA1'],
    ['<Suite> HMAC-SHA256 </Suite>', 'SHA256'],
    ['<Suite hashalgo="sha256"/>', 'SHA256'],
    ['<Suite Algorithm="HMAC-SHA256"/>', 'SHA256'],
    ['<Suite><Hash>SHA256</Hash></Suite>', 'SHA256'],
    ['<Suite HashAlgo="HmacSHA512"></Suite>', 'SHA512'],
    ['<Suite/>', 'SHA1'],
    ['', 'SHA1'],
  ])('readPskc() reads %s as %s', async (parameters, algorithm) => {
    expect(await readPskc(container(keyPackage({ parameters })))).toEqual([{ ...row, token: { ...token, algorithm } }])
  })

  it('readPskc() reads names in lower case, as other servers write them', async () => {
    const text = container(keyPackage({ parameters: '<Suite HashAlgo="sha256"/>' })).replace(
      /<\/?\w+|\s\w+(?==")/g,
      (name) => name.toLowerCase(),
    )

    expect(text).toContain('<keycontainer')
    expect(await readPskc(text)).toEqual([{ ...row, token: { ...token, algorithm: 'SHA256' } }])
  })

  it('readPskc() rejects a key package whose PIN is part of its codes', async () => {
    const policy = (mode: string) =>
      container(keyPackage()).replace('</Key>', `<Policy><PINPolicy PINUsageMode="${mode}"/></Policy></Key>`)

    expect(await reasonOf(policy('Algorithmic'))).toContain('a PIN is part of its codes')
    expect(await readPskc(policy('Local'))).toEqual([row])
  })

  it('readPskc() keeps how far the clock of a token was ahead', async () => {
    const rows = await readPskc(container(keyPackage({ interval: plainData('Time', 0) + plainData('TimeDrift', -4) })))

    expect(rows).toEqual([{ ...row, drift: -4 }])
  })

  it.each([
    ['without a counter, which is then 0', '', 0],
    ['with its counter, as in RFC 6030 figure 5', plainData('Counter', 0), 0],
    [
      'with its counter among what is about time',
      plainData('Counter', 1_234_567_890) + plainData('Time', 5),
      1_234_567_890,
    ],
    ['with a counter that is no number, for the checks of the row', plainData('Counter', 'many'), 'many'],
  ])('readPskc() reads a counter-based token %s', async (_what, interval, counter) => {
    const { period: _none, ...counted } = token

    expect(await readPskc(container(keyPackage({ ...hotp, interval })))).toEqual([
      { line: expect.any(Number), token: { ...counted, counter } },
    ])
  })

  it('readPskc() reads the encrypted counter of a token, as text or as bytes', async () => {
    const counterOf = async (counter: Buffer) => {
      const cipher = createCipheriv('aes-128-cbc', key, Buffer.alloc(16, 1))
      const value = Buffer.concat([Buffer.alloc(16, 1), cipher.update(counter), cipher.final()])
      const mac = createHmac('sha1', key).update(value).digest('base64')
      const interval = `<Counter>${encrypted({ value: value.toString('base64'), mac })}</Counter>`
      const text = container(encryption({ macKey: '' }), keyPackage({ ...hotp, interval }))
      const [first] = await readPskc(text, key)
      return first && 'token' in first ? (first.token as { readonly counter: unknown }).counter : first
    }

    expect(await counterOf(Buffer.from('4711'))).toBe(4711)
    expect(await counterOf(Buffer.from('0000000000001267', 'hex'))).toBe(4711)
  })

  it.each([
    ['of Yubico OTP', keyPackage({ algorithm: 'http://www.yubico.com/#yubikey-aes' }), 'Yubico OTP is not supported'],
    [
      'of a PIN, as in RFC 6030 figure 5',
      keyPackage({ algorithm: 'urn:ietf:params:xml:ns:keyprov:pskc:pin' }),
      'TOTP or HOTP',
    ],
    ['of another hash', keyPackage({ parameters: '<Suite>HMAC-MD5</Suite>' }), 'the hash is "HMAC-MD5"'],
    ['of a challenge', keyPackage({ parameters: '<Suite>OCRA-1:HOTP-SHA1-8:QN08</Suite>' }), 'the hash is "OCRA-1'],
    ['of another hash in an attribute', keyPackage({ parameters: '<Suite HashAlgo="md5"/>' }), 'the hash is "md5"'],
    ['of two hashes', keyPackage({ parameters: '<Suite>SHA1</Suite><Suite>SHA256</Suite>' }), '"SHA1" and "SHA256"'],
    [
      'of a hash and another',
      keyPackage({ parameters: '<Suite hashalgo="sha256">SHA1</Suite>' }),
      '"SHA1" and "SHA256"',
    ],
    ['with an unknown parameter', keyPackage({ parameters: '<Truncation>4</Truncation>' }), '"truncation" may change'],
    ['with unknown data', keyPackage({ interval: plainData('Interval', 60) }), '"interval" may change'],
    ['with a time', keyPackage({ interval: plainData('Time', 1_000) }), 'a Time other than 0'],
    [
      'whose clock is off by more than a thousand steps',
      keyPackage({ interval: plainData('TimeDrift', 1_001) }),
      'drift',
    ],
    ['whose drift is no number', keyPackage({ interval: plainData('TimeDrift', 'PT30S') }), 'drift'],
    ['of other codes', keyPackage({ format: '<ResponseFormat Length="8" Encoding="HEXADECIMAL"/>' }), 'decimal'],
    ['of unknown codes', keyPackage({ format: '' }), 'decimal'],
    [
      'with a check digit',
      keyPackage({ format: '<ResponseFormat Length="8" Encoding="DECIMAL" CheckDigits="true"/>' }),
      'check digit',
    ],
    ['without a serial number', keyPackage({ serial: '' }), 'serial number'],
    ['without a secret', keyPackage({ secret: '' }), 'secret cannot be read'],
    ['without a key', '<KeyPackage/>', 'no key'],
    ['whose secret is no base64', keyPackage({ secret: plain('MTIz_DU2') }), 'secret cannot be read'],
  ])('readPskc() rejects a key package %s', async (_what, text, reason) => {
    expect(await reasonOf(container(text))).toContain(reason)
  })
})

describe('a malicious file', () => {
  const withDoctype = (doctype: string, body: string) => container(body).replace('?>', `?>${doctype}`)
  const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(1000)}"><!ENTITY c "${'&b;'.repeat(1000)}">]>`

  it.each([
    ['entities of entities', withDoctype(laughs, keyPackage({ serial: '<SerialNo>&c;</SerialNo>' }))],
    [
      'an entity that is a file',
      withDoctype(
        '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>',
        keyPackage({ serial: '<SerialNo>&f;</SerialNo>' }),
      ),
    ],
    ['a document type elsewhere', withDoctype('<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd">', keyPackage())],
  ])('readPskc() refuses to read a file with %s', async (_what, text) => {
    await expect(readPskc(text, undefined)).rejects.toThrow('DOCTYPE')
  })

  it.each([
    ['an unknown entity', container(keyPackage({ serial: '<SerialNo>&eacute;</SerialNo>' }))],
    ['an end too early', container(keyPackage()).slice(0, 400)],
    ['tags that cross', container('<a><b></a></b>')],
    ['an unknown prefix', '<pskc:KeyContainer/>'],
    ['two roots', `${container(keyPackage())}<b/>`],
  ])('readPskc() rejects a file with %s as invalid XML', async (_what, text) => {
    await expect(readPskc(text, undefined)).rejects.toThrow('not valid XML')
  })

  it('readPskc() rejects a file that is nested too deeply', async () => {
    await expect(readPskc(container('<a>'.repeat(100)), undefined)).rejects.toThrow('deeper')
  })

  it.each([
    ['has more elements than a key', container(`<KeyPackage>${'<a/>'.repeat(1_000)}</KeyPackage>`)],
    ['has a longer text than a key', container(`<KeyPackage><Key>${'A'.repeat(70_000)}</Key></KeyPackage>`)],
  ])('readPskc() rejects a file when an element %s', async (_what, text) => {
    await expect(all(readContainer(parseXml(pieces(text, 8_192), sax), {}))).rejects.toThrow('larger')
  })

  it('readPskc() rejects a file that names its encryption after a key package', async () => {
    const text = container(keyPackage({ secret: encrypted() }), encryption())

    await expect(readPskc(text, key)).rejects.toThrow('behind a key package')
  })

  inFullRun('readPskc() accepts any number of key packages', async () => {
    const rows = await readPskc(container(...Array.from({ length: 200 }, () => keyPackage())), undefined)

    expect(rows).toEqual(Array.from({ length: 200 }, () => row))
  })

  it.each([
    ['another document', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['a container of another namespace', container(keyPackage()).replace(':pskc"', ':other"')],
    ['another version', container(keyPackage()).replace('Version="1.0"', 'Version="2.0"')],
  ])('readPskc() rejects the whole file when it is %s', async (_what, text) => {
    await expect(readPskc(text, undefined)).rejects.toThrow('RFC 6030')
  })
})
