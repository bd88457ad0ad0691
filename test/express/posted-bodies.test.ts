import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'

import express from 'express'
import express4 from 'express4'
import type { MfaOptions } from 'second-factor'
import { describe, expect, it, onTestFinished } from 'vitest'

import { startWebApp } from '../support/web-app.ts'
import { codesOf } from './own-factors.ts'

/** An app in which this handler runs before mfa(), for its pages only. */
async function startApp(handler: express.RequestHandler, { with: major = express } = {}) {
  const lines = { debug: [] as string[], warn: [] as string[], error: [] as string[] }
  const heard = Promise.withResolvers<void>()
  const logger: MfaOptions['logger'] = {
    info() {},
    debug(line) {
      lines.debug.push(line)
      heard.resolve()
    },
    warn: (line) => void lines.warn.push(line),
    error(line) {
      lines.error.push(line)
      heard.resolve()
    },
  }
  const app = await startWebApp({
    express: major,
    before: [(req, res, next) => (req.path.startsWith('/mfa/') ? handler(req, res, next) : next())],
    mfa: { logger },
  })
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  await browser.visit('/account')

  /** Sets up an authenticator app with a right code. @returns where the browser is led. */
  async function setUp(headers: Record<string, string> = {}) {
    const code = codesOf(app, await browser.open('/mfa/enroll/app'))
    return (await browser.submit('/mfa/enroll/app', { code: code() }, headers)).headers['location']
  }
  return { ...app, browser, setUp, lines, heard: heard.promise }
}

/** Reads the body as a parser does that keeps nothing. */
const swallow: express.RequestHandler = (req, _res, next) => void req.resume().once('end', () => next())

const leaveEmptyText: express.RequestHandler = (req, res, next) =>
  void swallow(req, res, () => {
    req.body = ''
    next()
  })

describe('a posted form', () => {
  it.each<[string, express.RequestHandler, typeof express?]>([
    ['text', express.text({ type: '*/*' })],
    ['bytes', express.raw({ type: '*/*' })],
    ['fields', express.urlencoded({ extended: false })],
    ['text by a parser of Express 4', express4.text({ type: '*/*' }), express4],
    ['an empty object by the JSON parser of Express 4, which has read nothing', express4.json(), express4],
  ])('a posted form is read where the app has read its body as %s', async (_which, parser, major = express) => {
    const app = await startApp(parser, { with: major })

    expect(await app.setUp()).toBe('/mfa?use=code')
    expect(app.lines.warn).toEqual([])
  })

  it.each<[string, express.RequestHandler, Record<string, string>]>([
    ['has read it and kept nothing', swallow, {}],
    ['has read it and left an empty text', leaveEmptyText, {}],
    ['has read another type as text', express.text({ type: '*/*' }), { 'content-type': 'text/plain' }],
  ])(
    'a posted form leads to one warning where the app %s, because every code would be wrong',
    async (_which, parser, headers) => {
      const app = await startApp(parser)

      expect([await app.setUp(headers), await app.setUp(headers)]).toEqual(['/mfa/enroll/app', '/mfa/enroll/app'])
      expect(app.lines.warn).toEqual([
        expect.stringMatching(
          /^mfa: POST \/mfa\/enroll\/app: the body was read before mfa\(\), and req\.body has no fields/,
        ),
      ])
    },
  )

  it('a posted form that is too long to be ours is answered like an empty one, and its connection takes the next request', async () => {
    const app = await startApp((_req, _res, next) => next())
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const answers = socket.setEncoding('utf8')[Symbol.asyncIterator]()
    const head = (line: string, ...more: string[]) =>
      [
        line,
        'Host: localhost',
        `Cookie: ${app.browser.cookies()}`,
        'Sec-Fetch-Site: same-origin',
        ...more,
        '',
        '',
      ].join('\r\n')
    const type = 'Content-Type: application/x-www-form-urlencoded'
    socket.write(head('POST /mfa/enroll/app HTTP/1.1', type, 'Content-Length: 100000'))
    for (let sent = 0; sent < 100_000; sent += 10_000) {
      socket.write('x'.repeat(10_000))
      // Each piece is read by itself.
      await setTimeout(5)
    }

    const posted = await answers.next()
    socket.write(head('GET /mfa/devices HTTP/1.1'))
    const next = await answers.next()

    expect(posted.value).toMatch(/^HTTP\/1.1 303 [^]*\/mfa\/enroll\/app/)
    expect(next.value).toMatch(/^HTTP\/1.1 /)
  })

  it('a posted form that its browser aborts is one line at debug level, and no error', async () => {
    const app = await startApp((_req, _res, next) => next())
    const { port } = new URL(app.url)
    const socket = connect(Number(port), '127.0.0.1')
    const head = [
      'POST /mfa/enroll/app HTTP/1.1',
      'Host: localhost',
      `Cookie: connect.sid=${app.browser.cookie('connect.sid')}`,
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 100',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\ncode=1`, () => setImmediate(() => socket.destroy()))

    await app.heard
    await app.browser.open('/mfa')

    expect(app.lines).toEqual({
      debug: ['mfa: POST /mfa/enroll/app was aborted before its body was complete'],
      warn: [],
      error: [],
    })
  })
})
