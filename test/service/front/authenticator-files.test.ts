import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startService } from '../start-service.ts'
import type { Running } from '../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

describe('the authenticator', () => {
  it('is served with a policy that allows no other origin, no framing and no caching', async () => {
    const response = await fetch(`${running.origin}/authenticator/`)

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('x-powered-by')).toBeNull()
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
  })

  it('has files whose names change with their content, which are cached forever', async () => {
    const page = await (await fetch(`${running.origin}/authenticator/`)).text()
    const asset = /assets\/[^"]+\.js/.exec(page)?.[0] ?? ''

    const response = await fetch(`${running.origin}/authenticator/${asset}`)

    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  it('has a service worker that browsers always revalidate', async () => {
    const response = await fetch(`${running.origin}/authenticator/sw.js`)

    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache'])
  })

  it.each([
    '/authenticator/unknown',
    '/authenticator/%2e%2e/%2e%2e/package.json',
    '/authenticator/..%2f..%2fpackage.json',
  ])('has no %s', async (path) => {
    const response = await fetch(running.origin + path)

    expect([403, 404]).toContain(response.status)
    expect(await response.text()).not.toContain('second-factor')
  })

  it('sends no CORS headers to other sites', async () => {
    const headers = { origin: 'http://evil.example' }
    const responses = await Promise.all(
      ['/authenticator/', '/device/requests'].map((path) => fetch(running.origin + path, { headers })),
    )

    expect(responses.map((response) => response.headers.get('access-control-allow-origin'))).toEqual([null, null])
  })
})

describe('the device routes', () => {
  it('know their paths and methods', async () => {
    const unknown = await fetch(`${running.origin}/device/unknown`)
    const method = await fetch(`${running.origin}/device/preview`)

    expect(unknown.status).toBe(404)
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})
