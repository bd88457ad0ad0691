import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'

import type { RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { createBufferingProxy } from '../support/buffering-proxy.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** A user who waits behind a proxy that forwards only complete responses, and cuts connections that are silent for a minute. */
async function arrange() {
  let onRequest = () => {}
  const watch: RequestHandler = ({ path }, _res, next) => {
    if (path === '/mfa/events' || path === '/mfa/status') onRequest()
    next()
  }
  let app: Awaited<ReturnType<typeof startWebApp>> | undefined
  const proxy = await listen(
    createBufferingProxy({
      prefix: '/portal',
      port: () => Number(new URL(app?.url ?? '').port),
      after: (milliseconds, callback) => app?.clock.after(milliseconds, callback) ?? (() => {}),
    }),
  )
  app = await startWebApp({ before: [watch], mfa: { publicUrl: `${proxy}/portal` } })
  const browser = createBrowser(proxy)
  await browser.submit('/portal/login', { username: 'alice', password: 'secret' })
  const account = await app.activate(await browser.visit('/portal/mfa'))
  const page = await browser.visit('/portal/mfa')

  /** Opens a connection as the page does; the app has it when this resolves. */
  async function open(path: string): Promise<{ answer: Promise<{ status: number | undefined; text: string }> }> {
    const reached = new Promise<void>((resolve) => (onRequest = resolve))
    const headers = { cookie: browser.cookies(), accept: 'application/json' }
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      request(`${proxy}/portal${path}`, { headers }, resolve).on('error', reject).end()
    })
    await reached
    return { answer: answer.then(async (res) => ({ status: res.statusCode, text: (await res.toArray()).join('') })) }
  }

  return { app, account, page, open }
}

describe('a buffered stream', () => {
  it('a buffered stream delivers nothing until the proxy times out', async () => {
    const { app, open } = await arrange()

    const { answer } = await open('/mfa/events')
    await app.clock.advance(60)

    expect(await answer).toMatchObject({ status: 504 })
  })

  inFullRun('held requests that replace a buffered stream report a change at once', async () => {
    const { app, account, page, open } = await arrange()

    const { answer } = await open('/mfa/status')
    await app.answer(account, 'approve', numberOn(page))

    expect(await answer).toEqual({ status: 200, text: '{"change":"settled"}' })
  })

  inFullRun('held requests that replace a buffered stream are answered long before the proxy times out', async () => {
    const { app, open } = await arrange()

    const { answer } = await open('/mfa/status')
    // The app begins to hold it some turns after it came in.
    for (let seconds = 0; seconds < 59; seconds++) await app.clock.advance(1)

    expect(await answer).toEqual({ status: 200, text: '{"change":"none"}' })
  })
})
