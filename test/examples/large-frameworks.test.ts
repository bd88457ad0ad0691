import { join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startExample } from './start-example.ts'

const imported = ['stand-ins/register.ts', 'movable-clock.ts'].map(
  (file) => `--import=${join(import.meta.dirname, file)}`,
)
const env = { NODE_ENV: 'test', NODE_OPTIONS: imported.join(' ') }
const [next, adminjs] = await Promise.all([
  startExample('next/server.js', env, { until: afterAll }),
  startExample('adminjs/server.js', env, { until: afterAll }),
])

describe('the recipe of Next.js', () => {
  it('the recipe of Next.js passes nothing on before the second step, and what its components ask for is about this request', async () => {
    const browser = next.browser()
    const router = { rsc: '1', accept: '*/*', 'sec-fetch-mode': 'cors' }
    expect((await browser.visit('/')).path).toBe('/login')
    await next.signIn(browser, 'alice')
    expect((await browser.open('/?_rsc=1', router)).status).toBe(403)
    expect((await browser.open('/?_rsc=1', { ...router, 'next-router-prefetch': '1' })).status).toBe(403)
    expect((await browser.submit('/', {}, { 'next-action': '0' })).headers['location']).toBe('/mfa')
    expect((await browser.fetch('/api/me')).status).toBe(403)
    expect((await browser.open('/_next/static/script.js')).text).toBe('Next shows /_next/static/script.js')

    await next.passSecondStep(browser)

    expect((await browser.open('/')).text).toBe('Next shows /')
    expect((await browser.fetch('/api/me')).body).toEqual({ factor: 'push' })
  })

  inFullRun('the recipe of Next.js asks again for a transfer after five minutes', async () => {
    const browser = next.browser()
    await next.signIn(browser, 'bob')
    await next.passSecondStep(browser)
    expect((await browser.open('/transfer')).text).toBe('Next shows /transfer')

    await next.moveClock()

    expect((await browser.open('/transfer')).headers['location']).toBe('/mfa')
    expect((await browser.open('/')).text).toBe('Next shows /')
  })
})

describeInFullRun('the recipe of AdminJS', () => {
  const api = '/admin/api/resources/notes'
  const asScript = { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' }
  async function logIn(email: string) {
    const browser = adminjs.browser()
    await browser.submit('/admin/login', { email, password: 'secret' })
    return browser
  }

  it('the recipe of AdminJS shows its login to everybody, and nothing else before the second step', async () => {
    expect((await adminjs.browser().visit('/admin')).path).toBe('/admin/login')
    const browser = await logIn('alice@example.com')
    expect((await browser.open('/admin')).headers['location']).toBe('/mfa')
    expect((await browser.fetch(`${api}/actions/list`)).status).toBe(403)

    await adminjs.passSecondStep(browser, '/admin')

    expect((await browser.open('/admin')).text).toContain('<script src="/second-step.js">')
    expect((await browser.fetch(`${api}/actions/list`)).body).toEqual([
      { params: { id: '1', text: 'Water the plants' } },
    ])
  })

  it('the recipe of AdminJS asks again for each change after five minutes, whatever its method, and for nothing that is read', async () => {
    const browser = await logIn('ben@example.com')
    await adminjs.passSecondStep(browser, '/admin')
    await adminjs.moveClock()
    for (const method of ['POST', 'HEAD', 'PUT']) {
      expect((await browser.send(method, `${api}/records/1/delete`, asScript)).status).toBe(403)
    }

    const read = await browser.fetch(`${api}/actions/list`)

    expect(read.body).toEqual([{ params: { id: '1', text: 'Water the plants' } }])
    expect((await browser.open('/admin/logout')).headers['location']).toBe('/admin/login')
    expect((await browser.visit('/admin')).path).toBe('/admin/login')
  })
})
