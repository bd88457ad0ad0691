import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect as connectRaw } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { issue, openCertificates } from '../../example-app/https/certificate.ts'
import { KeyPair } from '../../example-app/https/key-pair.ts'
import { listen } from '../../src/service/engine/http/listen.ts'
import { serve } from '../processes/command.ts'
import { run } from './admin/run-command.ts'

const now = Math.floor(Date.now() / 1000)

let folder: string
let database: string
let authority: KeyPair
let files: { readonly cert: string; readonly key: string }

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-tls-'))
  database = join(folder, 'mfa.sqlite')
  files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  authority = await newAuthority()
  write(await issue(authority, ['127.0.0.1']))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function newAuthority(): Promise<KeyPair> {
  const place = mkdtempSync(join(folder, 'authority-'))
  await openCertificates(place, ['127.0.0.1'], now)
  return KeyPair.parse(JSON.parse(readFileSync(join(place, 'authority.json'), 'utf8')))
}

function write({ certificate, key }: KeyPair): void {
  writeFileSync(files.cert, certificate)
  writeFileSync(files.key, key)
}

async function served(...more: string[]) {
  const { json } = await run('init', '--database', database, '--json')
  const running = await serve(database, {}, ['--tls-cert', files.cert, '--tls-key', files.key, ...more])
  onTestFinished(() => running.kill())
  return { running, apiKey: String(json.apiKey), port: Number(new URL(running.origin).port) }
}

/** On a connection of its own, or of the agent. */
async function read(origin: string, agent: Agent | false = false, headers: Record<string, string> = {}) {
  const request = get(`${origin}/api/ping`, { agent, ca: authority.certificate, headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const { localPort } = response.socket
  const certificateFingerprint = (response.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256
  return { status: response.statusCode, body: await text(response), localPort, certificateFingerprint }
}

const fingerprint = ({ certificate }: KeyPair) => new X509Certificate(certificate).fingerprint256

/** The version of TLS that is agreed on, or why there is none. */
function handshake(port: number, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
    socket.once('secureConnect', () => (resolve(socket.getProtocol() ?? ''), socket.destroy()))
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

describe('serve with a certificate', () => {
  it('second-factor serve with a certificate serves HTTPS and prints an https address; metrics have no TLS', async () => {
    const { running, apiKey } = await served('--metrics-port', '0')
    const [, metrics = ''] = /metrics at (\S+)\)/.exec(running.stdout()) ?? []

    const ping = await read(running.origin, false, { authorization: `Service key="${apiKey}"` })

    expect(running.origin).toMatch(/^https:/)
    expect([ping.status, ping.body]).toEqual([200, '{"status":"OK"}'])
    expect(metrics).toMatch(/^http:/)
    expect((await fetch(metrics)).status).toBe(200)
    expect(await running.stop()).toBe(0)
  })

  it('second-factor serve rejects TLS before 1.2, even if Node allows it', async () => {
    await run('init', '--database', database)
    const args = ['--tls-cert', files.cert, '--tls-key', files.key]
    const running = await serve(
      database,
      { NODE_OPTIONS: '--tls-min-v1.0 --tls-cipher-list=DEFAULT:@SECLEVEL=0' },
      args,
    )
    onTestFinished(() => running.kill())
    const port = Number(new URL(running.origin).port)
    const old: ConnectionOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }

    const errorBefore = await handshake(port, old)
    running.signal('SIGHUP')
    await running.printed(/certificate reloaded/)
    const errorAfter = await handshake(port, old)

    expect([errorBefore, errorAfter]).toEqual([
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    ])
    expect(await handshake(port, { maxVersion: 'TLSv1.2' })).toBe('TLSv1.2')
  })

  it('second-factor serve loads a new certificate on SIGHUP without closing connections', async () => {
    const firstCertificate = await issue(authority, ['127.0.0.1'])
    write(firstCertificate)
    const { running } = await served()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const responseBefore = await read(running.origin, agent)

    const secondCertificate = await issue(authority, ['127.0.0.1'])
    write(secondCertificate)
    running.signal('SIGHUP')
    await running.printed(/certificate reloaded/)
    const keptResponse = await read(running.origin, agent)
    const newResponse = await read(running.origin)

    expect([responseBefore.certificateFingerprint, newResponse.certificateFingerprint]).toEqual([
      fingerprint(firstCertificate),
      fingerprint(secondCertificate),
    ])
    expect(keptResponse.localPort).toBe(responseBefore.localPort)
    expect([responseBefore.status, keptResponse.status, newResponse.status]).toEqual([401, 401, 401])
  })

  it('second-factor serve keeps the previous certificate when the new one is unusable, and logs an error', async () => {
    const { running } = await served()
    const responseBefore = await read(running.origin)
    const outcomes: { certificateFingerprint: string | undefined; option: string | undefined }[] = []

    // Empty, cut off, and of another key.
    for (const spoilt of ['', '-----BEGIN CERTIFICATE-----\n', (await newAuthority()).certificate]) {
      const logged = running.stderr().length
      writeFileSync(files.cert, spoilt)
      running.signal('SIGHUP')
      await expect.poll(() => running.stderr().slice(logged)).toMatch(/the previous certificate stays in use.*\n/)
      const { certificateFingerprint } = await read(running.origin)
      outcomes.push({ certificateFingerprint, option: /--tls-\w+/.exec(running.stderr().slice(logged))?.[0] })
    }

    const { certificateFingerprint } = responseBefore
    expect(outcomes).toEqual(
      ['--tls-cert', '--tls-cert', '--tls-key'].map((option) => ({ certificateFingerprint, option })),
    )
  })

  it.each([
    ['a key without a certificate', () => ['--tls-key', files.key], 2, '--tls-key also requires --tls-cert'],
    ['a certificate without a key', () => ['--tls-cert', files.cert], 2, '--tls-cert also requires --tls-key'],
    ['a file that is missing', () => ['--tls-cert', 'none.pem', '--tls-key', files.key], 1, "can't read none.pem"],
    ['a key in the place of the certificate', () => ['--tls-cert', files.key, '--tls-key', files.key], 1, '--tls-cert'],
    [
      'a certificate in the place of the key',
      () => ['--tls-cert', files.cert, '--tls-key', files.cert],
      1,
      '--tls-key',
    ],
  ])('second-factor serve refuses %s and says what is wrong', async (_, args, expected, message) => {
    await run('init', '--database', database)

    const { code, stderr } = await run('serve', '--database', database, '--port', '0', ...args())

    expect(code).toBe(expected)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('PRIVATE KEY')
  })
})

describe('a server that speaks TLS', () => {
  it('a TLS server finishes a request while it closes', async () => {
    const { certificate, key } = await issue(authority, ['127.0.0.1'])
    const tls = { cert: Buffer.from(certificate), key: Buffer.from(key) }
    const receivedResponse = Promise.withResolvers<ServerResponse>()
    const options = { host: '127.0.0.1', port: 0, tls, timeouts: { firstRequest: 0 } }
    const listening = await listen((_req, res) => receivedResponse.resolve(res), options)
    const answer = read(`https://127.0.0.1:${listening.port}`)
    const response = await receivedResponse.promise
    const silent = connectRaw(listening.port, '127.0.0.1')
    await once(silent, 'connect')

    const closed = listening.close()
    // By then, every connection that has asked for nothing is closed.
    await once(silent, 'close')
    response.end('late')

    expect((await answer).body).toBe('late')
    await closed
  })

  it('a closing TLS server closes connections without a handshake', async () => {
    const { certificate, key } = await issue(authority, ['127.0.0.1'])
    const tls = { cert: Buffer.from(certificate), key: Buffer.from(key) }
    const timeouts = { firstRequest: 10 }
    const listening = await listen((_req, res) => res.end(), { host: '127.0.0.1', port: 0, tls, timeouts })
    const silent = connectRaw(listening.port, '127.0.0.1')
    await once(silent, 'connect')
    const secured = connect({ port: listening.port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(secured, 'secureConnect')

    const ended = Promise.all([once(silent, 'close'), once(secured, 'close')])
    await listening.close()
    await ended

    expect([silent.destroyed, secured.destroyed]).toEqual([true, true])
  })

  it('a closing TLS server closes connections whose handshake ends after closing has begun', async () => {
    const { certificate, key } = await issue(authority, ['127.0.0.1'])
    const tls = { cert: Buffer.from(certificate), key: Buffer.from(key) }
    const timeouts = { firstRequest: 1_000 }
    const listening = await listen((_req, res) => res.end(), { host: '127.0.0.1', port: 0, tls, timeouts })
    const socket = connectRaw(listening.port, '127.0.0.1')
    await once(socket, 'connect')
    // By then the server has accepted the one before, too.
    const secured = connect({ port: listening.port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(secured, 'secureConnect')

    const began = performance.now()
    const closed = listening.close()
    const late = connect({ socket, rejectUnauthorized: false })
    await once(late, 'secureConnect')
    await closed

    // All others are closed after 15 seconds.
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})
