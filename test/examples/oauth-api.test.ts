import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { startTestIssuer } from 'second-factor/testing'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { describeInFullRun } from '../support/full-run.ts'
import { startExample } from './start-example.ts'

const audience = 'https://api.example'

describeInFullRun('oauth-api.js', () => {
  it('oauth-api.js asks for a stronger and more recent sign-in where an action needs it', async () => {
    const issuer = await startTestIssuer()
    onTestFinished(() => issuer.close())
    const { url } = await startExample('oauth-api.js', { ISSUER: issuer.issuer, AUDIENCE: audience })
    const byPhone = await issuer.token({ aud: audience, acr: 'mfa' })
    const byPasskey = await issuer.token({ aud: audience, acr: 'phr', scope: 'pay' })
    const authorized = (token: string) => ({ Authorization: `Bearer ${token}` })
    const post = (path: string, token: string, body = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { ...authorized(token), 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })

    const accounts = await fetch(`${url}/accounts`, { headers: authorized(byPhone) })
    const refused = await post('/transfers', byPhone)
    const orders = [
      await post('/orders', byPhone, { total: 10 }),
      await post('/orders', byPhone, { total: 1001 }),
      await post('/orders', byPasskey, { total: 1001 }),
    ]

    expect(await accounts.json()).toEqual({ accounts: [], of: 'alice' })
    expect(refused.headers.get('WWW-Authenticate')).toContain('acr_values="phr", max_age="300"')
    expect(refused.headers.get('Access-Control-Expose-Headers')).toBe('WWW-Authenticate')
    expect((await post('/transfers', byPasskey)).status).toBe(200)
    expect((await post('/transfers', await issuer.token({ aud: audience, acr: 'phr' }))).status).toBe(403)
    expect(orders.map(({ status }) => status)).toEqual([200, 401, 200])
    expect((await fetch(`${url}/accounts`, { method: 'OPTIONS' })).status).toBe(204)
  })

  it('oauth-api.js runs without an authorization server, and prints tokens to try', async () => {
    const { url, stdout } = await startExample('oauth-api.js')
    const [, token] = /by passkey: (\S+)/.exec(stdout()) ?? []

    const { status } = await fetch(`${url}/transfers`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    })

    expect(status).toBe(200)
  })
})

describe('with-oauth.js', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('with-oauth.js leads to the authorization server with what the API asks for, and comes back with a token', async () => {
    const posted: URLSearchParams[] = []
    const seen: (string | undefined)[] = []
    const server = createServer((req, res) => {
      let body = ''
      req.on('data', (piece) => (body += piece))
      req.on('end', () => {
        if (req.url === '/token') {
          posted.push(new URLSearchParams(body))
          return res.end(JSON.stringify({ access_token: 'new' }))
        }
        seen.push(req.headers.authorization)
        const challenge = 'Bearer error="insufficient_user_authentication", acr_values="phr", max_age="300"'
        return res.writeHead(401, { 'WWW-Authenticate': challenge }).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const stored = new Map<string, string>()
    const left: string[] = []
    const place = { href: 'https://page.example/pay', search: '', assign: (url: string) => void left.push(url) }
    vi.stubGlobal('location', place)
    vi.stubGlobal('sessionStorage', {
      setItem: (name: string, value: string) => stored.set(name, value),
      getItem: (name: string) => stored.get(name) ?? null,
    })
    const { href } = new URL('../../examples/single-page-app/with-oauth.js', import.meta.url)
    const page = await import(href)
    Object.assign(page.settings, { tokenEndpoint: `${origin}/token` })

    await page.callApi(`${origin}/transfers`)
    const asked = new URL(left[0] ?? '').searchParams
    place.search = `?code=abc&state=${asked.get('state')}`
    const back = await page.finishSignIn()
    // Asked for the same once more, the page would go round in circles.
    await expect(page.callApi(`${origin}/transfers`)).rejects.toThrow('a sign-in that you do not have')

    expect([asked.get('acr_values'), asked.get('max_age'), asked.get('code_challenge_method')]).toEqual([
      'phr',
      '300',
      'S256',
    ])
    const digest = await crypto.subtle.digest(
      'SHA-256',
      new TextEncoder().encode(posted[0]?.get('code_verifier') ?? ''),
    )
    expect(asked.get('code_challenge')).toBe(Buffer.from(digest).toString('base64url'))
    expect([back, seen]).toEqual(['https://page.example/pay', ['Bearer undefined', 'Bearer new']])

    expect(left).toHaveLength(1)
    place.search = '?code=abc&state=planted'
    await expect(page.finishSignIn()).rejects.toThrow('was not started here')
    expect(page.stepUpIn('Bearer error="invalid_token"')).toBeUndefined()
  })
})
