import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { TestPasskey } from '../../../src/testing/test-passkey.ts'
import { inFullRun } from '../../support/full-run.ts'
import { signInAt, startProvider } from '../start-provider.ts'
import type { StartedProvider } from '../start-provider.ts'
import type { Tabs } from '../tabs.ts'
import { betterAuthApp } from './better-auth.ts'
import { expressOpenidConnect } from './express-openid-connect.ts'
import { openidClient } from './openid-client.ts'
import { passportOpenidconnect } from './passport-openidconnect.ts'
import type { RelyingApp } from './start-app.ts'
import { appUrl, startApp } from './start-app.ts'

const apps: readonly RelyingApp[] = [openidClient, expressOpenidConnect, betterAuthApp, passportOpenidconnect]

describe.each(apps)('an app with $name', (relyingApp) => {
  const { name, hasLogout, readsIssuer, registration } = relyingApp
  const binding = registration?.pkce === 'nonce' ? 'nonce' : 'code_challenge'
  /** For a test of what only some libraries can do. */
  const namedIf = (applies: boolean) => (applies ? [name] : [])
  let provider: StartedProvider
  let app: Awaited<ReturnType<typeof startApp>>
  let other: Awaited<ReturnType<typeof startApp>>
  beforeAll(async () => {
    provider = await startProvider()
    app = await startApp(relyingApp, provider)
    other = await startApp({ ...relyingApp, name: 'another client' }, provider)
  })
  afterAll(async () => {
    await app.close()
    await other.close()
    await provider.close()
  })

  async function addPerson(username: string) {
    const user = await provider.addUser(username)
    return { user, passkey: await provider.addPasskey(user.id) }
  }

  /** A person who has signed in at the provider, and has not returned to the app. */
  async function comeFrom(started: typeof app, passkey: TestPasskey) {
    const [inApp, atProvider] = [started.browser(), provider.browser()]
    const { left: request } = await inApp.visit('/login')
    const answer = await signInAt(atProvider, String(request), passkey)
    return { inApp, atProvider, request: request!, answer }
  }

  /** Returns to the app with what an address says. @returns who is signed in then. */
  async function returnWith(inApp: Tabs, { pathname, search }: URL): Promise<Record<string, unknown> | null> {
    await inApp.visit(pathname + search)
    return whoIsIn(inApp)
  }

  const whoIsIn = async (inApp: Tabs) =>
    JSON.parse((await inApp.get('/')).text) as Promise<Record<string, unknown> | null>

  inFullRun(`an app with ${name} signs people in by passkey`, async () => {
    const { user, passkey } = await addPerson('ada')

    const { inApp, request, answer } = await comeFrom(app, passkey)
    const before = await whoIsIn(inApp)
    const claims = await returnWith(inApp, answer)

    expect(request.origin).toBe(provider.url)
    expect(answer.origin + answer.pathname).toBe(appUrl + relyingApp.callback)
    expect(before).toBeNull()
    expect(claims).toMatchObject({ sub: user.id, name: 'ada' })
  })

  it(`an app with ${name} binds each sign-in to the browser that begins it, by ${binding}`, async () => {
    const [first, second] = [await app.browser().visit('/login'), await app.browser().visit('/login')]

    const values = [first, second].map(({ left }) => left?.searchParams.get(binding))

    expect(values).toEqual([expect.stringMatching(/.{20}/), expect.stringMatching(/.{20}/)])
    expect(values[0]).not.toBe(values[1])
  })

  inFullRun.each(namedIf(hasLogout))('an app with %s signs people out of the provider, too', async () => {
    const { passkey } = await addPerson('bea')
    const { inApp, atProvider, answer } = await comeFrom(app, passkey)
    await returnWith(inApp, answer)

    const { left } = await inApp.visit('/logout')
    const { page } = await atProvider.visit(String(left))
    const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(page.text) ?? []
    const back = await atProvider.follow(await atProvider.submit('/oidc/logout/confirm', { xsrf, logout: 'yes' }))
    const again = await atProvider.visit(String((await inApp.visit('/login')).left))

    expect(await whoIsIn(inApp)).toBeNull()
    expect(back.left?.href).toBe(`${appUrl}/`)
    expect(again.left).toBeUndefined()
    expect(again.page.text).toContain(`Sign in to ${name}`)
  })

  inFullRun(`an app with ${name} signs nobody in with a changed state`, async () => {
    const { passkey } = await addPerson('cyd')
    const { inApp, answer } = await comeFrom(app, passkey)
    answer.searchParams.set('state', `${answer.searchParams.get('state')}x`)

    expect(await returnWith(inApp, answer)).toBeNull()
  })

  inFullRun(`an app with ${name} signs nobody in who was sent the answer of another browser`, async () => {
    const { passkey } = await addPerson('dan')
    const { answer } = await comeFrom(app, passkey)
    const victim = app.browser()
    await victim.visit('/login')

    expect(await returnWith(victim, answer)).toBeNull()
  })

  inFullRun(`an app with ${name} signs nobody in with a code that was stolen from another browser`, async () => {
    const [thief, victim] = [await addPerson('eve'), await addPerson('fay')]
    const { inApp, answer } = await comeFrom(app, thief.passkey)
    const stolen = await comeFrom(app, victim.passkey)
    answer.searchParams.set('code', stolen.answer.searchParams.get('code') ?? '')

    expect(await returnWith(inApp, answer)).toBeNull()
  })

  inFullRun(`an app with ${name} signs nobody in with a code of another client`, async () => {
    const [thief, victim] = [await addPerson('gil'), await addPerson('hal')]
    const { inApp, answer } = await comeFrom(app, thief.passkey)
    const stolen = await comeFrom(other, victim.passkey)
    answer.searchParams.set('code', stolen.answer.searchParams.get('code') ?? '')

    expect(await returnWith(inApp, answer)).toBeNull()
  })

  inFullRun.each(namedIf(readsIssuer))(
    'an app with %s signs nobody in with an answer that another issuer claims to have sent',
    async () => {
      const { passkey } = await addPerson('ida')
      const { inApp, answer } = await comeFrom(app, passkey)
      answer.searchParams.set('iss', 'https://other.example')

      expect(await returnWith(inApp, answer)).toBeNull()
    },
  )
})
