import { request } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { RequestHandler } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { createSharedWatches, polled } from '../../src/express/live/shared-watches.ts'
import type { Change } from '../../src/express/live/shared-watches.ts'
import type { ConnectedService } from '../../src/challenge/service.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startServiceWithDoor } from '../support/service-door.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

interface Stream {
  readonly status: number
  readonly text: () => string
  readonly isOpen: () => boolean
  /** Resolves with all that came. */
  readonly ended: Promise<string>
  close(): void
}

/** Opens an event stream as a browser does, until the test closes it. */
async function openStream(url: string, browser: Browser, path = '/mfa/events'): Promise<Stream> {
  const cookie = browser.cookies()
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = request(url + path, { headers: { cookie, accept: 'text/event-stream' }, agent: false }, resolve)
    call.on('error', reject).end()
    onTestFinished(() => void call.destroy())
  })
  let text = ''
  let open = true
  answer.on('data', (chunk: Buffer) => void (text += chunk.toString()))
  const ended = new Promise<string>((resolve) => {
    answer.on('close', () => {
      open = false
      resolve(text)
    })
  })
  if (answer.statusCode === 204) answer.resume()
  return { status: answer.statusCode ?? 0, text: () => text, isOpen: () => open, ended, close: () => answer.destroy() }
}

/** An app whose people have a password and nothing else yet. */
async function arrange(options: Parameters<typeof startWebApp>[0] = {}) {
  const { door, service } = await startServiceWithDoor()
  const app = await startWebApp({ ...options, mfa: { service, ...options.mfa } })
  /** A user who is asked to set up a device. */
  async function enrolling(username: string) {
    const browser = app.browser()
    await app.signIn(browser, username)
    const page = await browser.visit('/account')
    expect(page.text).toContain('#code=')
    return { browser, page }
  }
  return { app, door, enrolling }
}

describe('one password-only account', () => {
  it('a password-only account with 150 idle streams does not block the sign-in of others, and triggers no failMode', async () => {
    const failMode = vi.fn<() => boolean>(() => false)
    const { app, door, enrolling } = await arrange({ mfa: { failMode, maxConcurrency: 16 } })
    const sessions: Browser[] = []
    for (let count = 0; count < 10; count++) sessions.push((await enrolling('mallory')).browser)
    Object.assign(door, { asked: 0 })

    const streams = await Promise.all(
      sessions.flatMap((browser) => Array.from({ length: 15 }, () => openStream(app.url, browser))),
    )
    await expect.poll(() => streams.filter((stream) => stream.isOpen()).length).toBeLessThanOrEqual(8)
    expect(streams.filter(({ status }) => status === 204).length).toBeGreaterThan(100)
    // One poll: who it is, and whether there is a device.
    await expect.poll(() => door.asked).toBe(2)

    const bob = app.browser()
    const { account, page } = await app.enroll(bob, 'bob')
    await app.answer(account, 'approve', numberOn(page))
    expect((await bob.submit('/mfa/complete')).headers['location']).toBe('/account')
    expect(app.trouble).toEqual([])
    expect(failMode).not.toHaveBeenCalled()
  })
})

describe('many requests of one account', () => {
  it('many hanging requests of one account do not block others', async () => {
    const { app, door, enrolling } = await arrange({ mfa: { maxConcurrency: 16, timeout: 30_000 } })
    const { browser: flooding } = await enrolling('mallory')
    const { browser: acting } = await enrolling('alice')
    const hanging = new Set<ServerResponse>()
    door.instead = (_req, res) => void hanging.add(res)
    const flood = Array.from({ length: 100 }, () => flooding.copy().submit('/mfa/code', { code: '123456' }))
    await expect.poll(() => hanging.size).toBe(4)

    door.instead = undefined
    expect((await acting.open('/mfa')).status).toBe(200)

    expect(hanging.size).toBe(4)
    for (const answer of hanging) answer.destroy()
    await Promise.all(flood)
    expect(app.trouble.join()).toContain('This user has too many calls waiting.')
  })
})

describe('the streams of one web session', () => {
  it('the streams of one web session are limited to four: the oldest is closed, and the others stay', async () => {
    const { app, enrolling } = await arrange()
    const { browser } = await enrolling('alice')
    const streams: Stream[] = []

    for (let count = 0; count < 5; count++) streams.push(await openStream(app.url, browser))

    expect(await streams[0]?.ended).toContain('event: crowded\ndata: \n\n')
    expect(streams.map((stream) => stream.isOpen())).toEqual([false, true, true, true, true])
    expect(streams.filter((stream) => stream.text().includes('crowded'))).toHaveLength(1)
  })

  inFullRun('the streams of one web session leave their place when they end', async () => {
    let closed = 0
    const watch: RequestHandler = (_req, res, next) => {
      res.once('close', () => closed++)
      next()
    }
    const { app, enrolling } = await arrange({ before: [watch] })
    const { browser } = await enrolling('alice')
    const firstStream = await openStream(app.url, browser)
    for (let count = 0; count < 6; count++) {
      const closedBefore = closed
      const stream = await openStream(app.url, browser)
      stream.close()
      await expect.poll(() => closed).toBe(closedBefore + 1)
    }

    expect(firstStream.text()).not.toContain('crowded')
    expect(firstStream.isOpen()).toBe(true)
  })

  inFullRun('the streams of one web session all report a change', async () => {
    const { app, enrolling } = await arrange()
    const { browser, page } = await enrolling('alice')
    const streams = await Promise.all(Array.from({ length: 4 }, () => openStream(app.url, browser)))

    await app.activate(page)
    await app.clock.advance(15)

    for (const stream of streams) expect(await stream.ended).toContain('event: change\ndata: activated\n\n')
  })

  inFullRun(
    'the page that sets up another device shares the limit of streams per web session, and asks the service once',
    async () => {
      const { door, service } = await startServiceWithDoor()
      const app = await startWebApp({ mfa: { service } })
      const browser = app.browser()
      const account = await app.verify(browser, 'alice')
      // Changing devices takes a pass of its own.
      await browser.submit('/mfa/devices/device')
      await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
      await browser.submit('/mfa/complete')
      await browser.submit('/mfa/devices/device')
      Object.assign(door, { asked: 0 })

      const streams: Stream[] = []
      for (let count = 0; count < 5; count++) {
        streams.push(await openStream(app.url, browser, '/mfa/devices/device/events'))
      }

      expect(await streams[0]?.ended).toContain('event: crowded')
      // The user; then the token and the domain.
      await expect.poll(() => door.asked).toBe(3)
    },
  )
})

describe('the streams of one user', () => {
  it('the streams of one user are limited to eight: another gets 204, and those of another web session stay open', async () => {
    const { app, enrolling } = await arrange()
    const sessions = [await enrolling('alice'), await enrolling('alice'), await enrolling('alice')]
    const open = (index: number) =>
      Promise.all(Array.from({ length: 4 }, () => openStream(app.url, sessions[index]?.browser ?? createBrowser(''))))
    const held = [...(await open(0)), ...(await open(1))]

    const further = await open(2)

    expect(further.map(({ status }) => status)).toEqual([204, 204, 204, 204])
    expect(held.every((stream) => stream.isOpen())).toBe(true)
  })

  it('the streams of one user at the limit leave no place for held requests, answered at once with retryAfter', async () => {
    const { app, enrolling } = await arrange()
    const [first, second, third] = [await enrolling('alice'), await enrolling('alice'), await enrolling('alice')]
    for (const { browser } of [first, second]) {
      for (let count = 0; count < 4; count++) await openStream(app.url, browser)
    }

    expect((await third.browser.fetch('/mfa/status')).body).toEqual({ change: 'none', retryAfter: 15 })
    expect((await first.browser.fetch('/mfa/status')).body).toEqual({ change: 'none', retryAfter: 15 })
    expect((await third.browser.fetch('/mfa/status?now')).body).toEqual({ change: 'none', retryAfter: 15 })
  })

  it('the streams of one user do not count for another user', async () => {
    const { app, enrolling } = await arrange()
    for (let count = 0; count < 2; count++) {
      const { browser } = await enrolling('mallory')
      for (let stream = 0; stream < 4; stream++) await openStream(app.url, browser)
    }

    const { browser } = await enrolling('bob')

    expect((await openStream(app.url, browser)).status).toBe(200)
  })
})

describeInFullRun('the device page without a device that is being set up', () => {
  it('the device page asks the service nothing while no device is being set up, however often its status is read', async () => {
    const { door, enrolling } = await arrange()
    const { browser } = await enrolling('mallory')
    Object.assign(door, { asked: 0 })

    for (let count = 0; count < 5; count++) {
      expect((await browser.fetch('/mfa/devices/device/status')).body).toEqual({ change: 'activated' })
    }

    expect(door.asked).toBe(0)
  })
})

/** Polls of a service that says the same until told otherwise. */
function arrangePolls() {
  const clock = createTestClock()
  let pollCount = 0
  let changed = false
  const service = { polling: {} } as ConnectedService
  const watches = createSharedWatches(() => Promise.resolve(service), clock)
  const watched = polled(clock, 'alice', () => {
    pollCount++
    return Promise.resolve(changed)
  })
  const changes: Change[] = []
  function follow(timeout = Number.POSITIVE_INFINITY) {
    const end = new AbortController()
    void watches.follow(watched, end.signal, timeout).then((change) => changes.push(change))
    return () => end.abort()
  }
  return { clock, watches, watched, follow, changes, countPolls: () => pollCount, change: () => void (changed = true) }
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

describe('polling for pages that wait', () => {
  it('polling for pages that wait starts at once a second and slows down to once in 15 seconds', async () => {
    const { clock, follow, countPolls } = arrangePolls()
    follow()
    await turn()
    const counts: number[] = []

    for (let minute = 0; minute < 3; minute++) {
      const pollsBefore = countPolls()
      await clock.advance(60)
      counts.push(countPolls() - pollsBefore)
    }

    expect(counts).toEqual([16, 4, 4])
  })

  it('polling is done once for all pages that wait', async () => {
    const { clock, follow, changes, countPolls, change } = arrangePolls()
    for (let count = 0; count < 100; count++) follow()
    await turn()
    expect(countPolls()).toBe(1)

    change()
    await clock.advance(1)

    expect(countPolls()).toBe(2)
    expect(changes).toEqual(Array(100).fill('activated'))
  })

  it('polling does not restart for pages that reconnect', async () => {
    const { clock, follow, countPolls } = arrangePolls()
    for (let count = 0; count < 100; count++) {
      follow()()
      await turn()
    }
    expect(countPolls()).toBe(1)

    await clock.advance(60)

    expect(countPolls()).toBeLessThanOrEqual(3)
  })

  it('polling ends for a page that times out, and continues for the others', async () => {
    const { clock, follow, changes, change } = arrangePolls()
    follow(25_000)
    follow()

    await clock.advance(25)
    expect(changes).toEqual(['none'])
    change()
    await clock.advance(15)

    expect(changes).toEqual(['none', 'activated'])
  })

  it('single status reads need no polling: they share a result for a second', async () => {
    const { clock, watches, watched, countPolls, change } = arrangePolls()
    for (let count = 0; count < 100; count++) expect(await watches.check(watched)).toBe('none')
    expect(countPolls()).toBe(1)

    change()
    await clock.advance(1)

    expect(await watches.check(watched)).toBe('activated')
  })

  it('a running poll also answers single status reads', async () => {
    const { watches, watched, follow, countPolls } = arrangePolls()
    follow()
    await turn()

    expect(await watches.check(watched)).toBe('none')

    expect(countPolls()).toBe(1)
  })
})

describe('polls', () => {
  it('polls of many accounts leave request slots to users who act', async () => {
    const { app, door, enrolling } = await arrange({ mfa: { maxConcurrency: 8 } })
    const { browser: acting } = await enrolling('alice')
    const people: Browser[] = []
    for (let count = 0; count < 8; count++) people.push((await enrolling(`person${count}`)).browser)
    const hanging = new Set<ServerResponse>()
    door.instead = (_req, res) => void hanging.add(res)
    for (const browser of people) await openStream(app.url, browser)
    await expect.poll(() => hanging.size).toBeGreaterThan(0)

    door.instead = undefined
    expect((await acting.open('/mfa')).status).toBe(200)

    expect(hanging.size).toBe(1)
    for (const answer of hanging) answer.destroy()
  })
})

describe('waiting in the queue of the app', () => {
  it('waiting in the app’s queue is no outage of the service: failMode is not asked, and later calls are sent', async () => {
    const failMode = vi.fn<() => boolean>(() => false)
    const factors = ['push', 'email'] as const
    const { app, door, enrolling } = await arrange({
      mfa: { failMode, factors: [...factors], maxConcurrency: 1, timeout: 3_000 },
    })
    const { browser } = await enrolling('alice')
    door.instead = (_req, res) => {
      setTimeout(() => {
        res.writeHead(404, { 'content-type': 'application/vnd.service.v1+json; version=1.4' })
        res.end(JSON.stringify({ errors: [{ code: 'api.error.notfound.user', message: '' }] }))
      }, 300)
    }

    const answers = await Promise.all(
      // Together they take longer than that, each of them a tenth of it.
      Array.from({ length: 20 }, () => browser.copy().submit('/mfa/email')),
    )
    door.instead = undefined

    const trouble = app.trouble.join('\n')
    expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0)
    expect(trouble).toContain('Timed out waiting for a free request slot.')
    expect(trouble).not.toContain('did not answer')
    expect(failMode).not.toHaveBeenCalled()
    expect((await browser.open('/mfa')).status).toBe(200)
  })
})
