import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inFullRun } from '../../../support/full-run.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

describe('the authenticator', () => {
  it('the authenticator is served with a policy that allows no other origin, no framing and no caching', async () => {
    const response = await fetch(`${running.origin}/authenticator/`)

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('x-powered-by')).toBeNull()
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
  })

  it.each([
    ['/authenticator/?again=', '/authenticator/'],
    ['/authenticator/index.html?again=', '/authenticator/index.html'],
    ['/authenticator/https:evil.example?again=', '/authenticator/https:evil.example'],
    ['/authenticator//evil.example?again=', '/authenticator//evil.example'],
  ])('the address %s, which loads a page again, leads back to the same page', async (path, target) => {
    const response = await fetch(running.origin + path, { redirect: 'manual' })

    expect([response.status, response.headers.get('cache-control')]).toEqual([303, 'no-store'])
    expect(new URL(response.headers.get('location') ?? '', running.origin + path).href).toBe(running.origin + target)
  })

  inFullRun('the authenticator’s scripts, whose names contain a hash, are cached forever', async () => {
    const page = await (await fetch(`${running.origin}/authenticator/`)).text()
    const asset = /assets\/[^"]+\.js/.exec(page)?.[0] ?? ''

    const response = await fetch(`${running.origin}/authenticator/${asset}`)

    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  it.each(['br', 'gzip', 'identity'])(
    'the authenticator has a service worker that browsers always revalidate, as %s',
    async (encoding) => {
      const response = await fetch(`${running.origin}/authenticator/sw.js`, {
        headers: { 'accept-encoding': encoding },
      })

      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache'])
      expect(await response.text()).toContain("addEventListener('fetch'")
    },
  )

  it.each([
    '/authenticator/unknown',
    '/authenticator/%2e%2e/%2e%2e/package.json',
    '/authenticator/..%2f..%2fpackage.json',
  ])('the authenticator has no file at %s', async (path) => {
    const response = await fetch(running.origin + path)

    expect([403, 404]).toContain(response.status)
    expect(await response.text()).not.toContain('second-factor')
  })

  it('the authenticator and the device routes send no CORS headers to other sites', async () => {
    const headers = { origin: 'http://evil.example' }
    const responses = await Promise.all(
      ['/authenticator/', '/device/requests'].map((path) => fetch(running.origin + path, { headers })),
    )

    expect(responses.map((response) => response.headers.get('access-control-allow-origin'))).toEqual([null, null])
  })
})

describe('a script of the authenticator', () => {
  /** As it is on the wire: `fetch` would decode it. */
  async function load(accepted: string | undefined, { method = 'GET', headers = {} } = {}) {
    const page = await (await fetch(`${running.origin}/authenticator/`)).text()
    const url = `${running.origin}/authenticator/${/assets\/[^"]+\.js/.exec(page)?.[0]}`
    const clientRequest = request(url, {
      method,
      headers: { ...headers, ...(accepted !== undefined && { 'accept-encoding': accepted }) },
    })
    const [response] = (await once(clientRequest.end(), 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(await response.toArray()) }
  }
  const encodingFor = async (accepted?: string) => (await load(accepted)).headers['content-encoding']

  inFullRun.each([
    ['br', 'br, gzip, deflate, zstd'],
    ['br', 'gzip;q=1.0, BR'],
    ['br', '*'],
    ['gzip', 'gzip'],
    ['gzip', 'gzip, br;q=0.9'],
    ['gzip', '*, br;q=0'],
    [undefined, undefined],
    [undefined, ''],
    [undefined, 'identity, br;q=0.5'],
    [undefined, 'br;q=0, gzip;q=0.000'],
    [undefined, '*;q=0'],
    [undefined, 'deflate, brotli, gzipped'],
  ])('an authenticator script is sent as %s for Accept-Encoding: %s', async (encoding, accepted) => {
    expect(await encodingFor(accepted)).toBe(encoding)
  })

  inFullRun(
    'an authenticator script has the same content and type in each encoding, and an ETag for each',
    async () => {
      const [plain, brotli, gzip] = [await load(undefined), await load('br'), await load('gzip')]

      expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true)
      expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true)
      const all = [plain, brotli, gzip].map(({ headers }) => headers)
      expect(new Set(all.map(({ etag }) => etag)).size).toBe(3)
      for (const headers of all) {
        expect(headers).toMatchObject({
          vary: 'Accept-Encoding',
          'content-type': 'text/javascript; charset=utf-8',
          'cache-control': 'public, max-age=31536000, immutable',
        })
      }
    },
  )

  it('an authenticator script has 50 kB at most on the wire', async () => {
    const { bytes, headers } = await load('gzip, br')

    expect(bytes.length).toBe(Number(headers['content-length']))
    expect(bytes.length).toBeLessThanOrEqual(50_000)
  })

  inFullRun.each([
    ['br', 'gzip'],
    ['gzip', undefined],
    [undefined, 'br'],
  ])(
    'an authenticator script answers HEAD and conditional requests in the same encoding: %s',
    async (encoding, another) => {
      const whole = await load(encoding)
      const head = await load(encoding, { method: 'HEAD' })
      const notModified = await load(encoding, { headers: { 'if-none-match': whole.headers.etag } })
      const other = await load(another, { headers: { 'if-none-match': whole.headers.etag } })

      expect([head.headers['content-length'], head.bytes.length]).toEqual([whole.headers['content-length'], 0])
      expect([notModified.status, notModified.headers.vary, other.status]).toEqual([304, 'Accept-Encoding', 200])
    },
  )
})

describe('the device routes', () => {
  it('the device routes know their paths and methods', async () => {
    const unknown = await fetch(`${running.origin}/device/unknown`)
    const method = await fetch(`${running.origin}/device/preview`)

    expect(unknown.status).toBe(404)
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})
