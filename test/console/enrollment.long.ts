import { decodeQR } from 'qr/decode.js'
import { describe, expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import { button, confirm, row, signedIn, startDesk } from './desk.ts'

const alice = isolated('Alice Archer')
const admin = { name: 'Ann Admin', email: 'ann@example.com', role: 'admin', domains: ['Wiki'] } as const
const agent = { name: 'Hal Helper', email: 'hal@example.com', role: 'helpdesk', domains: ['Wiki'] } as const

/** What a camera sees of an image. Runs in the page. */
async function pixelsOf(image: HTMLElement | SVGElement) {
  const [width, height] = [400, 400]
  const pen = new OffscreenCanvas(width, height).getContext('2d')
  if (!(image instanceof HTMLImageElement) || !pen) throw new TypeError('expected an image')
  await image.decode()
  pen.fillStyle = 'white'
  pen.fillRect(0, 0, width, height)
  pen.drawImage(image, 20, 20, width - 40, height - 40)
  const { data } = pen.getImageData(0, 0, width, height)
  // As text: Playwright takes seconds for a list of 640,000 numbers.
  return { width, height, data: Array.from(data, (value) => String.fromCharCode(value)).join('') }
}

describe('a person without a device', () => {
  it('a person without a device gets an enrollment link by mail, which the page shows too, until the address changes', async () => {
    const desk = await startDesk()
    const id = await desk.addPerson('alice', 'Alice Archer')
    const { page } = await signedIn(desk, admin)

    await row(page, 'Alice Archer').click()
    await button(page, 'Send enrollment mail: Wiki').click()
    await page.getByLabel('The link works for').selectOption('14 days')
    await confirm(page, 'Send enrollment mail')
    await page.getByText(`A mail was sent to ${alice}.`).waitFor()
    await page.getByText('Its link works until').waitFor()
    await button(page, 'Show link: Wiki').click()
    await confirm(page, 'Show link')
    const drawn = await page.getByRole('img', { name: 'QR code of the link' }).evaluate(pixelsOf)
    const scanned = decodeQR({ ...drawn, data: Buffer.from(drawn.data, 'latin1') })
    const shownLink = await page.getByLabel('Link', { exact: true }).inputValue()
    await button(page, 'Done').click()

    expect(desk.mail.mails[0]?.text).toContain(shownLink)
    expect(scanned).toBe(shownLink)

    await button(page, 'Change e-mail address').click()
    await desk.client.users.update(id, { email: 'app@example.com' })
    await page.getByLabel('New e-mail address').fill('new@example.com')
    await confirm(page, 'Change e-mail address')
    await page.getByText('This person was changed in the meantime.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('app@example.com').first().waitFor()
    await button(page, 'Change e-mail address').click()
    await page.getByLabel('New e-mail address').fill('new@example.com')
    await page.getByLabel('Other').check()
    await page.keyboard.press('Enter')
    await page.getByText(`The e-mail address of ${alice} was changed.`).waitFor()

    await page.getByText('Its link no longer works.').waitFor()
    expect((await desk.client.users.get(id)).email).toBe('new@example.com')
  })

  it('the help desk mails an enrollment link, sees why a mail failed, and needs consent after a new address', async () => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    const bob = await desk.addPerson('bob', 'Bob Baker')
    await desk.client.users.update(bob, { email: 'new@example.com' })
    const { page } = await signedIn(desk, agent)

    await row(page, 'Alice Archer').click()
    desk.mail.refuse()
    await button(page, 'Send enrollment mail: Wiki').click()
    await confirm(page, 'Send enrollment mail')
    await page.getByText('The mail couldn’t be sent').waitFor()
    desk.mail.take()
    for (const more of [0, 1, 2]) {
      await confirm(page, 'Send enrollment mail')
      await page.getByText(`A mail was sent to ${alice}.`).waitFor()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(desk.mail.mails).toHaveLength(more + 1)
      await button(page, 'Send enrollment mail: Wiki').click()
    }
    await confirm(page, 'Send enrollment mail')
    await page.getByText('No more mails for now.').waitFor()
    await page.goto(`${desk.url}/people`)
    await row(page, 'Bob Baker').click()
    await button(page, 'Send enrollment mail: Wiki').click()
    await confirm(page, 'Send enrollment mail')

    await page.getByRole('dialog', { name: 'Another administrator has to agree' }).waitFor()
    expect(desk.mail.mails).toHaveLength(3)
  })
})
