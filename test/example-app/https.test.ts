import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkServerIdentity, connect } from 'node:tls'

import request from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'

import { issue, openCertificates } from '../../example-app/https/certificate.ts'
import { KeyPair } from '../../example-app/https/key-pair.ts'
import { createTrustPages } from '../../example-app/trust-pages.ts'
import { createPages } from '../../example-app/pages.ts'
import { inFullRun } from '../support/full-run.ts'
import { serveSecurely } from './secure-app.ts'

const now = Math.floor(Date.now() / 1000)
const day = 86_400

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'second-factor-https-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Whom a client that trusts this authority alone believes to speak to, or why it does not. */
function handshake(port: number, host: string, authority: X509Certificate): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      ca: authority.toString(),
      // For addresses no name is sent (RFC 6066 section 3); the certificate is compared with the address.
      ...(isIP(host) === 0 && { servername: host }),
      checkServerIdentity: (_connectedTo, certificate) => checkServerIdentity(host, certificate),
    })
    socket.once('secureConnect', () => (socket.destroy(), resolve('trusted')))
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'UNSPECIFIED' ? error.message : (error.code ?? error.message)),
    )
  })
}

describe('the certificate of the example', () => {
  inFullRun('the example’s certificate is trusted through its authority under its own names only', async () => {
    const { server, authority } = await openCertificates(await newFolder(), ['localhost', 'desk.local'], now)
    const https = await serveSecurely(server)
    const { port } = https.address() as AddressInfo

    expect(await handshake(port, 'localhost', authority)).toBe('trusted')
    expect(await handshake(port, 'desk.local', authority)).toBe('trusted')
    expect(await handshake(port, 'evil.example', authority)).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  inFullRun('the example’s certificate is not trusted through the authority of another folder', async () => {
    const { server } = await openCertificates(await newFolder(), ['localhost'], now)
    const { authority: another } = await openCertificates(await newFolder(), ['localhost'], now)
    const https = await serveSecurely(server)

    expect(await handshake((https.address() as AddressInfo).port, 'localhost', another)).not.toBe('trusted')
  })

  it('the example’s certificate contains addresses as addresses', async () => {
    const { server } = await openCertificates(await newFolder(), ['localhost', '192.0.2.7', '::1'], now)

    const certificate = new X509Certificate(server.certificate)

    expect(certificate.checkIP('192.0.2.7')).toBe('192.0.2.7')
    expect(certificate.checkIP('::1')).toBe('::1')
    expect(certificate.checkIP('192.0.2.8')).toBeUndefined()
  })

  it('the example’s certificate is for servers only, signs nothing, and expires within the 397 days that browsers accept', async () => {
    const { server, authority } = await openCertificates(await newFolder(), ['localhost'], now)

    const certificate = new X509Certificate(server.certificate)

    // id-kp-serverAuth, RFC 5280 section 4.2.1.12
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(certificate.ca).toBe(false)
    expect(authority.ca).toBe(true)
    for (const { validFromDate, validToDate } of [certificate, authority]) {
      expect((validToDate.getTime() - validFromDate.getTime()) / 1000).toBeLessThanOrEqual(397 * day)
    }
  })

  it('the example’s certificate stays the same when the app starts again', async () => {
    const folder = await newFolder()

    const first = await openCertificates(folder, ['localhost', '192.0.2.7'], now)
    const second = await openCertificates(folder, ['localhost'], now + 300 * day)

    expect(second.server).toEqual(first.server)
    expect(second.authority.fingerprint256).toBe(first.authority.fingerprint256)
  })

  it('the example’s certificate is created again for another private address, by the trusted authority', async () => {
    const folder = await newFolder()
    const before = await openCertificates(folder, ['localhost', '192.168.1.7'], now)

    const after = await openCertificates(folder, ['localhost', '10.0.0.4'], now)

    expect(after.authority.fingerprint256).toBe(before.authority.fingerprint256)
    expect(new X509Certificate(after.server.certificate).checkIP('10.0.0.4')).toBe('10.0.0.4')
    expect(new X509Certificate(after.server.certificate).verify(before.authority.publicKey)).toBe(true)
  })

  inFullRun(
    'the example’s certificate and authority are created again for a name that the authority must not sign',
    async () => {
      const folder = await newFolder()
      const before = await openCertificates(folder, ['localhost'], now)

      const after = await openCertificates(folder, ['localhost', 'desk.local'], now)

      expect(after.authority.fingerprint256).not.toBe(before.authority.fingerprint256)
      expect(new X509Certificate(after.server.certificate).verify(after.authority.publicKey)).toBe(true)
    },
  )

  it('the example’s certificate and authority are created again before the authority expires', async () => {
    const folder = await newFolder()
    const before = await openCertificates(folder, ['localhost'], now)

    const later = now + 360 * day
    const after = await openCertificates(folder, ['localhost'], later)

    expect(after.authority.fingerprint256).not.toBe(before.authority.fingerprint256)
    expect(after.authority.subject).not.toBe(before.authority.subject)
    expect(new X509Certificate(after.server.certificate).verify(after.authority.publicKey)).toBe(true)
    expect(new X509Certificate(after.server.certificate).validToDate.getTime() / 1000).toBeGreaterThan(
      later + 300 * day,
    )
  })

  it('the example app stores certificate keys that only their owner can read', async () => {
    const folder = await newFolder()

    await openCertificates(folder, ['localhost'], now)

    for (const file of ['authority.json', 'server.json']) {
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600)
    }
    expect(await readFile(join(folder, 'authority.crt'), 'utf8')).not.toContain('PRIVATE')
  })

  it('the error about a damaged certificate file names the file, and the effect of deleting it', async () => {
    const folder = await newFolder()
    await openCertificates(folder, ['localhost'], now)
    await writeFile(join(folder, 'authority.json'), '{')

    await expect(openCertificates(folder, ['localhost'], now)).rejects.toThrow(
      /authority\.json is damaged\. Delete it; phones then/,
    )
  })
})

describe('a thief of the key of the authority', () => {
  const served = ['localhost', 'desk.local', '192.0.2.7', '192.168.1.7', '::1']

  async function stolen() {
    const folder = await newFolder()
    const { authority } = await openCertificates(folder, served, now)
    const key = KeyPair.parse(JSON.parse(await readFile(join(folder, 'authority.json'), 'utf8')))
    /** What a client says to a server that shows a certificate for this name. */
    const showing = async (name: string) => {
      const https = await serveSecurely(await issue(key, [name]))
      return handshake((https.address() as AddressInfo).port, name, authority)
    }
    return { showing }
  }

  inFullRun.each([...served, '10.9.8.7', 'fd00::7'])(
    'a thief of the authority’s key can impersonate the example: %s',
    async (name) => {
      const { showing } = await stolen()

      expect(await showing(name)).toBe('trusted')
    },
  )

  it.each(['bank.example', 'evil.local', '192.0.2.8', '8.8.8.8', '2001:db8::7'])(
    'a thief of the authority’s key can impersonate no other site: %s',
    async (name) => {
      const { showing } = await stolen()

      expect(await showing(name)).toBe('permitted subtree violation')
    },
  )
})

describe('the pages about the certificate', () => {
  async function arrange() {
    const { authority } = await openCertificates(await newFolder(), ['localhost'], now)
    return { authority, plain: request(createTrustPages(authority, 'https://192.0.2.7:3000', createPages())) }
  }

  it('the pages about the certificate serve it in the form that phones offer to install', async () => {
    const { authority, plain } = await arrange()

    const answer = await plain.get('/authority.crt').buffer(true).parse(wholeBody)

    expect(answer.headers['content-type']).toBe('application/x-x509-ca-cert')
    expect(answer.headers['content-disposition']).toBeUndefined()
    expect(Buffer.compare(answer.body as Buffer, authority.raw)).toBe(0)
  })

  it('the pages about the certificate explain what to turn on, and link to the app', async () => {
    const { authority, plain } = await arrange()

    const { text } = await plain.get('/trust')

    expect(text).toContain(authority.subject.replace('CN=', ''))
    expect(text).toContain('href="https://192.0.2.7:3000/"')
  })

  it('the pages about the certificate are the only pages without https', async () => {
    const { plain } = await arrange()

    const page = await plain.get('/sign-in')
    const form = await plain.post('/sign-in').type('form').send({ username: 'alice', password: 'correct horse' })

    expect([page.status, page.headers['location']]).toEqual([302, '/trust'])
    expect([form.status, form.headers['location']]).toEqual([302, '/trust'])
  })
})

function wholeBody(res: request.Response, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = []
  res.on('data', (chunk: Buffer) => void chunks.push(chunk))
  res.on('end', () => done(null, Buffer.concat(chunks)))
}
