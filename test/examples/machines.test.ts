import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'

import { startExample } from './start-example.ts'

describe('jwt-api.js', () => {
  const call = (url: string, authorization?: string) =>
    fetch(`${url}/api/reports`, { headers: authorization === undefined ? {} : { authorization } })

  it('gives a token after the second step, and its API takes no other', async () => {
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

describe('websocket.js', () => {
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

  it('opens to people who passed the second step', async () => {
    const example = await startExample('websocket.js')
    const browser = example.browser()
    const cookie = () => `connect.sid=${browser.cookie('connect.sid')}`
    await example.signIn(browser, 'alice')

    expect(await open(example.url, cookie())).toContain('403')
    await example.passSecondStep(browser)

    expect(await open(example.url, cookie())).toBe('Welcome, Alice')
  })
})
