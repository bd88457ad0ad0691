import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'

import { startService } from '../support/running-service.ts'
import { phones } from './phone.ts'
import { headline } from './screen.ts'

const phone = await phones({ serviceWorkers: 'allow' })

/** In front of a service; serves the authenticator as if it had been released once more, when told to. */
async function startReleases() {
  const service = await startService()
  let release = 'first'
  const server: Server = createServer((req, res) => {
    // Not compressed, as the text is changed.
    const { 'accept-encoding': _accepted, ...headers } = req.headers
    const upstream = request(service.url + req.url, { method: req.method, headers }, (answer) => {
      if (/\/authenticator\/(sw\.js)?$/.test(req.url ?? '')) return void changed(answer, res)
      res.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(res)
      return undefined
    })
    req.pipe(upstream)
  })
  async function changed(answer: IncomingMessage, res: ServerResponse): Promise<void> {
    // What makes browsers ask whether it changed would be that of the service's own file.
    const stale = ['content-length', 'etag', 'last-modified']
    const headers = Object.entries(answer.headers).filter(([name]) => !stale.includes(name))
    res.writeHead(answer.statusCode ?? 500, Object.fromEntries(headers))
    res.end(
      (await text(answer))
        .replace(/(cachePrefix \+ ")/, `$1${release}-`)
        .replace('<html lang="en">', `<html lang="en" data-release="${release}">`),
    )
  }
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    publish: (name: string) => void (release = name),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const release = (page: Page) => page.evaluate(() => document.documentElement.dataset['release'])
const cacheNames = (page: Page) =>
  page.evaluate(async () => (await caches.keys()).filter((name) => !name.includes('notice')))

/** Looks whether there is a new version, as the browser does by itself when the app is opened. */
const waitForUpdate = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    await registration.update()
    while (!registration.waiting) await new Promise((resolve) => setTimeout(resolve, 20))
  })

describe('a new version', () => {
  it('a new version takes over when the app is opened again, at the same address, and removes the old files', async () => {
    const releases = await startReleases()
    const page = await phone.open(releases)
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))

    releases.publish('second')
    await waitForUpdate(page)
    const open = [await release(page), (await cacheNames(page)).length]
    await page.reload()
    await headline(page, 'Add an account')
    await expect.poll(() => release(page)).toBe('second')

    expect(open).toEqual(['first', 2])
    await expect.poll(() => cacheNames(page)).toEqual([expect.stringContaining('second-')])
    releases.publish('third')
    await waitForUpdate(page)
    await page.goto(`${releases.url}/healthz`)
    await page.goto(`${releases.url}/authenticator/#code=zzzzzzzzz2`)
    await expect.poll(() => release(page)).toBe('third')
    await expect.poll(() => page.getByLabel('Activation code or link').inputValue()).toBe('zzzzzzzzz2')
    expect(page.url()).toBe(`${releases.url}/authenticator/`)
  })

  it('a new version does not block the app: without a connection the old version opens', async () => {
    const releases = await startReleases()
    const page = await phone.open(releases)
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    releases.stop()

    await page.reload()

    expect(await headline(page, 'Add an account')).toBe(true)
  })
})
