import { globSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { launchChromium } from './chromium.ts'
import { inFullRun } from '../support/full-run.ts'

describe('the browser that the tests use', () => {
  let browser: Browser
  let ownServer: Server
  let otherServer: Server

  beforeAll(async () => {
    browser = await launchChromium()
    ownServer = await page()
    otherServer = await page()
  })
  afterAll(async () => {
    await browser.close()
    ownServer.close()
    otherServer.close()
  })

  it('the test browser reads its own origin and refuses to read another one', async () => {
    const tab = await browser.newPage()
    await tab.goto(address(ownServer))

    const ownResult = await tab.evaluate(read, address(ownServer))
    const foreignResult = await tab.evaluate(read, address(otherServer))

    expect(ownResult).toBe('read')
    expect(foreignResult).toBe('TypeError')
  })

  inFullRun('the test browser loads its fonts from its own folder, wherever the checkout is', async () => {
    const tab = await browser.newPage()
    await tab.setContent('<p>text</p>')

    const [configuration = ''] = globSync('node_modules/.cache/second-factor/*/fonts.conf')

    expect(await tab.locator('p').isVisible()).toBe(true)
    expect(readFileSync(configuration, 'utf8')).not.toContain(process.cwd())
  })

  inFullRun('the test browser keeps running when one of its contexts is closed', async () => {
    const context = await browser.newContext()
    await context.newPage()

    await context.close()

    expect(browser.isConnected()).toBe(true)
  })
})

async function page(): Promise<Server> {
  const server = createServer((_, res) => res.setHeader('content-type', 'text/html').end('<title>a page</title>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function address(server: Server): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new TypeError('not listening on a port')
  return `http://127.0.0.1:${bound.port}/`
}

/** Runs in the page. */
const read = (url: string) =>
  fetch(url).then(
    () => 'read',
    (error: unknown) => (error instanceof TypeError ? 'TypeError' : 'another error'),
  )
