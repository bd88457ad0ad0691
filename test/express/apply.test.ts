import { EventEmitter } from 'node:events'

import type { Request, Response } from 'express'
import { describe, expect, it } from 'vitest'

import { UnreachableError } from '../../src/client/errors.ts'
import { serve } from '../../src/express/apply.ts'
import { ExpressResponse } from '../../src/express/framework/express-response.ts'
import type { Handler, Outcome, Sink } from '../../src/express/request/outcome.ts'
import { andThen, json, redirect } from '../../src/express/request/outcome.ts'
import type { WebRequest } from '../../src/express/request/web-request.ts'
import type { MfaState } from '../../src/express/session/mfa-state.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { createLanguages } from '../../src/express/options/languages.ts'

const saved: MfaState = { page: 'saved' }
const opened = { type: 'challenge.opened', purpose: 'sign_in' } as const

interface Store {
  /** Fails from this save on, counted from 0. */
  readonly failsAt?: number
  readonly cookieSession?: boolean
}

/** A request with a web session, and a log of everything that happens to it, in order. */
function arrange({ failsAt = Number.POSITIVE_INFINITY, cookieSession = false }: Store = {}, options: object = {}) {
  const log: string[] = []
  let saves = 0
  const createSession = (): object => ({
    save(done: (error?: Error) => void) {
      const isBroken = saves++ >= failsAt
      log.push(isBroken ? 'save failed' : `saved ${JSON.stringify(pageOf())}`)
      done(isBroken ? new Error('disk full') : undefined)
    },
    regenerate(done: () => void) {
      log.push('new id')
      req.session = createSession()
      done()
    },
  })
  const req = { headers: {}, originalUrl: '/mfa', socket: {}, acceptsLanguages: () => 'en' } as unknown as Omit<
    Request,
    'session'
  > & {
    session?: object | undefined
  }
  const pageOf = () => (Reflect.get(req.session ?? {}, 'mfa') as MfaState | undefined)?.page
  req.session = cookieSession ? { isPopulated: true } : createSession()
  const res = Object.assign(new EventEmitter(), {
    headersSent: false,
    writableEnded: false,
    statusCode: 200,
    appendHeader: (name: string, value: string) => void log.push(`${name}: ${value}`),
    setHeader: () => {},
    vary: () => {},
    write: (text: string) => void ((res.headersSent = true), log.push(`write ${text}`)),
    end(text = '') {
      res.headersSent = true
      res.writableEnded = true
      log.push(`end ${res.statusCode}${text.length > 40 ? '' : ` ${text}`}`.trim())
    },
    destroy: () => void log.push('destroyed'),
  })
  const logger = { info: () => {}, warn: () => {}, error: () => {} }
  const onEvent = ({ type }: { type: string }) => void log.push(`event ${type}`)
  const outage = { failed: () => {}, refused: () => {}, succeeded: () => {} }
  const context = {
    base: '/mfa',
    prefix: '',
    userKey: 'username:alice',
    requestId: () => 'r1',
    mfa: {
      outage,
      options: {
        clock: systemClock,
        onEvent,
        logger,
        languages: createLanguages({}, 'en'),
        returnOrigins: [],
        ...options,
      },
    },
  }
  const request = { req, context, user: { username: 'alice' }, state: {}, form: {} } as unknown as WebRequest
  const run = (handler: Handler) =>
    serve(request, new ExpressResponse(res as unknown as Response), () => void log.push('next'), handler)
  return { log, req, res, run }
}

const outcome =
  (overrides: Partial<Outcome>): Handler =>
  () => ({ state: 'as-is', answer: json(200, 'answer'), ...overrides })

describe('an outcome', () => {
  it('the outcome of a handler is applied in one order: state, cookies, events, answer', async () => {
    const { log, run } = arrange()

    await run(outcome({ state: { save: saved }, cookies: ['a=1'], events: [opened] }))

    expect(log).toEqual(['saved "saved"', 'Set-Cookie: a=1', 'event challenge.opened', 'end 200 "answer"'])
  })

  it('an outcome that renews the web session is saved under a new id before anything else happens', async () => {
    const { log, run } = arrange()

    await run(outcome({ state: { renew: saved }, events: [opened], answer: redirect('/') }))

    expect(log).toEqual(['new id', 'saved "saved"', 'event challenge.opened', 'end 303'])
  })

  it.each([
    ['saved', { save: saved }, ['save failed']],
    ['renewed', { renew: saved }, ['new id', 'save failed']],
  ] as const)(
    'an outcome that cannot be %s drops cookies, events and answer, and is answered with 503',
    async (_, state, expectedSteps) => {
      const { log, req, run } = arrange({ failsAt: 0 })

      await run(outcome({ state, cookies: ['a=1'], events: [opened] }))

      expect(log).toEqual([...expectedSteps, 'event service.unavailable', 'end 503'])
      expect(Object.hasOwn(req.session ?? {}, 'mfa')).toBe('save' in state)
    },
  )

  it('an outcome that continues does so with the saved state, after its cookies and events', async () => {
    const { log, run } = arrange()

    await run((request) =>
      andThen(request, { state: { save: saved }, events: [opened] }, ({ state }) => ({
        state: { save: { page: `${state.page} twice` } },
        answer: json(200, 'later'),
      })),
    )

    expect(log).toEqual(['saved "saved"', 'event challenge.opened', 'saved "saved twice"', 'end 200 "later"'])
  })

  it('an outcome does not continue if it cannot be saved', async () => {
    const { log, run } = arrange({ failsAt: 0 })

    await run((request) => andThen(request, { state: { save: saved } }, () => expect.unreachable('continued')))

    expect(log).toEqual(['save failed', 'event service.unavailable', 'end 503'])
  })

  it('an outcome keeps what was saved when a later step fails', async () => {
    const { log, run } = arrange()

    await run((request) =>
      andThen(request, { state: { save: saved }, events: [opened] }, () => {
        throw new UnreachableError('network', 'gone')
      }),
    )

    expect(log).toEqual(['saved "saved"', 'event challenge.opened', 'event service.unavailable', 'end 503'])
  })

  it('an outcome can let the request go to the next handler of the app', async () => {
    const { log, run } = arrange()

    await run(outcome({ state: { save: saved }, answer: { kind: 'next' } }))

    expect(log).toEqual(['saved "saved"', 'next'])
  })

  it('a mistake in the app is passed on as an error of the app, and nothing is answered', async () => {
    const { log, run } = arrange()

    await expect(run(() => Promise.reject(new TypeError('mistake')))).rejects.toThrow('mistake')
    expect(log).toEqual([])
  })
})

describe('a stream', () => {
  const streaming =
    (write: (sink: Sink) => void): Handler =>
    (request) =>
      andThen(request, { state: 'detach' }, () => ({
        state: 'as-is',
        answer: { kind: 'stream', run: async (sink) => write(sink) },
      }))

  it('a stream starts after the web session was detached: it can be read and holds no MFA state, and nothing stores it', async () => {
    const { log, req, run } = arrange()
    Object.assign(req.session ?? {}, { user: 'alice', mfa: { page: 'secret' } })

    await run(
      streaming((sink) => {
        const { session } = req as unknown as { session: { user?: string; save(done: () => void): void } }
        session.save(() => sink.end(`${session.user} ${Object.keys(session).join()}`))
      }),
    )

    expect(log).toEqual(['end 200 alice'])
  })

  it('a stream that fails after its first event is cut off, and failMode is not asked', async () => {
    const { log, run } = arrange({}, { failMode: () => expect.unreachable('asked') })

    await run(
      streaming((sink) => {
        sink.write('hello')
        throw new UnreachableError('network', 'gone')
      }),
    )

    expect(log).toEqual(['write hello', 'event service.unavailable', 'destroyed'])
  })

  it('a stream sends nothing after its end, however slowly the browser takes it', async () => {
    const { log, run } = arrange()

    await run(
      streaming((sink) => {
        sink.end('the end')
        sink.write('beat')
        sink.end('another end')
      }),
    )

    expect(log).toEqual(['end 200 the end'])
  })

  it('a stream aborts when the browser closes the connection', async () => {
    const { res, run } = arrange()
    let aborted: boolean | undefined

    await run(
      streaming(({ signal }) => {
        res.emit('close')
        aborted = signal.aborted
      }),
    )

    expect(aborted).toBe(true)
  })
})

const fails: Handler = () => Promise.reject(new UnreachableError('network', 'gone'))

describe('the page that says that the service is gone', () => {
  it('the page for an unavailable service loads the texts of its language if no page has loaded them before', async () => {
    const { log, run } = arrange({}, { languages: createLanguages({}, 'de') })

    await run(fails)

    expect(log).toEqual(['event service.unavailable', 'end 503'])
  })
})

describe('failMode', () => {
  it('failMode lets the user pass after its decision is saved', async () => {
    const { log, req, run } = arrange({}, { failMode: () => true })

    await run(fails)

    expect(log).toEqual(['saved undefined', 'event service.unavailable', 'event gate.let_through', 'end 303'])
    expect(req.session).toHaveProperty('mfa.letThrough.userKey', 'username:alice')
  })

  it('failMode lets nobody pass if its decision cannot be saved', async () => {
    const { log, run } = arrange({ failsAt: 0 }, { failMode: () => true })

    await run(fails)

    expect(log).toEqual(['save failed', 'event service.unavailable', 'end 503'])
  })

  it.each([[false], [true]])(
    'failMode is not asked once the web session is detached (cookie-session: %s)',
    async (cookieSession) => {
      const { log, run } = arrange({ cookieSession }, { failMode: () => expect.unreachable('asked') })

      await run((request) => andThen(request, { state: 'detach' }, () => fails(request, new AbortController().signal)))

      expect(log).toEqual(['event service.unavailable', 'end 503'])
    },
  )
})
