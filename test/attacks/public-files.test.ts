import { readdirSync } from 'node:fs'

import cookieSession from 'cookie-session'
import express from 'express'
import type { RequestHandler } from 'express'
import express4 from 'express4'
import session from 'express-session'
import type { SessionOptions } from 'express-session'
import { mfa } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { openDatabase } from '../../example-app/storage/database.ts'
import { SessionStore } from '../../example-app/storage/session-store.ts'

/** All that `mfa()` serves without a sign-in, with what caches may do with it. */
const hashed = readdirSync(new URL('../../dist/authenticator/assets/', import.meta.url))[0]?.replace(/\.br$/, '') ?? ''
const shared = 'public, max-age=31536000, immutable'
const files: readonly (readonly [path: string, status: number, cacheControl: string | null])[] = [
  ['/mfa/assets/style.css?v=1', 200, shared],
  ['/mfa/assets/challenge.js?v=1', 200, shared],
  [`/mfa/authenticator/assets/${hashed}`, 200, shared],
  ['/mfa/authenticator/', 200, 'no-store'],
  ['/mfa/authenticator', 302, null],
  ['/mfa/authenticator/manifest.webmanifest', 200, 'no-cache'],
  ['/mfa/authenticator/icon.svg', 200, 'no-cache'],
  ['/mfa/authenticator/none', 404, 'no-store'],
  [`/mfa/device/images/${'d'.repeat(40)}`, 200, 'private, no-cache'],
  ['/mfa/device/requests', 401, 'no-store'],
  ['/mfa/device/none', 404, 'no-store'],
]

const majors = [
  ['Express 5', express],
  ['Express 4', express4],
] as const

/** An app with these web sessions, and a user who has one. */
async function arrange(create: typeof express, sessions: RequestHandler, middleware: readonly RequestHandler[] = []) {
  const service = await startTestService()
  onTestFinished(() => service.close())
  const app = create()
  app.use(sessions, ...middleware)
  app.get('/login', (req, res) => {
    Object.assign(req.session ?? {}, { username: 'alice' })
    res.sendStatus(204)
  })
  const user = (req: { session?: unknown }) => {
    const { username } = (req.session ?? {}) as { username?: string }
    return username === undefined ? null : { username }
  }
  app.use(mfa({ service, clock: service.clock, user, gate: false }))
  app.get('/whoami', (req, res) => void res.json(user(req)))
  const url = await listen(app)
  const cookie = (await fetch(`${url}/login`)).headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  const get = (path: string, headers: Record<string, string> = { cookie }) =>
    fetch(url + path, { headers, redirect: 'manual' })
  return { get, whoami: async () => (await get('/whoami')).json() as Promise<unknown>, cookie }
}

/** What makes express-session send a cookie with each answer, and delete what is unset. */
const generous: SessionOptions = {
  secret: 'test',
  resave: true,
  rolling: true,
  saveUninitialized: true,
  unset: 'destroy',
}

function memory() {
  const store = new session.MemoryStore()
  return { store, count: () => Object.keys((store as unknown as { sessions: object }).sessions).length }
}

describe.each(majors)('public files below /mfa, in %s with express-session', (_, create) => {
  it('public files below /mfa carry no cookie of express-session, and leave the web session as it is', async () => {
    const { get, whoami, cookie } = await arrange(create, session({ ...generous, store: memory().store }))
    expect(cookie).toContain('connect.sid=')

    for (const [path, status, cacheControl] of files) {
      const answer = await get(path)
      const { headers } = answer
      expect([path, answer.status, headers.get('cache-control')]).toEqual([path, status, cacheControl])
      expect([path, headers.getSetCookie()]).toEqual([path, []])
      expect(headers.get('vary') ?? '').not.toMatch(/cookie/i)
    }

    expect(await whoami()).toEqual({ username: 'alice' })
  })

  it('answers below /mfa leave the web session readable to what the app does when it answers, such as a log', async () => {
    const seen: unknown[] = []
    const read: RequestHandler = (req, res, next) => {
      const note = () => void seen.push((req.session as unknown as { username?: string }).username)
      const end = res.end.bind(res) as (...args: unknown[]) => typeof res
      Object.assign(res, { end: (...args: unknown[]) => (note(), end(...args), note(), res) })
      res.once('finish', note).once('close', note)
      next()
    }
    const { get } = await arrange(create, session({ ...generous, store: memory().store }), [read])
    seen.length = 0

    const paths = [...files.map(([path]) => path), '/mfa', '/mfa/status?now']
    for (const path of paths) await (await get(path)).text()

    await expect.poll(() => seen).toEqual(Array.from({ length: paths.length * 4 }, () => 'alice'))
  })

  it('public files below /mfa create no web session for visitors who have none', async () => {
    const { store, count } = memory()
    const { get } = await arrange(create, session({ ...generous, store }))
    const countBefore = count()

    for (const [path] of files) expect((await get(path, {})).headers.getSetCookie()).toEqual([])

    expect(count()).toBe(countBefore)
  })

  inFullRun('public files below /mfa write nothing to the session store', async () => {
    const database = openDatabase(':memory:')
    onTestFinished(() => void database.close())
    const store = new SessionStore(database, () => Math.floor(Date.now() / 1000))
    const written: string[] = []
    const { get, whoami } = await arrange(create, session({ ...generous, store }))
    for (const name of ['set', 'touch', 'destroy'] as const) {
      const original = (store[name] as (...args: unknown[]) => void).bind(store)
      Object.assign(store, { [name]: (...args: unknown[]) => (written.push(name), original(...args)) })
    }

    for (const [path] of files) await (await get(path)).text()

    expect(written).toEqual([])
    expect(await whoami()).toEqual({ username: 'alice' })
  })
})

describe.each(majors)('public files below /mfa, in %s with cookie-session', (_, create) => {
  it('public files below /mfa carry no cookie of cookie-session, and the browser keeps its own', async () => {
    // As its documentation shows it for sessions that last as long as they are used.
    const rolling: RequestHandler = (req, _res, next) => {
      Object.assign(req.session ?? {}, { seen: Math.random() })
      next()
    }
    const { get, whoami } = await arrange(create, cookieSession({ name: 'web', keys: ['test'] }), [rolling])
    expect((await get('/whoami')).headers.getSetCookie()).not.toEqual([])

    for (const [path] of files) {
      for (const requestHeaders of [undefined, {}])
        expect((await get(path, requestHeaders)).headers.getSetCookie()).toEqual([])
    }

    expect(await whoami()).toEqual({ username: 'alice' })
  })
})

describe('a cookie of the app on every answer', () => {
  it.each([['/mfa/assets/style.css'], [`/mfa/authenticator/assets/${hashed}`]])(
    'a cookie of the app on every answer keeps shared caches from storing %s',
    async (path) => {
      const setOwnCookie: RequestHandler = (_req, res, next) => {
        res.cookie('own', Math.random())
        next()
      }
      const { get } = await arrange(express, session({ ...generous, store: memory().store }), [setOwnCookie])

      const { headers } = await get(path)

      expect(headers.getSetCookie()).toHaveLength(1)
      expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    },
  )
})

describe('the files of the pages', () => {
  it.each(['/mfa/assets/style.css', '/mfa/assets/challenge.js'])(
    'the files of the pages are compressed as the browser accepts: %s',
    async (path) => {
      const { get } = await arrange(express, session({ ...generous, store: memory().store }))
      const load = async (accepted: string) => {
        const answer = await get(path, { 'accept-encoding': accepted })
        const { headers } = answer
        const text = await answer.text()
        return {
          text,
          encoding: headers.get('content-encoding'),
          length: Number(headers.get('content-length')),
          headers,
        }
      }

      const [plain, brotli, gzip] = [await load('identity'), await load('gzip, br'), await load('gzip, br;q=0')]

      expect([plain.encoding, brotli.encoding, gzip.encoding]).toEqual([null, 'br', 'gzip'])
      expect([brotli.text, gzip.text]).toEqual([plain.text, plain.text])
      expect(Math.max(brotli.length, gzip.length)).toBeLessThan(plain.length / 2)
      for (const { headers } of [plain, brotli, gzip]) expect(headers.get('vary')).toBe('Accept-Encoding')
    },
  )
})

describe('a service handle that calls next()', () => {
  it.each([
    ['express-session', () => session({ ...generous, store: memory().store })],
    ['cookie-session', () => cookieSession({ name: 'web', keys: ['test'] })],
  ])('mfa() reattaches the web session for the answer after a service handle calls next(): %s', async (_, sessions) => {
    const service = await startTestService()
    onTestFinished(() => service.close())
    const passesOn = {
      ...service,
      connect: () => service.connect(),
      routes: (_req: unknown, _res: unknown, next: () => void) => next(),
    }
    const app = express()
    app.use(sessions(), (req, _res, next) => {
      Object.assign(req.session ?? {}, { username: 'alice' })
      next()
    })
    app.use(
      mfa({
        service: passesOn,
        user: (req) => ({ username: (req.session as unknown as { username: string }).username }),
      }),
    )
    const url = await listen(app)

    const answer = await fetch(`${url}/mfa/device/elsewhere`, { headers: { accept: 'text/html' } })

    expect(answer.status).toBe(404)
    expect(answer.headers.getSetCookie()).not.toEqual([])
  })
})
