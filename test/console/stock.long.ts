import { describe, expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import {
  container,
  encrypted,
  encryption,
  exampleKey,
  keyPackage,
  passwordContainer,
} from '../service/features/hardware/files/pskc-file.ts'
import { button, confirm, expectHeadline, holdBack, link, row, signedIn, startDesk } from './desk.ts'

const seed = '3132333435363738393031323334353637383930'
const csvFile = (...rows: readonly string[]) => ({
  name: 'tokens.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(['serial,seed', ...rows].join('\n')),
})

describe('the stock of hardware tokens', () => {
  it('hardware tokens are imported after a check, found by a scanner, assigned to a person, and deleted', async () => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    const { page } = await signedIn(desk)
    const dialog = page.getByRole('dialog')
    await link(page, 'Hardware tokens').click()
    await page.getByText('No tokens yet. Import the file').waitFor()

    await link(page, 'Import tokens').click()
    await page.locator('input[type=file]').setInputFiles(csvFile(`HT-1001,${seed}`, `HT-1002,${seed}`, 'HT-1003,12'))
    await page.getByText('2 tokens are new.').waitFor()
    const report = await page.locator('.import-report table').innerText()
    await page.getByText('6 digits, every 30 seconds').first().waitFor()
    await page.getByRole('radio', { name: 'Other' }).check()
    await button(page, 'Import 2 tokens').click()
    await page.getByText('2 tokens were imported.').waitFor()
    await expectHeadline(page, 'Hardware tokens')
    await page.getByRole('button', { name: 'HT-1002' }).waitFor()
    // A scanner types without a click before.
    await page.keyboard.type('ht-1001')
    await page.keyboard.press('Enter')
    await dialog.getByRole('heading', { name: 'HT-1001' }).waitFor()
    // And may send Enter twice.
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Assign to a person' }).click()
    await dialog.getByLabel('Search people').fill('archer alice')
    await dialog.getByRole('link', { name: 'Alice Archer' }).click()
    await page.getByText(`Assign a hardware token to ${isolated('Alice Archer')}?`).waitFor()
    const serial = await dialog.getByLabel('Serial number').inputValue()
    await confirm(page, 'Assign a hardware token')
    await page.getByText(`${isolated('Alice Archer')} has a hardware token now.`).waitFor()
    await link(page, 'Hardware tokens').click()
    await page.getByRole('row').filter({ hasText: 'Alice Archer' }).waitFor()
    await page.getByRole('button', { name: 'HT-1002' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('heading', { name: `Delete the token ${isolated('HT-1002')}?` }).waitFor()
    await confirm(page, 'Delete')
    await page.getByText(`The token ${isolated('HT-1002')} was deleted.`).waitFor()

    expect(report).toMatch(/4\tThe seed has/)
    expect(serial).toBe('HT-1001')
    await page.getByRole('button', { name: 'HT-1002' }).waitFor({ state: 'detached' })
    expect((await desk.client.users.getByUsername('alice')).hardware).not.toBe('')
  })

  it('the token stock asks for what a file does not say: how its seeds are written, or its password', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await link(page, 'Hardware tokens').click()
    await link(page, 'Import tokens').click()
    const choose = (name: string, text: string) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

    await choose('drift.csv', `serial,seed,drift\nHT-1,${seed},3`)
    await page.getByText('The column "drift" may change the codes').waitFor()
    await choose('secret.csv', `serial,secret,maker,digits\nHT-1,${seed},Acme,8`)
    await button(page, 'Digits and A to F (hexadecimal)').click()
    await page.getByText(`Ignored columns: ${isolated('"maker"')}`).waitFor()
    await page.getByText('8 digits, every 30 seconds').waitFor()
    await choose('tokens.xml', passwordContainer())
    await page.getByLabel('Password of the file').fill('azerty')
    await button(page, 'Check the file').click()
    await page.getByText('this password doesn’t fit').waitFor()
    await page.getByLabel('Password of the file').fill('qwerty')
    await button(page, 'Check the file').click()

    await page.getByText('1 token is new.').waitFor()
  })

  it('the token stock asks for an encrypted file’s key, and opens the token whose barcode the camera sees', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await page.addInitScript(() => {
      const canvas = document.createElement('canvas')
      // Without a new picture now and then, a video does not begin.
      setInterval(() => canvas.getContext('2d')?.fillRect(0, 0, 9, 9), 50)
      Object.assign(navigator.mediaDevices, { getUserMedia: () => Promise.resolve(canvas.captureStream()) })
      Object.assign(globalThis, {
        BarcodeDetector: class {
          detect = () => Promise.resolve([{ rawValue: 'HT-2001' }])
        },
      })
    })
    const serial = '<SerialNo>HT-2001</SerialNo>'
    const buffer = Buffer.from(container(encryption(), keyPackage({ serial, secret: encrypted() })))
    await page.goto(`${desk.url}/import`)

    await page.locator('input[type=file]').setInputFiles({ name: 'tokens.xml', mimeType: 'text/xml', buffer })
    await page.getByText('The file is encrypted, or this key doesn’t fit.').waitFor()
    await page.getByLabel('Key of the file').fill('0'.repeat(32))
    await button(page, 'Check the file').click()
    await page.getByText('Checking the file…').waitFor({ state: 'detached' })
    await page.getByLabel('Key of the file').fill(exampleKey)
    await button(page, 'Check the file').click()
    await page.getByRole('radio', { name: 'Other' }).check()
    await button(page, 'Import 1 token').click()
    await page.getByText('1 token was imported.').waitFor()
    await button(page, 'Scan with the camera').click()
    await page.getByRole('dialog').getByRole('heading', { name: 'HT-2001' }).waitFor()

    expect(new URL(page.url()).searchParams.get('q')).toBe('HT-2001')
  })

  it('an import that ends leaves the administrator on the page that was opened meanwhile', async () => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    const { page } = await signedIn(desk)
    await page.goto(`${desk.url}/import`)
    await page.locator('input[type=file]').setInputFiles(csvFile(`HT-3001,${seed}`))
    await page.getByText('1 token is new.').waitFor()
    const letGo = await holdBack(page, /dryRun=false/)

    await page.getByRole('radio', { name: 'Other' }).check()
    await button(page, 'Import 1 token').click()
    await link(page, 'People').click()
    await row(page, 'Alice Archer').click()
    await button(page, 'Reset').click()
    letGo()
    await page.getByText('1 token was imported.').waitFor()

    await page.getByRole('dialog').waitFor()
    await expectHeadline(page, 'Alice Archer')
  })
})
