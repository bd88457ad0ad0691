/** `npm run pictures` takes the pictures of the documentation from the running example in a real browser. */
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { embedded } from 'second-factor/service'

import { createExampleApp } from '../example-app/app.ts'
import { launchChromium } from '../test/support/chromium.ts'
import { activate, createAccount, signIn } from '../test/story/person.ts'
import { takeAuthenticator } from './pictures/authenticator.ts'
import { root } from './run.ts'

const images = join(root, 'docs', 'images')

await mkdir(images, { recursive: true })
const chromium = await launchChromium()
try {
  await takeSignIn(chromium)
} finally {
  await chromium.close()
}
await takeAuthenticator(join(images, 'authenticator'))

/** The challenge page beside the authenticator, while the number is being asked for. */
async function takeSignIn(browser: Browser): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const publicUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  const service = embedded({ database: ':memory:', organization: 'Example Inc.', domain: 'Example' })
  const example = createExampleApp({
    database: ':memory:',
    service,
    sessionSecret: 'for pictures',
    publicUrl,
    recoveryCodes: false,
  })
  server.on('request', example.app)
  try {
    const desk = await browser.newContext({ viewport: { width: 560, height: 700 }, deviceScaleFactor: 2 })
    const phone = await browser.newContext({
      viewport: { width: 390, height: 720 },
      deviceScaleFactor: 2,
      hasTouch: true,
      isMobile: true,
    })
    const page = await desk.newPage()
    await createAccount(page, publicUrl, 'alice')
    await signIn(page, 'alice')
    const authenticator = await activate(await phone.newPage(), page)
    await page.locator('#number').waitFor()
    await authenticator.getByText('Sign in to').waitFor()
    await beside(browser, [page, authenticator], 'sign-in.png')
  } finally {
    server.closeAllConnections()
    server.close()
    await service.close()
    example.close()
  }
}

/** One picture of several pages, each in a frame. */
async function beside(browser: Browser, pages: readonly Page[], name: string): Promise<void> {
  const shots = await Promise.all(pages.map((page) => page.screenshot()))
  const frames = shots.map((shot, i) => {
    const { width } = pages[i]?.viewportSize() ?? { width: 400 }
    return `<img src="data:image/png;base64,${shot.toString('base64')}" width="${Math.round(width * 0.8)}">`
  })
  const sheet = await browser.newPage({ viewport: { width: 860, height: 640 }, deviceScaleFactor: 2 })
  await sheet.setContent(
    `<style>body{margin:0;padding:24px;display:flex;gap:24px;align-items:flex-start;justify-content:center;background:#fff}
     img{border:1px solid #d0d5de;border-radius:16px}</style>${frames.join('')}`,
  )
  await writeFile(join(images, name), await sheet.locator('body').screenshot())
}
