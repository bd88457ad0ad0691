import type { AddressInfo } from 'node:net'

import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import secureSession from '@fastify/secure-session'
import session from '@fastify/session'
import express4 from 'express4'
import createFastify from 'fastify'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { embedded } from 'second-factor/service'
import { isVerified, mfa, requireMfa } from 'second-factor/fastify'
import { onTestFinished } from 'vitest'

import { createWatchedClock, quickHash } from '../service/start-service.ts'
import { createBrowser } from './browser.ts'
import { isLongRun } from './full-run.ts'
import { people, startWebApp } from './web-app.ts'
import type { WebApp, WebAppOptions } from './web-app.ts'

/** For `describe.each`, in `npm test`: signing in, and the attacks on web sessions. */
export const frameworks = ['Express 5', 'Express 4', '@fastify/session', '@fastify/secure-session'] as const

export type Framework = (typeof frameworks)[number]

/** For `describe.each`, of what is built on that: `npm test` runs these on Express, and `npm run test:full` on Fastify, too. */
export const mainFrameworks: readonly Framework[] = isLongRun ? frameworks : ['Express 5']

/** The options that mean the same on each framework. */
type Options = Pick<WebAppOptions, 'mfa' | 'service'>

export type FrameworkApp = Omit<WebApp, 'settings'>

/** The app of `startWebApp()`, on any framework. */
export function startOn(framework: Framework, options: Options = {}): Promise<FrameworkApp> {
  if (framework === 'Express 5') return startWebApp(options)
  if (framework === 'Express 4') return startWebApp({ ...options, express: express4 })
  return startFastifyApp(framework, options)
}

interface Person {
  readonly username: string
  readonly email: string
}

/** A web session of either plugin. */
interface Session {
  user?: Person | undefined
  regenerate(): void | Promise<void>
  destroy?(): Promise<void>
  delete?(): void
}

export const sessionOf = (request: FastifyRequest): Session => request.session

type FastifyFramework = Exclude<Framework, `Express ${string}`>

/** Registers the plugin of web sessions, and what it needs. @param options Those of `@fastify/session`. */
export async function registerSessions(
  app: FastifyInstance,
  framework: FastifyFramework,
  options: Partial<session.FastifySessionOptions> = {},
): Promise<void> {
  await app.register(cookie)
  if (framework === '@fastify/secure-session') {
    await app.register(secureSession, { key: Buffer.alloc(32, 'key'), cookie: { path: '/' } })
  } else {
    const secret = 'a secret of thirty-two characters'
    await app.register(session, { secret, cookie: { secure: false }, saveUninitialized: false, ...options })
  }
}

export interface FastifyAppOptions extends Options {
  readonly session?: Partial<session.FastifySessionOptions>
  /** What the app registers between its web sessions and `mfa`. */
  readonly beforeMfa?: (app: FastifyInstance) => void | Promise<void>
  /** Routes of the test, behind the gate. */
  readonly routes?: (app: FastifyInstance) => void
}

export async function startFastifyApp(framework: FastifyFramework, options: FastifyAppOptions = {}) {
  const clock = createWatchedClock()
  const service = embedded({ database: ':memory:', clock, pinHashCost: quickHash, ...options.service })
  const trouble: string[] = []
  const app = createFastify({ forceCloseConnections: true })
  await registerSessions(app, framework, options.session)
  await app.register(formbody)
  await options.beforeMfa?.(app)
  await app.register(mfa, {
    service,
    clock,
    user: (request) => sessionOf(request).user,
    provision: true,
    logoutPath: '/logout',
    appName: 'Test',
    recoveryCodes: false,
    logger: { info() {}, warn() {}, error: (message) => void trouble.push(message) },
    ...(options.mfa as object),
  })
  addRoutes(app)
  options.routes?.(app)
  const url = await start(app)
  onTestFinished(async () => {
    await app.close()
    await service.close()
  })
  return { url, clock, service, trouble, browser: () => createBrowser(url), ...people(url, clock, trouble) }
}

async function start(app: FastifyInstance): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

function addRoutes(app: FastifyInstance): void {
  app.post('/login', async (request, reply) => {
    const { username = '', password } = request.body as Readonly<Record<string, string>>
    if (password !== 'secret') return reply.code(401).send()
    await sessionOf(request).regenerate()
    sessionOf(request).user = { username, email: 'person@example.com' }
    return reply.redirect('/account', 303)
  })
  app.all('/logout', async (request, reply) => {
    await sessionOf(request).destroy?.()
    if (request.session) sessionOf(request).delete?.()
    return reply.redirect('/', 303)
  })
  app.get('/danger', { preHandler: requireMfa({ maxAge: 300 }) }, () => 'danger')
  app.all('/*', (request) => ({
    path: request.url.split('?', 1)[0],
    verified: isVerified(request),
    user: sessionOf(request).user ?? null,
    mfa: request.mfa,
  }))
}
