import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import express from 'express'
import express4 from 'express4'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createService, embedded } from '../../src/service/index.ts'
import type { ServiceHandle } from '../../src/service-handle.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { createCall } from './start-service.ts'

const keys = `k1:${Buffer.alloc(32, 1).toString('base64')}`

let folder: string
let handles: ServiceHandle[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-embedded-'))
  handles = []
})
afterEach(async () => {
  await Promise.all(handles.map((handle) => handle.close()))
  rmSync(folder, { recursive: true })
})

function embed(options: Partial<Parameters<typeof embedded>[0]> = {}): ServiceHandle {
  const handle = embedded({ database: ':memory:', ...options })
  handles.push(handle)
  return handle
}

/** Calls it as its client does. */
async function callOf(handle: ServiceHandle, key?: string) {
  const { baseUrl, apiKey, fetch: send } = await handle.connect()
  return createCall(new URL(baseUrl).origin, key ?? apiKey, send)
}

describe('an embedded service', () => {
  it('an embedded service is called in its own process, and listens on no port', async () => {
    const listeners = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length
    const before = listeners()
    const handle = embed({ organization: 'Example', domain: 'Shop' })
    const { domainId } = await handle.connect()
    const call = await callOf(handle)

    const domain = await call('GET', `/domains/${domainId}`)

    expect(listeners()).toBe(before)
    expect(domain.json).toMatchObject({ id: domainId, name: 'Shop' })
    expect((await call('GET', '/organization')).json).toEqual({ name: 'Example' })
  })

  it('an embedded service is identified by its database and its names, before it is opened and without a password', () => {
    const at = (database: string, domain = 'Shop') => embed({ database, domain, keys }).id
    const file = join(folder, 'mfa.sqlite')

    expect(at(file)).toBe(at(file))
    expect(at('postgres://mfa:one@127.0.0.1/mfa')).toBe(at('postgres://mfa:two@127.0.0.1/mfa?password=three'))
    expect(
      new Set([at(file), at(file, 'Office'), at(join(folder, 'other.sqlite')), at(':memory:'), at(':memory:')]).size,
    ).toBe(5)
  })

  it('an embedded service is opened once when several callers ask at the same time', async () => {
    const handle = embed()

    const connections = await Promise.all(Array.from({ length: 8 }, () => handle.connect()))

    expect(new Set(connections).size).toBe(1)
  })

  inFullRun(
    'an embedded service keeps its organization and domain when it is opened again, even several times at once',
    async () => {
      const database = join(folder, 'mfa.sqlite')
      const several = Array.from({ length: 4 }, () => embed({ database }))

      const connections = await Promise.all(several.map((handle) => handle.connect()))
      await several[0]!.close()
      const later = await embed({ database }).connect()

      expect(new Set([...connections, later].map((connection) => connection.domainId)).size).toBe(1)
    },
  )

  inFullRun('an embedded service can be opened after a failed attempt', async () => {
    const database = join(folder, 'file', 'mfa.sqlite')
    writeFileSync(join(folder, 'file'), 'in the way')
    const handle = embed({ database })

    await expect(handle.connect()).rejects.toThrow(/EEXIST|ENOTDIR/)
    rmSync(join(folder, 'file'))

    expect((await handle.connect()).domainId).toMatch(/^[0-9a-f]{40}$/)
  })

  it('an embedded service that cannot be opened returns 503 to devices, and does not affect the rest of the app', async () => {
    writeFileSync(join(folder, 'file'), 'in the way')
    const handle = embed({ database: join(folder, 'file', 'mfa.sqlite') })
    const app = express().use(handle.routes, (_req, res) => void res.end('the app'))
    const server = createServer(app).listen(0, '127.0.0.1')
    await new Promise((resolve) => void server.once('listening', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

    const device = await fetch(`${origin}/device/requests`)
    const other = await fetch(`${origin}/devices`)
    server.close()

    expect(device.status).toBe(503)
    expect(await device.json()).toMatchObject({ errors: [{ code: 'api.error.unavailable' }] })
    expect(await other.text()).toBe('the app')
  })

  it('an embedded service closes, and does not reopen', async () => {
    const handle = embed()
    const call = await callOf(handle)

    await handle.close()

    await expect(call('GET', '/ping')).rejects.toThrow('The service is closing.')
    await expect(handle.connect()).rejects.toThrow('closed')
  })

  it('embedded() rejects invalid options immediately', () => {
    expect(() => embedded({ database: '' })).toThrow(TypeError)
    expect(() => embedded({ database: ':memory:', domian: 'x' } as never)).toThrow('domian')
  })
})

describe('a call inside an embedded service', () => {
  it('a call inside an embedded service is rejected with every key except its own', async () => {
    const database = join(folder, 'mfa.sqlite')
    const [first, second] = [embed({ database }), embed({ database })]
    const other = await second.connect()
    const service = await createService({ database })
    const { id } = await service.administration.createOrganization('Other')
    const stored = await service.administration.createApiKey(id)
    await service.close()

    const answers = await Promise.all(
      [other.apiKey, stored].map(async (key) => (await callOf(first, key))('GET', '/ping')),
    )

    expect(answers.map((answer) => answer.status)).toEqual([401, 401])
  })

  inFullRun('a call inside an embedded service has a key that is not stored in the database', async () => {
    const database = join(folder, 'mfa.sqlite')
    const { apiKey } = await embed({ database }).connect()
    const service = await createService({ database })
    const server = createServer(service.listener).listen(0, '127.0.0.1')
    await new Promise((resolve) => void server.once('listening', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

    const answer = await createCall(origin, apiKey)('GET', '/ping')
    server.close()
    await service.close()

    expect(answer.status).toBe(401)
  })

  it('a call inside an embedded service cannot be sent over a network: its address does not exist', async () => {
    const { baseUrl } = await embed().connect()

    expect(new URL(baseUrl).hostname).toMatch(/\.invalid$/)
    await expect(fetch(`${baseUrl}/ping`)).rejects.toThrow('fetch failed')
  })

  it.each(['/', '/device/requests', '/authenticator/', '/healthz', '/docs', '/api', '//elsewhere.example/api/ping'])(
    'a call inside an embedded service reaches only the REST interface: %s',
    async (path) => {
      const { baseUrl, fetch: send = fetch } = await embed().connect()

      await expect(send(new URL(path, baseUrl))).rejects.toThrow('Only addresses below')
    },
  )
})

describeInFullRun.each([
  ['Express 5', express],
  ['Express 4', express4],
])('the public routes of an embedded service on %s', (_name, framework) => {
  async function mounted(use: (app: express.Express, handle: ServiceHandle) => void) {
    const app = framework()
    const handle = embed()
    use(app, handle)
    app.use((_req, res) => void res.status(418).end())
    const server = createServer(app).listen(0, '127.0.0.1')
    await new Promise((resolve) => void server.once('listening', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { origin, close: () => server.close() }
  }

  it('the public routes of an embedded service open it on demand, work below any path, and pass on other requests', async () => {
    const { origin, close } = await mounted((app, handle) => app.use('/mfa', handle.routes))

    const device = await fetch(`${origin}/mfa/device/requests`)
    const redirect = await fetch(`${origin}/mfa/authenticator`, { redirect: 'manual' })
    const page = await fetch(`${origin}/mfa/authenticator/`)
    const otherAnswers = await Promise.all(
      ['/mfa', '/mfa/other', '/mfa/api/ping', '/device/requests'].map((path) => fetch(origin + path)),
    )
    close()

    expect(device.status).toBe(401)
    expect(new URL(redirect.headers.get('location') ?? '', redirect.url).pathname).toBe('/mfa/authenticator/')
    expect(page.status).toBe(200)
    expect(otherAnswers.map((other) => other.status)).toEqual([418, 418, 418, 418])
  })

  it('the public routes of an embedded service read previews even if the app has already parsed the body', async () => {
    const { origin, close } = await mounted((app, handle) => {
      app.use(framework.json(), framework.urlencoded({ extended: false }), framework.text({ type: '*/*' }))
      app.use(handle.routes)
    })

    const answers = await Promise.all(
      ['application/json', 'text/plain'].map((type) =>
        fetch(`${origin}/device/preview`, {
          method: 'POST',
          headers: { 'content-type': type },
          body: JSON.stringify({ code: 'aaaaaaaaaa' }),
        }),
      ),
    )
    close()

    expect(answers.map((answer) => answer.status)).toEqual([404, 404])
  })
})
