import { startTestService } from 'second-factor/testing'
import { describe, expect, it } from 'vitest'

import { random128 } from '../support/device-signer.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { shownCode } from '../support/shown-code.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const linkOn = ({ text }: { text: string }) =>
  / href="([^"]*)"[^>]*>Open the authenticator on this phone</.exec(text)?.[1]

/** Shows the number of Alice, whose device waits, with a service that speaks only 1.3. */
async function withOldService(authenticatorUrl: string | undefined) {
  const service = await startTestService()
  const app = await startWebApp({
    mfa: {
      clock: service.clock,
      service: { ...service, connect: async () => ({ ...(await service.connect()), version: '1.3' as const }) },
      authenticatorUrl,
    },
  })
  await service.addUser('alice')
  await service.enroll('alice')
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  const page = await browser.visit('/account')
  await service.close()
  return page
}

describe('the waiting page', () => {
  inFullRun('the waiting page names the device that was asked', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { page } = await app.enroll(browser, 'alice')

    const sentence = 'We sent a request to <strong><bdi>Test device</bdi></strong>. Enter this number there:'
    expect(page.text).toContain(sentence)
    expect((await browser.visit('/mfa')).text).toContain(sentence)
  })

  inFullRun('the waiting page says “your device” where the service does not report its name', async () => {
    const page = await withOldService(undefined)

    expect(page.text).toContain('We sent a request to your device. Approve it there.')
    expect(linkOn(page)).toBeUndefined()
  })

  inFullRun('the waiting page escapes the name of the device, which the device chooses', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const code = /#code=([a-z0-9]{10})/.exec((await browser.visit('/account')).text)?.[1] ?? ''
    await app.device.activate(`${app.url}/mfa`, code, { name: '<img src=x>{device}' })

    const page = await browser.visit('/mfa')

    expect(page.text).toContain('<bdi>&lt;img src=x&gt;{device}</bdi>')
  })

  it('the waiting page links to the request in the authenticator, and never with the number', async () => {
    const app = await startWebApp()
    const { account, page } = await app.enroll(app.browser(), 'alice')
    const [request] = (await app.device.requests(account)).requests ?? []

    const link = new URL(linkOn(page) ?? '')

    expect(link.pathname).toBe('/mfa/authenticator/')
    expect(link.search).toBe('')
    expect(link.hash).toBe(`#request=${request?.id}`)
  })

  inFullRun('the waiting page links to the plain address of an authenticator that is not ours', async () => {
    expect(linkOn(await withOldService('https://phone.example/app'))).toBe('https://phone.example/app')
  })

  inFullRun('the waiting page has a button that copies the number, which only a script shows', async () => {
    const app = await startWebApp()
    const { page } = await app.enroll(app.browser(), 'alice')

    expect(page.text).toMatch(/<button type="button"[^>]* id="copy"[^>]* hidden>Copy<\/button>/)
  })
})

describe('the code on the waiting page', () => {
  /** The waiting page, and what its device learns from the code on it. */
  async function waiting() {
    const app = await startWebApp()
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    const request = async () => (await app.device.requests(account)).requests![0]!
    const scan = async ({ secret = '' }: { secret?: string }) => app.device.scan(account, await request(), secret)
    return { app, browser, account, page, request, scan }
  }

  inFullRun('the QR code is not a URL, and gives the device the number of the page', async () => {
    const { page, request, scan } = await waiting()
    const code = shownCode(page)!

    const scanned = await scan(code)

    expect(code.text).toMatch(/^sf1:[0-9a-f]{40}:[A-Za-z0-9_-]{22}$/)
    expect(code.sessionId).toBe((await request()).id)
    expect(scanned).toMatchObject({ state: 'pending', number: numberOn(page) })
    expect(page.text).not.toContain(code.secret)
  })

  inFullRun('the QR code stays the same while its request waits, and changes for the next request', async () => {
    const { app, browser, page } = await waiting()

    const reloadedPage = await browser.visit('/mfa')
    await app.clock.advance(20)
    await browser.submit('/mfa/send')
    const next = await browser.visit('/mfa')

    expect(shownCode(reloadedPage)).toEqual(shownCode(page))
    expect(shownCode(next)?.secret).toMatch(/^[A-Za-z0-9_-]{22}$/)
    expect(shownCode(next)?.secret).not.toBe(shownCode(page)?.secret)
  })

  inFullRun('a request is denied when another QR code is scanned in its place', async () => {
    const { browser, scan } = await waiting()

    const scanned = await scan({ secret: random128() })
    const page = await browser.visit('/mfa')

    expect(scanned).toMatchObject({ state: 'denied', reason: 'wrong_number' })
    expect(page.text).toContain('That wasn&#39;t the right number')
    expect(shownCode(page)).toBeUndefined()
  })

  it('the secret of the QR code leaves the web session when the request ends', async () => {
    const stored: unknown[] = []
    const app = await startWebApp({
      routes: (express) => express.get('/public', (req, res) => res.end(stored.push(req.session) && '')),
      mfa: { required: (req) => req.path !== '/public' },
    })
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')
    await browser.visit('/public')
    await app.answer(account, 'deny')
    await browser.visit('/mfa')
    await browser.visit('/public')

    const texts = stored.map((each) => JSON.stringify(each))
    expect(texts.map((text) => text.includes('scanSecret'))).toEqual([true, false])
  })

  inFullRun('no QR code is shown without a number, or by a service that speaks only 1.3', async () => {
    const app = await startWebApp({ mfa: { numberMatching: false } })
    const { page } = await app.enroll(app.browser(), 'alice')

    expect([shownCode(page), shownCode(await withOldService(undefined))]).toEqual([undefined, undefined])
  })
})

describeInFullRun('a page of an open request', () => {
  it.each(['/mfa', '/mfa?use=other', '/mfa?use=code', '/mfa/devices'])(
    'a page of an open request asks the service for the user once: %s',
    async (path) => {
      const service = await startTestService()
      const calls: string[] = []
      const connect = async () => {
        const connection = await service.connect()
        const counted: typeof fetch = (url, init) => {
          calls.push(
            `${init?.method ?? 'GET'} ${new URL(url instanceof Request ? url.url : url).pathname.replace(/^.*\/api/, '')}`,
          )
          return (connection.fetch ?? fetch)(url, init)
        }
        return { ...connection, fetch: counted }
      }
      const app = await startWebApp({ mfa: { clock: service.clock, service: { ...service, connect } } })
      await service.addUser('alice')
      await service.enroll('alice')
      const browser = app.browser()
      await app.signIn(browser, 'alice')
      await browser.visit('/account')
      calls.length = 0

      const page = await browser.visit(path)

      expect(page.status).toBe(200)
      expect(calls.filter((call) => call === 'GET /users')).toHaveLength(1)
      await service.close()
    },
  )
})
