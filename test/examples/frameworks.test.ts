import { afterAll, describe, expect, it } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startExample } from './start-example.ts'

const until = { until: afterAll }
const [koa, fastify, nodeHttp, graphql] = await Promise.all([
  startExample('koa.js', {}, until),
  startExample('fastify.js', {}, until),
  startExample('node-http.js', {}, until),
  startExample('graphql.js', {}, until),
])

describeInFullRun.each([
  ['koa.js', koa],
  ['fastify.js', fastify],
  ['node-http.js', nodeHttp],
])('%s', (name, example) => {
  it(`${name} lets only verified users reach the handlers of the framework, and asks again where a route needs it`, async () => {
    const browser = example.browser()
    expect((await browser.visit('/')).path).toBe('/login')
    await example.signIn(browser, 'alice')
    expect((await browser.fetch('/')).status).toBe(403)
    expect((await browser.submit('/transfer', { amount: '1' })).headers['location']).toBe('/mfa')

    await example.passSecondStep(browser)

    expect((await browser.open('/')).text).toContain('<p>You passed by push.</p>')
    expect((await browser.open('/transfer')).status).toBe(200)
    await browser.submit('/mfa/sign-out')
    expect((await browser.visit('/')).path).toBe('/login')
  })
})

describe('graphql.js', () => {
  const required = { extensions: { code: 'MFA_REQUIRED', challenge: '/mfa' } }
  const signInRequired = { extensions: { code: 'SIGN_IN_REQUIRED' } }
  const logIn = 'login(username: "alice", password: "secret")'

  async function send(query: string, { cookie = '', ...more }: { cookie?: string; operationName?: string } = {}) {
    const answer = await fetch(`${graphql.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ query, ...more }),
    })
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(answer.headers.getSetCookie()[0] ?? '') ?? []
    const { data, errors } = (await answer.json()) as { data?: Record<string, unknown>; errors?: unknown }
    return { data, errors, cookie: [name, value] as const }
  }

  inFullRun('graphql.js answers public fields, and all others only once the second step was passed', async () => {
    const { data, cookie } = await send(`mutation { ${logIn} }`)
    expect(data).toEqual({ login: true })
    const browser = createBrowser(graphql.url, new Map([cookie]))
    const ask = () => send('query { me accounts }', { cookie: browser.cookies() })
    expect(await ask()).toMatchObject({ data: { me: 'alice', accounts: null }, errors: [required] })

    await graphql.passSecondStep(browser)

    expect(await ask()).toMatchObject({ data: { me: 'alice', accounts: ['4711', '4712'] }, errors: undefined })
    const other = 'login(username: "bob", password: "secret")'
    const asBob = await send(`mutation { transfer(amount: 1) ${other} again: transfer(amount: 2) }`, {
      cookie: browser.cookies(),
    })
    expect(asBob).toMatchObject({ data: null, errors: [{ ...required, path: ['again'] }] })
  })

  inFullRun.each<[string, string, string?]>([
    ['the name of the operation', 'query Login { accounts }', 'Login'],
    ['an alias', 'query { me: accounts }'],
    ['a fragment', '{ ...All } fragment All on Query { accounts }'],
    ['a directive', 'query { me accounts @include(if: true) }'],
    ['another operation of the document', 'query A { me } query B { accounts }', 'B'],
    ['a login in the same document', `mutation { ${logIn} transfer(amount: 1) }`],
  ])('graphql.js decides by fields, whatever %s says', async (_, query, operationName) => {
    const { data, errors } = await send(query, operationName === undefined ? {} : { operationName })

    expect(errors).toMatchObject([query.includes('login') ? required : signInRequired])
    expect(JSON.stringify(data)).not.toMatch(/4711|"transfer":true/)
  })

  it('graphql.js takes no operation from the address, and no batch', async () => {
    const byAddress = await fetch(`${graphql.url}/graphql?query={accounts}`)
    const batch = await fetch(`${graphql.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ query: '{ accounts }' }]),
    })

    expect(byAddress.status).toBe(404)
    expect(await batch.text()).not.toContain('4711')
  })
})
