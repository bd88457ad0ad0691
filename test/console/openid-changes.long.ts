import { describe, expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import { button, expectHeadline, inDialog, link, openScreen, row, signedIn, startDesk } from './desk.ts'
import { add, atClient, callback, choice, field, openForm, takeSecret, verify } from './openid-form.ts'

describe('a client that exists', () => {
  it('a change of a client says what ends, and a new name alone asks nothing', async () => {
    const desk = await startDesk({ openId: true })
    await desk.addOidcClient('Wiki')
    const { page } = await signedIn(desk)
    await link(page, 'OpenID Connect').click()
    await row(page, 'Wiki').click()

    await button(page, 'Save').click()
    await page.getByText('There’s nothing to save.').waitFor()
    await field(page, 'Name').fill('Handbook')
    await button(page, 'Save').click()
    await page.getByText(`The settings of ${isolated('Handbook')} were saved.`).waitFor()
    await expectHeadline(page, 'Handbook')
    await choice(page, 'Authentication').selectOption('none')
    await button(page, 'Save').click()
    await page.getByRole('dialog').getByText('What it was issued ends').waitFor()
    await page.getByText('Its secret is deleted.').waitFor()
    await inDialog(page, 'Save').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Secret' }).waitFor({ state: 'detached' })

    expect(await desk.oidcClients()).toMatchObject([{ name: 'Handbook', authentication: 'none', secret: false }])
  })

  it('when another administrator was faster, the page says what has changed, and what was typed stays', async () => {
    const desk = await startDesk({ openId: true })
    const client = await desk.addOidcClient('Wiki')
    const { page } = await signedIn(desk)
    await link(page, 'OpenID Connect').click()
    await row(page, 'Wiki').click()
    await field(page, 'Redirect addresses').fill(callback)

    await desk.setOidcClient(client, { scopes: ['email'] })
    await button(page, 'Save').click()
    await inDialog(page, 'Save').click()
    await page.getByText(`Data it may read is now ${isolated('E-mail address')}`).waitFor()
    expect(await page.getByLabel('E-mail address').isChecked()).toBe(true)
    expect(await field(page, 'Redirect addresses').inputValue()).toBe(callback)
    await button(page, 'Save').click()
    await inDialog(page, 'Save').click()
    await page.getByText(`The settings of ${isolated('Wiki')} were saved.`).waitFor()

    expect(await desk.oidcClients()).toMatchObject([{ redirectUris: [callback], scopes: ['email'] }])
  })

  it('the page names who has changed this client, not who has changed another one since', async () => {
    const desk = await startDesk({ openId: true })
    const client = await desk.addOidcClient('Wiki')
    await desk.addOidcClient('Shop')
    const { page } = await signedIn(desk)
    await openScreen(page, `${desk.url}/openid-client?id=${client.id}&domain=${client.domain}`)
    await field(page, 'Redirect addresses').fill(callback)
    await desk.setOidcClient(client, { scopes: ['email'] })
    const { page: other } = await signedIn(desk, { name: 'Otto Other', email: 'otto@example.com' })
    await link(other, 'OpenID Connect').click()
    await row(other, 'Shop').click()
    await field(other, 'Name').fill('Store')
    await button(other, 'Save').click()
    await expectHeadline(other, 'Store')

    // An entry is in the trail once no earlier one can follow.
    await desk.clock.advance(3)
    await button(page, 'Save').click()
    await inDialog(page, 'Save').click()

    const said = await page.getByText('changed this in the meantime').innerText()
    expect(said).not.toContain('Otto Other')
    expect(said).toContain('The service changed this')
  })

  it('settings are saved at the first attempt after the secret alone was replaced elsewhere', async () => {
    const { desk, client, page } = await atClient()
    await field(page, 'Name').fill('Handbook')

    await desk.replaceOidcSecret(client)
    await button(page, 'Save').click()
    await page.getByText(`The settings of ${isolated('Handbook')} were saved.`).waitFor()

    expect(await desk.oidcClients()).toMatchObject([{ name: 'Handbook' }])
  })

  it('what was saved is shown where it cannot be read again, and the focus stays', async () => {
    const { page } = await atClient()
    await field(page, 'Name').fill(' Handbook ')
    await page.route(/\/oidc-clients$/, (route) => route.abort())

    await button(page, 'Save').click()
    await expectHeadline(page, 'Handbook')

    expect(await field(page, 'Name').inputValue()).toBe('Handbook')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Save')
  })

  it('a field that the service refuses has the focus after the dialog has closed', async () => {
    const { page } = await atClient()
    const x = 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'
    await choice(page, 'Public keys').selectOption('pasted')
    await field(page, 'Keys').fill(JSON.stringify({ keys: [{ kty: 'EC', crv: 'P-999', x, y: x }] }))

    await button(page, 'Save').click()
    await inDialog(page, 'Save').click()
    await page.getByText('The service doesn’t accept this value.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
  })

  it('a client of a kind that only a newer console knows is shown with the name of its kind, and cannot be changed', async () => {
    const desk = await startDesk({ openId: true })
    const client = await desk.addOidcClient('Wiki', { scopes: ['email'] })
    const { page } = await signedIn(desk)
    await page.route(/\/oidc-clients$/, (route) => route.fulfill({ json: [{ ...client, kind: 'saml' }] }))
    await openScreen(page, `${desk.url}/openid-client?id=${client.id}&domain=${client.domain}`)

    await page.getByText('saml · App').waitFor()
    await page.getByText('You can see these settings, but not change them.').waitFor()

    expect(await page.getByText('E-mail address').count()).toBe(1)
    expect(await button(page, 'Save').count()).toBe(0)
  })

  it('the secret of a client is replaced, while the old one stays valid for as long as chosen', async () => {
    const desk = await startDesk({ openId: true })
    const client = await desk.addOidcClient('Wiki')
    const { page } = await signedIn(desk)
    await link(page, 'OpenID Connect').click()
    await row(page, 'Wiki').click()

    await button(page, 'Replace the secret').click()
    await choice(page, 'Keep the old one for').selectOption({ label: '72 hours' })
    await inDialog(page, 'Replace the secret').click()
    const first = await takeSecret(page)
    await page.getByText('The old secret is accepted, too, until').waitFor()
    await button(page, 'Replace the secret').click()
    await choice(page, 'Keep the old one for').selectOption({ label: 'Not at all: it ends at once' })
    await inDialog(page, 'Replace the secret').click()
    const second = await takeSecret(page)

    await field(page, 'Name').fill('Handbook')
    await button(page, 'Save').click()
    await page.getByText(`The settings of ${isolated('Handbook')} were saved.`).waitFor()

    expect(await verify(desk, client.id, first)).toEqual({ result: 'wrong' })
    expect(await verify(desk, client.id, second)).toEqual({ result: 'right' })
  })

  it('removing a client says what ends, and leads back to the list', async () => {
    const { desk, client, page } = await atClient()

    await button(page, 'Remove the client').click()
    await page.getByRole('dialog').getByText('Nobody can sign in through it from now on').waitFor()
    await inDialog(page, 'Remove the client').click()
    await page.getByText('No clients yet.').waitFor()

    expect(await desk.oidcClients()).toEqual([])
    await page.goto(`${desk.url}/openid-client?id=${client.id}&domain=${client.domain}`)
    await expectHeadline(page, 'This page doesn’t exist')
  })

  it('a client that was removed meanwhile can’t be saved, and the page says so', async () => {
    const { desk, client, page } = await atClient()
    await field(page, 'Name').fill('Handbook')

    await desk.removeOidcClient(client)
    await button(page, 'Save').click()

    await page.getByText('It no longer exists.').waitFor()
    expect(await field(page, 'Name').inputValue()).toBe('Handbook')
  })

  it('an app has a limited number of clients, and the form says so', async () => {
    const desk = await startDesk({ openId: true })
    for (let index = 0; index < 100; index++) await desk.addOidcClient(`Client ${index}`)
    const { page } = await signedIn(desk)

    await openForm(page, 'Whole sign-in for an app')
    await field(page, 'Name').fill('One more')
    await field(page, 'Redirect addresses').fill(callback)
    await add(page)

    await page.getByText('This app has 100 clients').waitFor()
  })

  it('an auditor reads clients and keys and changes nothing, and the help desk has no such page', async () => {
    const desk = await startDesk({ openId: true })
    await desk.addOidcClient('Wiki', { scopes: ['email'] })
    const { page } = await signedIn(desk, { role: 'auditor' })
    await link(page, 'OpenID Connect').click()
    await row(page, 'Wiki').click()
    await page.getByText('You can see these settings, but not change them.').waitFor()
    expect(await page.getByText('E-mail address').count()).toBe(1)
    expect(
      await page
        .locator('main')
        .getByRole('button', { name: /^(?!Copy)/ })
        .count(),
    ).toBe(0)
    await page.goto(`${desk.url}/openid-add?kind=sign-in`)
    await expectHeadline(page, 'This page doesn’t exist')

    const { page: helpDesk } = await signedIn(desk, { role: 'helpdesk', domains: ['Wiki'], email: 'hal@example.com' })
    await link(helpDesk, 'People').waitFor()
    expect(await link(helpDesk, 'OpenID Connect').count()).toBe(0)
    await helpDesk.goto(`${desk.url}/openid`)
    await expectHeadline(helpDesk, 'This page doesn’t exist')
  })

  it('an administrator of some apps sees their clients alone, and filters them by app', async () => {
    const desk = await startDesk({ openId: true })
    await desk.addOidcClient('Wiki client')
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Webmail', 'Empty'] })
    await link(page, 'OpenID Connect').click()
    await page.getByText('No clients yet.').waitFor()

    const { page: owner } = await signedIn(desk, { email: 'owner@example.com' })
    await link(owner, 'OpenID Connect').click()
    await row(owner, 'Wiki client').waitFor()
    await owner.getByLabel('App', { exact: true }).selectOption({ label: 'Webmail' })
    await owner.getByText('No clients yet.').waitFor()
    expect(new URL(owner.url()).search).toBe(`?domain=${desk.domainOf('Webmail')}`)
  })
})

describe('the OpenID provider', () => {
  it('a service that is no OpenID provider says how it becomes one, and its clients can be prepared', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)

    await openForm(page, 'Whole sign-in for an app')
    await field(page, 'Name').fill('Wiki')
    await field(page, 'Redirect addresses').fill(callback)
    await add(page)
    await takeSecret(page)
    await page.getByText('This service isn’t an OpenID provider yet').waitFor()
    await link(page, 'OpenID Connect').first().click()

    await page.getByText('second-factor serve --oidc').waitFor()
    await page.getByText('No keys yet.').waitFor()
    await row(page, 'Wiki').waitFor()
  })

  it('an owner publishes the next signing key, and replaces all keys after a confirmation', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)
    const discovery = `${new URL(desk.url).origin}/.well-known/openid-configuration`
    await page.request.get(discovery)
    await link(page, 'OpenID Connect').click()
    expect(await page.locator('.copied code').allInnerTexts()).toEqual([new URL(desk.url).origin, discovery])
    const keys = page.getByRole('table', { name: 'Signing keys' })
    const states = () => keys.locator('tbody strong').allInnerTexts()

    await expect.poll(states).toEqual(['Signs now'])
    await button(page, 'Publish the next key').click()
    await page.getByText('It signs in two days').waitFor()
    await inDialog(page, 'Publish the next key').click()
    await expect.poll(states).toEqual(['Signs now', 'Next'])
    expect(await button(page, 'Publish the next key').count()).toBe(0)
    const before = await keys.locator('code').allInnerTexts()
    await button(page, 'Replace all keys').click()
    await page.getByText('Do this if somebody else may know a key.').waitFor()
    await inDialog(page, 'Replace all keys').click()
    await expect.poll(states).toEqual(['Signs now'])

    expect(before).not.toContain(await keys.locator('code').innerText())
  })

  it('administrators who are no owners see the signing keys, and can’t change them', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Wiki'] })
    await page.request.get(`${new URL(desk.url).origin}/.well-known/openid-configuration`)
    await link(page, 'OpenID Connect').click()
    await page.getByText('Signs now').waitFor()

    expect(await page.locator('.keys button').count()).toBe(0)
  })
})
