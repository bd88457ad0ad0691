import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createService, consoleFor, embedded } from '../../../../src/service/index.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import { fetchWithHost } from '../../../support/fetch-with-host.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startService } from '../../start-service.ts'

const url = 'https://console.example'
const onConsole = { host: 'console.example' }

async function serveApp(app: express.Express): Promise<string> {
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => listening.close())
  return `http://127.0.0.1:${listening.port}`
}

async function start(console: { url: string; allowSharedOrigin?: boolean }) {
  const running = await startService({ console })
  onTestFinished(() => running.close())
  return running
}

const statusOf = async (address: string, headers: Record<string, string>): Promise<number> =>
  (await fetchWithHost(address, { headers })).status

describe('consoleFor()', () => {
  it.each([
    ['createService()', () => createService({ database: ':memory:', console: { url } })],
    ['embedded()', () => embedded({ database: ':memory:', console: { url } })],
  ])('consoleFor() serves the console of %s at any path of an app, for its own host', async (_what, open) => {
    const service = await open()
    onTestFinished(() => service.close())
    const app = express().use('/any/path', consoleFor(service))
    const at = await serveApp(app)

    expect(await statusOf(`${at}/any/path/api/admin/session`, onConsole)).toBe(401)
    expect(await statusOf(`${at}/any/path/api/admin/session`, {})).toBe(404)
  })

  it('consoleFor() redirects to the address with a slash', async () => {
    const service = await createService({ database: ':memory:', console: { url } })
    onTestFinished(() => service.close())
    const at = await serveApp(express().use('/admin/console', consoleFor(service)))

    const { status, headers } = await fetchWithHost(`${at}/admin/console?x=1`, { headers: onConsole })

    expect([status, headers.get('location')]).toEqual([302, '/admin/console/'])
  })

  it('consoleFor() says what a service without a console needs', async () => {
    const service = await createService({ database: ':memory:' })
    onTestFinished(() => service.close())

    expect(() => consoleFor(service)).toThrow(/the service has no option console/)
  })
})

describe('the address of the console', () => {
  it.each(['https://10.0.0.1', 'http://127.0.0.1:8787', 'https://[2001:db8::1]'])(
    'the address of the console must have a name, because browsers use no passkeys on %s',
    async (address) => {
      await expect(createService({ database: ':memory:', console: { url: address } })).rejects.toThrow(
        /must have a host name/,
      )
    },
  )

  it.each(['http://console.example', 'https://console.example/console', 'console.example'])(
    'the address of the console must be an origin with TLS, not %s',
    async (address) => {
      await expect(createService({ database: ':memory:', console: { url: address } })).rejects.toThrow(
        /must be an origin such as/,
      )
    },
  )

  it('the address of the console on this machine is localhost, where addresses by IP lead', async () => {
    const running = await start({ url: 'http://localhost:8787' })
    const ask = (host: string) => fetchWithHost(`${running.origin}/console/people?x=1`, { headers: { host } })

    const redirected = await ask('127.0.0.1:8787')

    expect([redirected.status, redirected.headers.get('location')]).toEqual([
      302,
      'http://localhost:8787/console/people?x=1',
    ])
    expect((await ask('127.0.0.1:9999')).status).toBe(404)
  })
})

describe('the host of the console', () => {
  const paths = ['/api/ping', '/authenticator/', '/docs', '/healthz', '/device/requests']

  it('the host of the console serves nothing else', async () => {
    const running = await start({ url })

    const statuses = await Promise.all(paths.map((path) => statusOf(running.origin + path, onConsole)))

    expect(statuses).toEqual(paths.map(() => 404))
  })

  inFullRun('the host of the console serves everything where that is allowed, which is logged once', async () => {
    const running = await start({ url, allowSharedOrigin: true })

    const statuses = await Promise.all(paths.map((path) => statusOf(running.origin + path, onConsole)))

    expect(statuses).not.toContain(404)
    expect(running.logged.filter(({ message }) => message.includes('the console shares its origin'))).toHaveLength(1)
  })

  it('the service does not warn of a shared console host on localhost, where only developers are', async () => {
    const running = await start({ url: 'http://localhost:8787', allowSharedOrigin: true })

    expect(running.logged.filter(({ message }) => message.includes('the console shares its origin'))).toEqual([])
  })
})

describe('a page of the console', () => {
  it('a page of the console may load nothing from other origins, and nothing may frame it', async () => {
    const running = await start({ url })

    const { headers } = await fetchWithHost(`${running.origin}/console/`, { headers: onConsole })

    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })
})
