import { connect } from 'node:http2'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'

import createFastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { mfa } from 'second-factor/fastify'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { registerSessions, sessionOf } from '../support/frameworks.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn } from '../support/web-app.ts'

const asPage = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }

/** An app that speaks HTTP/2 alone, whose browsers send the host as a pseudo-header, and a browser in which Alice has signed in. */
async function arrange() {
  const service = await startTestService()
  const app = createFastify({ http2: true }) as unknown as FastifyInstance
  await registerSessions(app, '@fastify/session')
  await app.register(mfa, { service, clock: service.clock, user: (request) => sessionOf(request).user })
  app.get('/login', (request) => {
    sessionOf(request).user = { username: 'alice', email: 'alice@example.com' }
    return 'signed in'
  })
  app.get('/account', () => 'account')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const connection = connect(url)
  onTestFinished(async () => {
    connection.destroy()
    await app.close()
    await service.close()
  })
  const device = await service.enroll('alice')
  const jar = new Map<string, string>()

  async function call(method: string, path: string, more: OutgoingHttpHeaders = {}) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const type = method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
    const stream = connection.request({ ':method': method, ':path': path, cookie, ...type, ...more })
    stream.end()
    const answered = new Promise<IncomingHttpHeaders>((resolve) => stream.once('response', resolve))
    let text = ''
    for await (const piece of stream.setEncoding('utf8')) text += String(piece)
    const headers = await answered
    for (const line of headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    return { status: Number(headers[':status']), headers, text }
  }

  await call('GET', '/login')
  return { url, device, call }
}

describe('Fastify over HTTP/2', () => {
  it('an app over HTTP/2 has its users pass the second step, also in browsers that say no more than the origin', async () => {
    const { url, device, call } = await arrange()
    const sent = await call('GET', '/account', asPage)
    await call('GET', '/mfa', asPage)
    const page = await call('GET', '/mfa', asPage)
    const events = call('GET', '/mfa/events', { accept: 'text/event-stream' })

    await device.approve()
    const completed = await call('POST', '/mfa/complete', { accept: 'text/html', origin: url })

    expect([sent.status, sent.headers.location]).toEqual([303, '/mfa'])
    expect(numberOn(page)).toMatch(/^\d\d$/)
    expect((await events).text).toContain('event: change\ndata: settled')
    expect([completed.status, completed.headers.location]).toEqual([303, '/account'])
    expect((await call('GET', '/account')).text).toBe('account')
  })

  inFullRun('an app over HTTP/2 refuses a post of another origin, and returns htmx only to its own pages', async () => {
    const { url, call } = await arrange()
    await call('GET', '/mfa', asPage)
    const htmx = (page: string) => call('GET', '/account', { 'hx-request': 'true', 'hx-current-url': page })

    const foreign = await call('POST', '/mfa/code', { accept: 'text/html', origin: 'https://evil.example' })

    expect(foreign.status).toBe(403)
    expect((await htmx(`${url}/orders`)).headers['hx-redirect']).toBe('/mfa?returnTo=%2Forders')
    expect((await htmx('https://evil.example/orders')).headers['hx-redirect']).toBe('/mfa')
  })
})
