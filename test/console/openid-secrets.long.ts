import { describe, expect, it } from 'vitest'

import {
  button,
  expectHeadline,
  holdBack,
  inDialog,
  link,
  openScreen,
  row,
  signedIn,
  startDesk,
  tryToLeave,
} from './desk.ts'
import { add, atClient, callback, field, openForm, takeSecret, verify } from './openid-form.ts'

describe('what is shown once', () => {
  it('a dialog cannot be left while the secret of a client is made, and shows the secret then', async () => {
    const { desk, client, page } = await atClient()
    const letGo = await holdBack(page, /\/secret$/)

    await button(page, 'Replace the secret').click()
    await inDialog(page, 'Replace the secret').click()
    await tryToLeave(page)
    letGo()
    await page.getByRole('dialog', { name: 'The secret of' }).waitFor()
    const secret = await takeSecret(page)

    expect(await verify(desk, client.id, secret)).toEqual({ result: 'right' })
  })

  it('the secret of a client is shown, too, where the person has gone back meanwhile', async () => {
    const desk = await startDesk({ openId: true })
    const client = await desk.addOidcClient('Wiki')
    const { page } = await signedIn(desk)
    await link(page, 'OpenID Connect').click()
    await row(page, 'Wiki').click()
    const letGo = await holdBack(page, /\/secret$/)

    await button(page, 'Replace the secret').click()
    await inDialog(page, 'Replace the secret').click()
    await page.locator('dialog button[type=submit][aria-disabled=true]').waitFor()
    await openScreen(page, `${desk.url}/people`)
    await expectHeadline(page, 'People')
    letGo()
    const secret = await takeSecret(page)

    expect(await verify(desk, client.id, secret)).toEqual({ result: 'right' })
  })

  it('the secret of a new client is shown where the person has gone while it was added', async () => {
    const desk = await startDesk({ openId: true })
    const { page } = await signedIn(desk)
    await openForm(page, 'Whole sign-in for an app')
    await field(page, 'Name').fill('Wiki')
    await field(page, 'Redirect addresses').fill(callback)
    const letGo = await holdBack(page, /\/oidc-clients$/)

    await add(page)
    await page.locator('form button[type=submit][aria-disabled=true]').waitFor()
    await link(page, 'People').click()
    await expectHeadline(page, 'People')
    letGo()
    const secret = await takeSecret(page)
    await expectHeadline(page, 'People')

    const [client] = await desk.oidcClients()
    expect(await verify(desk, client!.id, secret)).toEqual({ result: 'right' })
  })

  it('a new API key is shown, too, where the person has left the page meanwhile', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await link(page, 'Apps').click()
    const letGo = await holdBack(page, /\/api-keys$/)

    await button(page, 'Create a key').click()
    await inDialog(page, 'Create a key').click()
    await page.locator('dialog button[type=submit][aria-disabled=true]').waitFor()
    await page.keyboard.press('Escape')
    await openScreen(page, `${desk.url}/people`)
    await expectHeadline(page, 'People')
    letGo()

    await inDialog(page, 'Copy key').waitFor()
  })
})

describe('a secret that was replaced before', () => {
  it('the dialog warns that the secret before ends, also where another administrator was faster', async () => {
    const { desk, client, page } = await atClient()

    await button(page, 'Replace the secret').click()
    expect(await page.getByRole('dialog').getByText('ends now').count()).toBe(0)
    const other = await desk.replaceOidcSecret(client)
    await inDialog(page, 'Replace the secret').click()
    await page.getByRole('dialog').getByText('The client was changed in the meantime.').waitFor()
    await page
      .getByRole('dialog')
      .getByText(/^The old secret, accepted until .+, ends now\.$/)
      .waitFor()
    expect(await verify(desk, client.id, other)).toEqual({ result: 'right' })
    await inDialog(page, 'Replace the secret').click()
    const secret = await takeSecret(page)

    expect(await verify(desk, client.id, other)).toEqual({ result: 'right' })
    expect(await verify(desk, client.id, secret)).toEqual({ result: 'right' })
  })
})
