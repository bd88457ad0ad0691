import { createClient } from 'second-factor/client'
import { describe, expect, it } from 'vitest'

import { embedded } from '../../src/service/embedded.ts'
import { phoneOptions } from '../authenticator/phone.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startExampleApp } from '../support/example-app.ts'
import { activate, createAccount, expectAccessible, signIn } from './person.ts'

const chromium = await sharedChromium()

describe('a code in a real browser', () => {
  it('is typed and verified by keyboard alone, and each page is accessible', async () => {
    const service = embedded({ database: ':memory:' })
    const url = await startExampleApp({ service })
    const [page, phone] = [await keptPage(chromium), await keptPage(chromium, phoneOptions)]
    await createAccount(page, url, 'alice')
    await signIn(page, 'alice')
    await activate(phone, page)
    const { baseUrl, apiKey, fetch } = await service.connect()
    const client = createClient({ baseUrl, apiKey, fetch })
    const { id } = await client.users.getByUsername('alice')
    const { code = '' } = await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
    await page.locator('#number').waitFor()

    await page.getByRole('link', { name: 'Other ways to sign in' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Use a recovery code (1 left)' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Use a recovery code (1 left)' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Code').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('code')
    await page.keyboard.type('000000\n')
    await page.getByRole('alert').waitFor()
    await expectAccessible(page)
    await page.keyboard.type(`${code}\n`)

    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    expect(await page.locator('main').textContent()).toContain('recovery code')
  })
})
