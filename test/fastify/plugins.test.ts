import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import compress from '@fastify/compress'
import view from '@fastify/view'
import webSocket from '@fastify/websocket'
import createFastify from 'fastify'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mfa, verifyUpgrade } from 'second-factor/fastify'
import type { MfaOptions } from 'second-factor/fastify'
import pug from 'pug'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

import { createBrowser } from '../support/browser.ts'
import { registerSessions, sessionOf } from '../support/frameworks.ts'
import { inFullRun } from '../support/full-run.ts'

interface Settings {
  readonly fastify?: object
  readonly mfa?: Partial<MfaOptions>
  /** Registers what the app has beside `mfa`, before it. */
  readonly beforeMfa?: (app: FastifyInstance) => PromiseLike<unknown>
  readonly routes?: (app: FastifyInstance) => void
}

/** An app with a login, whose user has a device. Only what a test needs is closed by force. */
async function start({ fastify, mfa: options, beforeMfa, routes }: Settings = {}) {
  const service = await startTestService()
  const app = createFastify({ forceCloseConnections: true, ...fastify })
  await registerSessions(app, '@fastify/session')
  await beforeMfa?.(app)
  await app.register(mfa, {
    service,
    clock: service.clock,
    user: (request: FastifyRequest) => sessionOf(request).user,
    logger: { info() {}, warn() {}, error() {} },
    ...options,
  })
  app.get('/login', (request) => {
    sessionOf(request).user = { username: 'alice', email: 'alice@example.com' }
    return 'signed in'
  })
  app.get('/', () => 'secret '.repeat(500))
  routes?.(app)
  await app.ready()
  const device = await service.enroll('alice')
  onTestFinished(async () => {
    await app.close()
    await service.close()
  })
  const listen = async () => {
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return Object.assign(createBrowser(url), { url })
  }
  return { app, service, device, listen }
}

type Browser = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['listen']>>

async function pass(browser: Browser, device: { approve(): Promise<unknown> }): Promise<void> {
  await browser.open('/login')
  await browser.open('/')
  await browser.open('/mfa')
  await device.approve()
  await browser.submit('/mfa/complete', {})
}

/** Opens the event stream of the page that waits. */
async function openStream(browser: Browser, headers: Record<string, string> = {}) {
  const answer = await fetch(`${browser.url}/mfa/events`, {
    headers: { cookie: browser.cookies(), accept: 'text/event-stream', ...headers },
  })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  return { next: () => reader.read() }
}

describe('the plugin for Fastify beside other plugins', () => {
  it('with @fastify/compress, pages are compressed and pass, and the event stream arrives piece by piece', async () => {
    const beforeMfa = (app: FastifyInstance) => app.register(compress, { threshold: 0 })
    const { device, listen } = await start({ beforeMfa })
    const browser = await listen()
    await browser.open('/login')
    await browser.open('/')
    const page = await browser.open('/mfa')
    const stream = await openStream(browser, { 'accept-encoding': 'gzip' })

    const hello = await stream.next()
    await device.approve()
    const news = await stream.next()
    await browser.submit('/mfa/complete', {})

    expect(page.text).toContain('Approve the sign-in')
    expect(hello.value).toContain('event: hello')
    expect(news.value).toContain('event:')
    expect((await browser.open('/')).text).toContain('secret')
  })

  inFullRun("with @fastify/view, the challenge is the app's own page", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-fastify-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'second-step.pug'), "h1= 'Our page: ' + headline\n!= content")
    const beforeMfa = (app: FastifyInstance) => app.register(view, { engine: { pug }, root: folder, viewExt: 'pug' })
    const { listen } = await start({ beforeMfa, mfa: { views: { challenge: 'second-step' } } })
    const browser = await listen()
    await browser.open('/login')
    await browser.open('/')

    const page = await browser.open('/mfa')

    expect(page.text).toContain('<h1>Our page: Approve the sign-in</h1>')
  })

  inFullRun(
    'with @fastify/websocket, a socket opens for verified users alone, and closes when the verification ends',
    async () => {
      const beforeMfa = (app: FastifyInstance) => app.register(webSocket)
      const { device, service, listen } = await start({
        beforeMfa,
        routes(app) {
          app.get('/live', { websocket: true }, async (socket, request) => {
            const upgrade = await verifyUpgrade(request)
            if (!upgrade) return socket.close(4403, 'mfa_required')
            socket.once(
              'close',
              upgrade.onEnd(() => socket.close(4403, 'mfa_required')),
            )
            socket.send('open')
          })
        },
      })
      const browser = await listen()
      const openSocket = () => new WebSocket(`${browser.url}/live`, { headers: { cookie: browser.cookies() } })
      await browser.open('/login')
      const refused = openSocket()
      const [error] = (await once(refused, 'error')) as [Error]
      await pass(browser, device)

      const socket = openSocket()
      const [message] = (await once(socket, 'message')) as [Buffer]
      await service.endSessions('alice')
      const [code] = (await once(socket, 'close')) as [number]

      expect(error.message).toContain('403')
      expect(String(message)).toBe('open')
      expect(code).toBe(4403)
    },
  )

  inFullRun('over HTTP/2, a person passes the second step', async () => {
    const { app, device } = await start({ fastify: { http2: true, forceCloseConnections: false } })
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const session = connect(address)
    onTestFinished(() => session.destroy())
    const call = http2Browser(session, new URL(address).origin)
    await call('GET', '/login')
    const refused = await call('GET', '/')
    const page = await call('GET', '/mfa')
    await device.approve()

    const completed = await call(
      'POST',
      '/mfa/complete',
      `token=${/name="token" value="([^"]+)"/.exec(page.text)?.[1]}`,
    )

    expect(refused.status).toBe(303)
    expect(page.text).toContain('Approve the sign-in')
    expect(completed.status).toBe(303)
    expect((await call('GET', '/')).text).toContain('secret')
  })

  inFullRun('an app closes at once while pages wait, without force', async () => {
    const { app, listen } = await start({ fastify: { forceCloseConnections: 'idle' } })
    const browser = await listen()
    await browser.open('/login')
    await browser.open('/')
    await browser.open('/mfa')
    const stream = await openStream(browser)
    await stream.next()

    await app.close()

    expect((await stream.next()).done).toBe(true)
  })
})

/** What a browser does over HTTP/2: keeps cookies, and says where it navigates. */
function http2Browser(session: ClientHttp2Session, origin: string) {
  const cookies = new Map<string, string>()
  return async (method: string, path: string, form?: string) => {
    const stream = session.request({
      ':method': method,
      ':path': path,
      accept: 'text/html',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      'sec-fetch-site': 'same-origin',
      origin,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    })
    stream.end(form)
    const [headers] = (await once(stream, 'response')) as [Record<string, string | string[]> & { ':status': number }]
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    let text = ''
    for await (const chunk of stream.setEncoding('utf8')) text += chunk
    return { status: headers[':status'], text }
  }
}
