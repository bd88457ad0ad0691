import { describe, expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import { defaultImage } from '../../src/service/features/domains/image.ts'
import { button, expectHeadline, link, row, signedIn, startDesk } from './desk.ts'

describe('an app', () => {
  it('an owner adds an app and creates its API key, which is shown once and can be revoked', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    const dialog = page.getByRole('dialog')
    // Shown as text, whatever it looks like.
    const name = 'VPN <b>1</b>'
    await link(page, 'Apps').click()

    await button(page, 'Add an app').click()
    await dialog.getByLabel('Name').fill('Wiki')
    await dialog.getByRole('button', { name: 'Add an app' }).click()
    await dialog.getByText('Another app has this name.').waitFor()
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByLabel('Kind').selectOption('RADIUS')
    await dialog.getByRole('button', { name: 'Add an app' }).click()
    await expectHeadline(page, name)
    await button(page, 'Create a key').click()
    await dialog.getByRole('button', { name: 'Create a key' }).click()
    const lines = await dialog.locator('pre').innerText()
    await button(page, 'Done').click()
    await page.getByRole('row').filter({ hasText: 'Sign people in' }).waitFor()
    const text = await page.content()
    await page.getByRole('button', { name: /^Revoke the key/ }).click()
    await page.getByRole('heading', { name: /^Revoke the key .[0-9a-f]{8} \(VPN <b>1<\/b>\).\?$/ }).waitFor()
    await dialog.getByRole('button', { name: 'Revoke' }).click()

    await page.getByText('No API keys yet.').waitFor()
    const id = new URL(page.url()).searchParams.get('id')
    const [, key = ''] = /MFA_API_KEY=([A-Za-z0-9]{64})\n/.exec(lines) ?? []
    expect(lines.split('\n').at(-1)).toBe(`MFA_DOMAIN_ID=${id}`)
    expect(key).not.toBe('')
    expect(text).not.toContain(key)
  })

  it('an app’s page shows what another administrator changed meanwhile, and keeps what was typed', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Wiki'] })
    await link(page, 'Apps').click()
    await row(page, 'Wiki').click()
    const seconds = page.getByLabel('Time to answer, seconds')

    await page.getByLabel('Name', { exact: true }).fill('Intranet')
    await page.getByText(`Sign in to ${isolated('Intranet')}?`).waitFor()
    await seconds.fill('45')
    await desk.setDomain('Wiki', { emailOtpEnabled: true, requestTimeout: 60 })
    await button(page, 'Save').click()
    await page.getByRole('alert').getByText('changed this in the meantime').waitFor()
    const problem = await page.getByRole('alert').filter({ hasText: 'meantime' }).innerText()
    const typed = await seconds.inputValue()
    await button(page, 'Save').click()
    await page.getByText(`The settings of ${isolated('Intranet')} were saved.`).waitFor()
    await expectHeadline(page, 'Intranet')

    expect(problem).toContain(`Codes by e-mail is now ${isolated('On')}`)
    expect(problem).toContain(`Time to answer, seconds is now ${isolated('60')}`)
    expect(typed).toBe('45')
    expect(await desk.client.domains.get(desk.domainOf('Wiki'))).toMatchObject({
      name: 'Intranet',
      requestTimeout: 45,
      emailOtpEnabled: true,
    })
  })

  it('an app accepts only passkeys after a question that says who is locked out', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await page.goto(`${desk.url}/domain?id=${desk.domainOf('Wiki')}`)

    await page.getByLabel('Only passkeys for everyone').check()
    await button(page, 'Save').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This locks out everyone without a passkey').waitFor()
    const domainBefore = await desk.client.domains.get(desk.domainOf('Wiki'))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`The settings of ${isolated('Wiki')} were saved.`).waitFor()

    expect(domainBefore.phishingResistant).toBe('off')
    expect((await desk.client.domains.get(desk.domainOf('Wiki'))).phishingResistant).toBe('require')
  })

  it('an app’s image is previewed before it is saved, and can be removed', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await page.goto(`${desk.url}/domain?id=${desk.domainOf('Wiki')}`)
    const source = () => page.locator('.looks img').getAttribute('src')
    const buffer = Buffer.from(defaultImage().bytes)

    await page
      .getByLabel('Choose an image')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('x') })
    await page.getByText('This file isn’t an image that the browser can read.').waitFor()
    await page.getByLabel('Choose an image').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer })
    await button(page, 'Use this image').waitFor()
    const preview = await source()
    await button(page, 'Use this image').click()
    await page.getByText('The image was saved.').waitFor()
    const saved = await source()
    await button(page, 'Remove the image').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the image' }).click()
    await page.getByText('The image was removed.').waitFor()

    expect(preview).toMatch(/^data:image\/png;base64,/)
    expect(saved).toMatch(/\/image\?version=\d+$/)
  })

  it('an app is read-only for the help desk, without API keys', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk, { role: 'helpdesk', domains: ['Wiki'] })
    await link(page, 'Apps').click()
    await row(page, 'Wiki').click()

    await page.getByText('You can see these settings, but not change them.').waitFor()

    expect(await page.locator('main input, main button, main .keys').count()).toBe(0)
  })
})
