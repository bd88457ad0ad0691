import { describe, expect, it } from 'vitest'

import { frameworks, startOn } from '../support/frameworks.ts'
import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

describe('HEAD', () => {
  inFullRun.each(['/mfa', '/mfa/devices', '/mfa/status', '/mfa/recovery', '/mfa/nothing', '/mfa/assets/style.css'])(
    'HEAD %s is answered as GET is, without the body',
    async (path) => {
      const app = await startWebApp()
      const browser = app.browser()
      await app.verify(browser, 'alice')
      const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' }

      const get = await browser.send('GET', path, headers)
      const head = await browser.send('HEAD', path, headers)

      expect([head.status, head.headers['content-type'], head.headers['location'], head.text]).toEqual([
        get.status,
        get.headers['content-type'],
        get.headers['location'],
        '',
      ])
    },
  )

  inFullRun.each(frameworks)('HEAD of an event stream ends at once, in an app with %s', async (framework) => {
    const app = await startOn(framework)
    const browser = app.browser()
    await app.enroll(browser, 'alice')

    const head = await browser.send('HEAD', '/mfa/events', { accept: 'text/event-stream' })

    expect([head.status, head.headers['content-type'], head.text]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ])
  })

  inFullRun('HEAD of the held status is not held', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.enroll(browser, 'alice')

    expect((await browser.send('HEAD', '/mfa/status', { accept: 'application/json' })).status).toBe(200)
  })

  it('HEAD of the challenge page asks nobody', async () => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const head = await browser.send('HEAD', '/mfa', { accept: 'text/html', 'sec-fetch-mode': 'navigate' })

    expect(head.status).toBe(403)
    expect((await app.device.requests(account)).requests ?? []).toHaveLength(0)
  })

  inFullRun('HEAD of what can only be posted is refused, and the answer names the methods', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const posted = await browser.send('HEAD', '/mfa/code', {})
    const read = await browser.send('PUT', '/mfa/devices/app', {})

    expect([posted.status, posted.headers['allow']]).toEqual([405, 'POST'])
    expect([read.status, read.headers['allow']]).toEqual([405, 'GET, HEAD, POST'])
  })
})
