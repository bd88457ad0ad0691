import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'

import type { NewSession } from '../../src/contract/sessions.ts'
import { createFakeCamera } from '../../test/support/fake-camera.ts'
import { launchChromium } from '../../test/support/chromium.ts'
import { toPalettePng } from './palette-png.ts'
import { startPictureService } from './service.ts'

/** Takes a picture of each screen of the authenticator on a phone, with light and dark theme side by side. */
export async function takeAuthenticator(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const camera = await createFakeCamera()
  const chromium = await launchChromium({ args: camera.args })
  try {
    await camera.look('https://example.com/another/qr/code')
    await takeScreens(chromium, folder)
    await takeArabic(chromium, folder)
  } finally {
    await chromium.close()
    camera.remove()
  }
}

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }

const signIn: Omit<NewSession, 'user'> = {
  numberMatching: true,
  ipAddress: '203.0.113.7',
  attributes: [
    { key: 'Place', value: 'Lyon, France' },
    { key: 'Browser', value: 'Firefox 145' },
    { key: 'System', value: 'Windows' },
  ],
}

async function takeScreens(chromium: Browser, folder: string): Promise<void> {
  const service = await startPictureService()
  const wiki = await service.addDomain(
    { name: 'Wiki' },
    await drawLogo(chromium, '#0f766e', 'M14 16h20M14 24h20M14 32h12'),
  )
  const bank = await service.addDomain(
    { name: 'Bank', keyType: 'PIN' },
    await drawLogo(chromium, '#7c3aed', 'M10 20 24 11l14 9ZM14 22v12M24 22v12M34 22v12M10 36h28'),
  )
  const context = await chromium.newContext({ ...phone, permissions: ['camera', 'clipboard-write'] })
  try {
    // Permission is undecided, as on a new phone; a headless browser has denied it.
    await context.addInitScript(() => Object.defineProperty(Notification, 'permission', { value: 'default' }))
    const page = await context.newPage()
    const take = (name: string) => takeTwice(chromium, page, join(folder, `${name}.png`))
    const button = (name: string | RegExp) => page.getByRole('button', { name })

    await page.goto(service.url)
    await button('Scan QR code').waitFor()
    await take('add')
    await button('Scan QR code').click()
    await page.getByText('doesn’t contain an activation code').waitFor()
    await take('scan')

    await page.goto(await wiki.activationLink())
    await button('Add this account').waitFor()
    await take('preview')
    await button('Add this account').click()
    await page.getByText('Nothing to approve').waitFor()

    await page.goto(await bank.activationLink())
    await button('Add this account').click()
    await page.getByRole('heading', { name: 'Choose a PIN' }).waitFor()
    await take('pin')
    await page.getByLabel('PIN', { exact: true }).fill('2580')
    await page.getByLabel('Repeat PIN').fill('2580')
    await button('Continue').click()
    await button('Show code for alice at Wiki').click()
    await button(/Copy$/).waitFor()
    await take('home')

    const first = await wiki.ask(signIn)
    await page.getByRole('heading', { name: 'Sign in to Wiki?' }).waitFor()
    await page.getByLabel('Enter the number').fill(first.number?.slice(0, 1) ?? '')
    await take('request')
    const attributes = [
      { key: 'Browser', value: 'Safari' },
      { key: 'System', value: 'macOS' },
    ]
    const second = await bank.ask({ ...signIn, attributes, ipAddress: '198.51.100.4' })
    await button('All 2 requests').click()
    await take('requests')
    await button(/^Wiki /).click()
    await page.getByLabel('Enter the number').fill(first.number ?? '')
    await button('Approve').click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    await take('approved')
    await button(/^Bank /).click()
    await page.getByLabel('Enter the number').fill(second.number ?? '')
    await page.getByLabel('Your PIN').fill('25')
    await take('request-pin')
    await button('It wasn’t me – block and report').click()
    await page.getByRole('heading', { name: 'Blocked. No one got in.' }).waitFor()
    await take('reported')
    await button('OK').click()

    await button('Options for alice at Wiki').click()
    await take('account')
    await button('Move to a new phone').click()
    await page.getByRole('timer').waitFor()
    await take('move')
    await button('Back').click()
    await button('History').click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.getByText('Reported').waitFor()
    await take('history')
    await button('Settings').click()
    await button('Send a test request').waitFor()
    await take('settings')
  } finally {
    await context.close()
    await service.stop()
  }
}

async function takeArabic(chromium: Browser, folder: string): Promise<void> {
  const service = await startPictureService()
  const wiki = await service.addDomain(
    { name: 'Wiki' },
    await drawLogo(chromium, '#0f766e', 'M14 16h20M14 24h20M14 32h12'),
  )
  const context = await chromium.newContext({ ...phone, locale: 'ar' })
  try {
    const page = await context.newPage()
    await page.goto(await wiki.activationLink())
    await page.locator('.actions .filled').click()
    await page.locator('.coded').waitFor()
    await takeTwice(chromium, page, join(folder, 'home-ar.png'))
    await wiki.ask(signIn)
    await page.locator('.keypad').waitFor()
    await takeTwice(chromium, page, join(folder, 'request-ar.png'))
  } finally {
    await context.close()
    await service.stop()
  }
}

/** Takes one picture of the current screen in both themes. */
async function takeTwice(chromium: Browser, page: Page, file: string): Promise<void> {
  const shots: Buffer[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    shots.push(await page.screenshot({ animations: 'disabled' }))
  }
  const frames = shots.map(
    (shot) => `<img src="data:image/png;base64,${shot.toString('base64')}" width="${phone.viewport.width}">`,
  )
  const sheet = await chromium.newPage({ viewport: { width: 844, height: 892 }, deviceScaleFactor: 1 })
  await sheet.setContent(
    `<style>body{margin:0;padding:23px;display:flex;gap:16px;width:min-content}img{border:1px solid #8b95a5;border-radius:20px}</style>${frames.join('')}`,
  )
  await writeFile(file, await toPalettePng(sheet, await sheet.locator('body').screenshot()))
  await sheet.close()
}

/** Such as apps have. */
async function drawLogo(chromium: Browser, colour: string, path: string): Promise<Buffer> {
  const page = await chromium.newPage({ viewport: { width: 48, height: 48 }, deviceScaleFactor: 2 })
  await page.setContent(
    `<style>body{margin:0}</style><svg width="48" height="48" viewBox="0 0 48 48"><rect width="48" height="48" fill="${colour}"/>
     <path d="${path}" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
  )
  const image = await page.screenshot()
  await page.close()
  return image
}
