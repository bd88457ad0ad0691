import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createExampleApp } from '../../example-app/app.ts'
import { quickHash } from '../service/start-service.ts'

const alice = { username: 'alice', name: 'Alice', email: 'alice@example.com', password: 'correct horse' }

/** No service listens there, so users who are signed in cannot continue. */
const unreachable = {
  MFA_BASE_URL: 'http://127.0.0.1:9/api',
  MFA_API_KEY: 'k'.repeat(64),
  MFA_DOMAIN_ID: 'd'.repeat(40),
  MFA_AUTHENTICATOR_URL: 'https://mfa.example',
}

beforeEach(() => Object.entries(unreachable).forEach(([name, value]) => vi.stubEnv(name, value)))
afterEach(() => vi.unstubAllEnvs())

function arrange() {
  const { app } = createExampleApp({
    database: ':memory:',
    sessionSecret: 'for this test alone',
    publicUrl: 'http://localhost:3000',
    passwordCost: quickHash,
  })
  const browser = request.agent(app).set('Sec-Fetch-Site', 'same-origin')
  const submit = (path: string, values: object) => browser.post(path).type('form').send(values)
  return { app, browser, submit }
}

describe('the example app', () => {
  it('the example app leads from a new account to the sign-in page with the username filled in', async () => {
    const { browser, submit } = arrange()

    const created = await submit('/sign-up', alice)
    const page = await browser.get(created.headers['location']!)

    expect(created.status).toBe(303)
    expect(page.text).toContain('Your account is ready')
    expect(page.text).toContain('value="alice"')
  })

  it('the example app shows form errors and the typed values, but not the password', async () => {
    const { submit } = arrange()

    const answer = await submit('/sign-up', { ...alice, email: 'not an address', password: 'a secret of mine' })

    expect(answer.status).toBe(422)
    expect(answer.text).toContain('Enter an e-mail address')
    expect(answer.text).toContain('value="not an address"')
    expect(answer.text).not.toContain('a secret of mine')
  })

  it('the example app shows typed values as text, never as markup', async () => {
    const { submit } = arrange()

    const answer = await submit('/sign-up', { ...alice, username: '"><script>alert(1)</script>' })

    expect(answer.text).not.toContain('<script>')
    expect(answer.text).toContain('&lt;script&gt;')
  })

  it('the example app gives the same response for a wrong password and an unknown username', async () => {
    const { submit } = arrange()
    await submit('/sign-up', alice)

    const wrong = await submit('/sign-in', { username: 'alice', password: 'wrong horse' })
    const unknown = await submit('/sign-in', { username: 'bobby', password: 'wrong horse' })

    expect(wrong.status).toBe(401)
    expect(unknown.status).toBe(401)
    expect(unknown.text.replace('bobby', 'alice')).toBe(wrong.text)
  })

  it('the example app returns to the requested page after signing in', async () => {
    const { browser, submit } = arrange()
    await submit('/sign-up', alice)

    const guarded = await browser.get('/danger-zone')
    const signedIn = await submit('/sign-in', { ...alice, next: '/danger-zone' })

    expect(guarded.headers['location']).toBe('/sign-in?next=%2Fdanger-zone')
    expect(signedIn.headers['location']).toBe('/danger-zone')
  })

  it('the example app never redirects to another site after signing in', async () => {
    const { submit } = arrange()
    await submit('/sign-up', alice)

    const signedIn = await submit('/sign-in', { ...alice, next: '//evil.example' })

    expect(signedIn.headers['location']).toBe('/account')
  })

  it('the example app starts a new web session at sign-in', async () => {
    const { submit } = arrange()
    await submit('/sign-up', alice)

    const first = await submit('/sign-in', alice)
    await submit('/logout', {})
    const second = await submit('/sign-in', alice)

    expect(first.headers['set-cookie']).toBeDefined()
    expect(second.headers['set-cookie']).not.toEqual(first.headers['set-cookie'])
  })

  it.each([
    ['of another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['of a sibling domain', { 'Sec-Fetch-Site': 'same-site' }],
    ['of another origin, from an old browser', { Origin: 'http://evil.example' }],
    ['of a hidden origin', { Origin: 'null' }],
    ['that does not say where it comes from', {}],
  ])('the example app rejects a form %s', async (_what, headers) => {
    const { app } = arrange()

    const answer = await request(app).post('/sign-up').set(headers).type('form').send(alice)

    expect(answer.status).toBe(403)
  })

  it('the example app accepts its own form from a browser too old for Sec-Fetch-Site', async () => {
    const { app } = arrange()

    const answer = await request(app).post('/sign-up').set('Origin', 'http://localhost:3000').type('form').send(alice)

    expect(answer.status).toBe(303)
  })

  it('the example app shows no page when the second step cannot be checked', async () => {
    const { browser, submit } = arrange()
    await submit('/sign-up', alice)
    await submit('/sign-in', alice)

    const account = await browser.get('/account').redirects(1)
    const danger = await submit('/danger-zone', { password: 'battery staple' })

    expect(account.text).not.toContain('alice@example.com')
    expect(danger.status).not.toBe(200)
    expect(danger.headers['location']).not.toBe('/danger-zone?changed')
  })

  it('the example app forbids scripts, foreign resources and frames on its pages', async () => {
    const { browser } = arrange()

    const { headers } = await browser.get('/')

    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['cache-control']).toBe('no-store')
  })

  it('the example app reveals no details when a request cannot be parsed', async () => {
    const { submit } = arrange()

    const answer = await submit('/sign-up', { ...alice, name: 'x'.repeat(20_000) })

    expect(answer.status).toBe(413)
    expect(answer.text).not.toContain('PayloadTooLargeError')
  })
})
