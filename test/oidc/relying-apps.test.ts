import { describe, expect, it, onTestFinished } from 'vitest'

import { startRelyingApp } from './relying-app.ts'
import { startProvider, usePasskey } from './start-provider.ts'
import { createTabs } from './tabs.ts'

describe('apps that use the provider', () => {
  it('apps that use the provider sign people in by passkey with the strategy of openid-client for Passport', async () => {
    const provider = await startProvider()
    onTestFinished(() => provider.close())
    const app = await startRelyingApp(provider)
    onTestFinished(() => app.close())
    const user = await provider.addUser('ada')
    const passkey = await provider.addPasskey(user.id)
    const [inApp, atProvider] = [createTabs(app.url), provider.browser()]

    const login = await inApp.get('/login')
    const { page } = await atProvider.visit(String(login.headers['location']))
    const [, base = ''] = /data-base="([^"]*\/interaction\/[^"]*)"/.exec(page.text) ?? []
    const { left } = await atProvider.visit((await usePasskey(atProvider, base, passkey)) ?? '')
    const { page: home } = await inApp.visit(left!.href)

    expect(home.text).toContain(`"sub":"${user.id}"`)
    expect(home.text).toContain('"preferred_username":"ada"')
    expect(home.text).toContain('"acr":"phrh"')
  })
})
