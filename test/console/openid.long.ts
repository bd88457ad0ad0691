import { describe, expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import { button, expectHeadline, inDialog, link, openScreen, signedIn, startDesk } from './desk.ts'
import { add, callback, choice, field, openForm, takeSecret, verify } from './openid-form.ts'

const tenant = '9122040d-6c67-4c5b-b112-36a304b66dad'
const application = '600b719b-3766-4dc5-95a6-3c4a8dc31885'
const notificationEndpoint = 'https://center.example.com/answered'

describe('a client of the OpenID provider', () => {
  it('an administrator adds an app without a login of its own, and its secret is shown once', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Wiki', 'Webmail'] })

    await openForm(page, 'Whole sign-in for an app')
    await field(page, 'Name').fill('Wiki <b>1</b>')
    await field(page, 'Redirect addresses').fill(`${callback}\nhttps://wiki.example.com/other\n`)
    await field(page, 'Addresses after signing out').fill('https://wiki.example.com/')
    await page.getByLabel('Name and language').check()
    await page.getByLabel('Refresh tokens').check()
    await field(page, 'APIs').fill('https://api.example.com')
    await add(page)
    const secret = await takeSecret(page)

    await expectHeadline(page, 'Wiki <b>1</b>')
    const [client] = await desk.oidcClients()
    expect(client).toMatchObject({
      name: 'Wiki <b>1</b>',
      kind: 'sign-in',
      domain: desk.domainOf('Wiki'),
      authentication: 'client_secret_basic',
      native: false,
      redirectUris: [callback, 'https://wiki.example.com/other'],
      postLogoutRedirectUris: ['https://wiki.example.com/'],
      resources: ['https://api.example.com'],
      refreshTokens: true,
      scopes: ['profile'],
      jwks: null,
      jwksUri: null,
    })
    expect(await verify(desk, client!.id, secret)).toEqual({ result: 'right' })
    await page.reload()
    await expectHeadline(page, 'Wiki <b>1</b>')
    await button(page, 'Save').waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]))).not.toContain(secret)
    await page.goBack()
    await page.getByRole('link', { name: 'Whole sign-in for an app' }).waitFor()
  })

  it('the form of a client has only the fields of its kind', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)
    const labels = async (kind: string) => {
      await openScreen(page, `${desk.url}/openid-add?kind=${kind}`)
      await page.locator('#app form').waitFor()
      return page.locator('.settings').locator('.field > label > span, .choice strong, legend').allInnerTexts()
    }

    expect(await labels('external')).toEqual([
      'Name',
      'Authentication',
      'Protection of codes',
      'Redirect addresses',
      'Addresses after signing out',
      'Data it may read',
      'APIs',
      'Public keys',
    ])
    expect(await labels('sign-in')).toEqual(
      expect.arrayContaining(['It runs on people’s own devices', 'Refresh tokens']),
    )
    expect(await labels('entra')).toEqual(['Name', 'Tenant ID', 'Application ID', 'Usernames in Entra', 'Cloud'])
    expect(await labels('ciba')).toEqual([
      'Name',
      'Authentication',
      'The person sees a screen of the client',
      'Address for notifications',
      'Data it may read',
      'Public keys',
    ])
  })

  it('an administrator adds a tenant of Microsoft Entra, and sees what to enter there', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)

    await openForm(page, 'Second step for Microsoft Entra')
    await field(page, 'Name').fill('Entra')
    await field(page, 'Tenant ID').fill('9122040d')
    await field(page, 'Application ID').fill(application.toUpperCase())
    await choice(page, 'Usernames').selectOption('oid')
    await add(page)
    await page.getByText('Enter an ID such as').waitFor()
    expect(await field(page, 'Tenant ID').getAttribute('aria-invalid')).toBe('true')
    await field(page, 'Tenant ID').fill(tenant)
    await add(page)
    await expectHeadline(page, 'Entra')

    const origin = new URL(desk.url).origin
    expect(await desk.oidcClients()).toMatchObject([
      { kind: 'entra', authentication: 'none', entra: { tenant, application, cloud: 'global', username: 'oid' } },
    ])
    const [client] = await desk.oidcClients()
    expect(await page.locator('.copied code').allInnerTexts()).toEqual([
      client!.id,
      origin,
      `${origin}/.well-known/openid-configuration`,
      `${origin}/oidc/authorize`,
    ])
    expect(await page.getByText('Replace the secret').count()).toBe(0)
  })

  it('an administrator adds a call center with pasted keys, and a private key is refused', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)
    const x = 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'
    const key = { kty: 'EC', crv: 'P-256', x, y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' }

    await openForm(page, 'Approval without a browser')
    await field(page, 'Name').fill('Call center')
    await choice(page, 'Authentication').selectOption('private_key_jwt')
    await page.getByLabel('The person sees a screen').check()
    await field(page, 'Address for notifications').fill('https://10.0.0.1/answered')
    await add(page)
    await page.getByText('has to begin with https:// and the name of a public host').waitFor()
    await field(page, 'Address for notifications').fill(notificationEndpoint)
    await page.getByText('needs its public keys here').waitFor()
    await choice(page, 'Public keys').selectOption('pasted')
    await field(page, 'Keys').fill(JSON.stringify({ keys: [{ ...key, d: x }] }))
    await add(page)
    await page.getByText('This contains a private key').waitFor()
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('keys')
    await field(page, 'Keys').fill(JSON.stringify({ keys: [{ ...key, crv: 'P-999' }] }))
    await add(page)
    await page.getByText('The service doesn’t accept this value.').waitFor()
    await field(page, 'Keys').fill(JSON.stringify({ keys: [key] }))
    await add(page)
    await expectHeadline(page, 'Call center')

    expect(await desk.oidcClients()).toMatchObject([
      {
        kind: 'ciba',
        ciba: { showsNumber: true, notificationEndpoint },
        authentication: 'private_key_jwt',
        jwks: { keys: [key] },
      },
    ])
  })

  it('an administrator adds a client that sends a nonce in place of PKCE, unless it cannot authenticate', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)

    await openForm(page, 'Whole sign-in for an app')
    await field(page, 'Name').fill('Portal')
    await field(page, 'Redirect addresses').fill(callback)
    await choice(page, 'Protection of codes').selectOption('nonce')
    await add(page)
    await takeSecret(page)
    await expectHeadline(page, 'Portal')
    expect(await desk.oidcClients()).toMatchObject([{ kind: 'sign-in', pkce: 'nonce' }])
    await choice(page, 'Authentication').selectOption('none')
    expect(await choice(page, 'Protection of codes').count()).toBe(0)
    await button(page, 'Save').click()
    await inDialog(page, 'Save').click()

    await expect
      .poll(() => desk.oidcClients())
      .toMatchObject([{ kind: 'sign-in', authentication: 'none', pkce: 'required' }])
  })

  it('an administrator adds an identity provider that publishes its keys', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)

    await openForm(page, 'Second step for an identity provider')
    await field(page, 'Name').fill('Keycloak')
    await field(page, 'Redirect addresses').fill('https://id.example.com/broker')
    await choice(page, 'Authentication').selectOption('private_key_jwt')
    await choice(page, 'Public keys').selectOption('address')
    await field(page, 'Address of the keys').fill('http://id.example.com/jwks')
    await add(page)
    await page.getByText('has to be a complete address that begins with https://').waitFor()
    await field(page, 'Address of the keys').fill('https://id.example.com/jwks')
    await add(page)
    await expectHeadline(page, 'Keycloak')

    expect(await desk.oidcClients()).toMatchObject([{ kind: 'external', jwksUri: 'https://id.example.com/jwks' }])
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('wrong settings of a client are named at their fields, and the first one has the focus', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)
    await link(page, 'OpenID Connect').click()
    await link(page, 'Add a client').click()
    await page.getByRole('link', { name: 'Whole sign-in for an app' }).click()

    await field(page, 'Redirect addresses').fill(`${callback}\nhttp://wiki.example.com/\n${callback}`)
    await add(page)
    await page.getByText('Check the marked fields.').waitFor()
    const described = async (name: string) => {
      const ids = (await field(page, name).getAttribute('aria-describedby'))!.split(' ')
      return page.locator(`#${ids.at(-1)}`).innerText()
    }

    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SELECT')
    expect(await described('Name')).toBe('Fill this in.')
    expect(await described('Redirect addresses')).toContain(
      `${isolated('http://wiki.example.com/')} has to begin with https://`,
    )
    await field(page, 'Redirect addresses').fill(`${callback}\n${callback}`)
    await add(page)
    await expect.poll(() => described('Redirect addresses')).toBe(`${isolated(callback)} is there twice.`)
    await page.getByLabel('It runs on people’s own devices').check()
    await field(page, 'Redirect addresses').fill('http://127.0.0.1/callback')
    await add(page)
    await expect.poll(() => described('Redirect addresses')).toBe('')
    expect(await desk.oidcClients()).toEqual([])
  })

  it('what was typed for a new client stays after a reload, a way back and the end of the session', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)

    await openForm(page, 'Whole sign-in for an app')
    await field(page, 'Name').fill('Wiki')
    await page.reload()
    await expect.poll(() => field(page, 'Name').inputValue()).toBe('Wiki')
    await page.goBack()
    await page.getByRole('link', { name: 'Whole sign-in for an app' }).click()
    await field(page, 'Redirect addresses').fill(callback)
    await desk.endSessions('Olivia Owner')
    await add(page)
    await button(page, 'Sign in with a passkey').click()
    await expect.poll(() => field(page, 'Redirect addresses').inputValue()).toBe(callback)
    await add(page)
    await takeSecret(page)

    expect(await desk.oidcClients()).toMatchObject([{ name: 'Wiki', redirectUris: [callback] }])
    await openForm(page, 'Whole sign-in for an app')
    expect(await field(page, 'Name').inputValue()).toBe('')
  })
  it('what was typed for a new client is forgotten at the sign-out', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)
    await openForm(page, 'Whole sign-in for an app')
    await field(page, 'Name').fill('Wiki')
    const kept = () => page.evaluate(() => JSON.stringify(sessionStorage))
    await expect.poll(kept).toContain('Wiki')

    await openScreen(page, `${desk.url}/account`)
    await button(page, 'Sign out').click()
    await button(page, 'Sign in with a passkey').waitFor()

    expect(await kept()).toBe('{}')
  })

  it('a value is copied by a button that keeps its name', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await link(page, 'OpenID Connect').click()

    await button(page, 'Copy: Issuer').click()
    await page.getByRole('status').getByText('Copied').waitFor()

    expect(await button(page, 'Copy: Issuer').innerText()).toBe('Copied')
  })
})
