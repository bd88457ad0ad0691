import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { run } from '../cli/admin/run-command.ts'
import { serve } from '../processes/command.ts'
import { describeInFullRun } from '../support/full-run.ts'
import { startExample } from './start-example.ts'

describe('csrf-and-helmet.js', () => {
  it('csrf-and-helmet.js protects the app’s forms, and signs users in and out through the pages of mfa()', async () => {
    const example = await startExample('csrf-and-helmet.js')
    const browser = example.browser()
    const token = async (path: string) =>
      /name="_csrf" value="([^"]+)"/.exec((await browser.open(path)).text)?.[1] ?? ''
    const alice = { username: 'alice', password: 'secret' }

    expect((await browser.submit('/login', alice)).status).toBe(403)
    await browser.submit('/login', { ...alice, _csrf: await token('/login') })
    await example.passSecondStep(browser)
    expect((await browser.submit('/logout')).status).toBe(403)
    expect((await browser.open('/')).text).toContain('Hello, Alice')

    await browser.submit('/mfa/sign-out')
    expect((await browser.visit('/')).path).toBe('/login')
  })
})

describeInFullRun('hosted-service.js', () => {
  it('hosted-service.js uses the service named by the environment', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'service-'))
    const database = join(folder, 'mfa.sqlite')
    const { apiKey, domainId } = (await run('init', '--database', database, '--json')).json
    const service = await serve(database)
    onTestFinished(async () => {
      await service.stop()
      await rm(folder, { recursive: true })
    })
    const env = {
      MFA_BASE_URL: `${service.origin}/api`,
      MFA_AUTHENTICATOR_URL: service.origin,
      MFA_API_KEY: apiKey,
      MFA_DOMAIN_ID: domainId,
    }
    const example = await startExample('hosted-service.js', env)
    const browser = example.browser()
    await example.signIn(browser, 'alice')

    await example.passSecondStep(browser, '/', service.origin)

    expect((await browser.open('/')).text).toContain('Hello, Alice')
  })
})

describeInFullRun('oidc.js', () => {
  it('oidc.js is an OpenID provider at the issuer that it prints', async () => {
    const issuer = 'https://id.example'
    const example = await startExample('oidc.js', { ISSUER: issuer })

    const metadata = (await (await fetch(`${example.url}/.well-known/openid-configuration`)).json()) as object

    expect(example.stdout()).toContain(`Its issuer is ${issuer}`)
    expect(metadata).toMatchObject({ issuer, authorization_endpoint: `${issuer}/oidc/authorize` })
    expect(await (await fetch(example.url)).text()).toContain('OpenID provider')
  })
})
