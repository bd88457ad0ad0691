import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'

import { describeInFullRun } from '../support/full-run.ts'
import { startExample } from './start-example.ts'

describe('jwt-api.js', () => {
  const call = (url: string, authorization?: string) =>
    fetch(`${url}/api/reports`, { headers: authorization === undefined ? {} : { authorization } })

  it('jwt-api.js issues a token after the second step, and rejects other tokens', async () => {
    const example = await startExample('jwt-api.js')
    const browser = example.browser()
    await example.signIn(browser, 'alice')

    expect((await browser.submit('/token')).headers['location']).toBe('/mfa')
    await example.passSecondStep(browser)
    const [, token] = /(Bearer [^"]+)"/.exec((await browser.submit('/token')).text) ?? []

    expect(await (await call(example.url, token)).json()).toEqual({ reports: [], of: 'alice' })
    expect((await call(example.url)).status).toBe(401)
    expect((await call(example.url, `${token}x`)).status).toBe(401)
  })
})

describeInFullRun('websocket.js', () => {
  /** What a page of this web session gets when it opens the WebSocket. */
  function open(url: string, cookie: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = new WebSocket(url.replace('http:', 'ws:'), { headers: { cookie } })
      socket.on('message', (data: Buffer) => {
        resolve(data.toString())
        socket.close()
      })
      socket.on('error', (error) => resolve(error.message))
    })
  }

  it('websocket.js opens only for users who have passed the second step, and closes when their web sessions end', async () => {
    const example = await startExample('websocket.js')
    const browser = example.browser()
    const cookie = () => `connect.sid=${browser.cookie('connect.sid')}`
    await example.signIn(browser, 'alice')

    expect(await open(example.url, cookie())).toContain('403')
    await example.passSecondStep(browser)

    expect(await open(example.url, cookie())).toBe('Welcome, Alice')
    const socket = new WebSocket(example.url.replace('http:', 'ws:'), { headers: { cookie: cookie() } })
    const closed = new Promise((resolve) => void socket.once('close', resolve))
    await new Promise((resolve) => void socket.once('message', resolve))
    await browser.submit('/mfa/devices/sessions')
    expect(await closed).toBe(4403)
  })
})

describeInFullRun('socket-io.js', () => {
  /** What a client of this web session is told when it connects, by long polling (Engine.IO protocol 4, Socket.IO protocol 5). */
  async function connect(url: string, cookie: string): Promise<string> {
    const headers = { cookie }
    const address = `${url}/socket.io/?EIO=4&transport=polling`
    const [, sid] = /"sid":"([^"]+)"/.exec(await (await fetch(address, { headers })).text()) ?? []
    await fetch(`${address}&sid=${sid}`, { method: 'POST', headers, body: '40' })
    return (await fetch(`${address}&sid=${sid}`, { headers })).text()
  }

  it('socket-io.js connects only users who have passed the second step', async () => {
    const example = await startExample('socket-io.js')
    const browser = example.browser()
    const cookie = () => `connect.sid=${browser.cookie('connect.sid')}`
    await example.signIn(browser, 'alice')

    expect(await connect(example.url, cookie())).toBe('44{"message":"mfa_required"}')
    await example.passSecondStep(browser)

    expect(await connect(example.url, cookie())).toContain('["welcome","Alice"]')
  })
})
