import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'

import { responseOf } from '../express/framework/express-response.ts'
import { createInstance } from '../express/instance.ts'
import { receive } from '../express/receive.ts'
import type { Instance } from '../express/instance.ts'
import type { MfaOptions as ExpressOptions } from '../express/options/mfa-options.ts'
import { contextOf } from '../express/request/context.ts'
import type { RequestMfa } from '../express/request-mfa.ts'
import { createRejectedPosts } from '../express/setup-checks/rejected-posts.ts'
import { createWarner } from '../express/setup-checks/warnings.ts'
import { requireNode } from '../ground/node-version.ts'
import { SetupError } from '../service-handle.ts'
import { fastifyChecks } from './fastify-checks.ts'
import { endStreams } from './fastify-response.ts'
import { prepareRequest, requestOf, sessionAdvice } from './fastify-request.ts'
import type { MfaOptions } from './mfa-options.ts'
import { mfaMember } from './request-member.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The second step of this request; undefined before `mfa`, or `requireMfa({ bearer })`, has seen it. */
    readonly mfa: RequestMfa | undefined
  }
}

/**
 * Gives a Fastify app a second factor: serves the challenge under `/mfa`, and lets a signed-in user pass to any other route
 * only once the second step is passed. Goes after the web session, `@fastify/session` or `@fastify/secure-session`.
 *
 * @throws {TypeError} at start, naming the option that is wrong or missing; {SetupError} if no web session was registered before it.
 *
 * @example
 * await app.register(cookie)
 * await app.register(session, { secret, saveUninitialized: false })
 * await app.register(mfa, { service: embedded({ database: 'mfa.sqlite' }), user: (request) => request.session.user })
 */
export const mfa: FastifyPluginAsync<MfaOptions> = Object.assign(plugin, {
  // Its hooks and decorators belong to the app that registers it, as with the package fastify-plugin.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'second-factor',
  [Symbol.for('plugin-meta')]: { name: 'second-factor', fastify: '>=5' },
})

async function plugin(app: FastifyInstance, options: MfaOptions): Promise<void> {
  requireNode('mfa')
  checkSetup(app, options)
  const instance = createInstance(options as unknown as ExpressOptions)
  const { prefix } = app
  if (!app.hasRequestDecorator('mfa')) app.decorateRequest('mfa', { getter: mfaMember.get })
  addGate(app, instance, prefix)
  app.addHook('preClose', (done) => {
    endStreams(app)
    done()
  })
  await app.register(async (pages) => addPages(pages, instance, prefix))
}

/** @throws {SetupError} where something is missing that `mfa` needs, or comes too late. */
function checkSetup(app: FastifyInstance, { user }: Partial<MfaOptions>): void {
  if (typeof user !== 'function') {
    throw new TypeError('mfa: set the option user, such as user: (request) => request.session.user')
  }
  if (!app.hasRequestDecorator('session')) throw new SetupError(`mfa found no web session: ${sessionAdvice}`)
  // Addresses are compared as browsers send them, so a prefix that Fastify decodes or shortens would never be one of them.
  if (/[:*]|\/$|[^!-~]/.test(app.prefix))
    throw new SetupError(`mfa: register it at a plain prefix, not at ${app.prefix}`)
}

/**
 * The first hook decides about all requests of users who are signed in by then, and serves their pages. Hooks that are added later do
 * not run for those, such as a CSRF protection that knows only tokens of its own. The second hook is for logins that run in between,
 * such as those of @fastify/passport.
 */
function addGate(app: FastifyInstance, instance: Instance, prefix: string): void {
  const warn = createWarner(instance.mfa.options, fastifyChecks)
  const noteSeen = createRejectedPosts(instance.mfa.options, orderOfFastify)

  app.addHook('onRequest', function mfaGate(request, reply, done) {
    const req = prepareRequest(request, reply, prefix)
    noteSeen(request.raw)
    warn(req)
    receive(instance, req, responseOf(req), done as Next, { moment: 'early' })
  })
  app.addHook('preHandler', function mfaGateForLaterUsers(request, reply, done) {
    // A plugin at a prefix below this one has seen the request since.
    const req = prepareRequest(request, reply, prefix)
    const context = contextOf(req)
    if (isPage(request) || (context?.mfa === instance.mfa && context.user)) return done()
    receive(instance, req, responseOf(req), done as Next, { moment: 'late' })
  })
}

type Next = (error?: unknown) => void

const orderOfFastify = "await app.register(mfa, { … }), then app.addHook('onRequest', app.csrfProtection)"

/** Serves the pages of visitors. They have a scope of their own, in which no parser of the app reads a form. */
function addPages(pages: FastifyInstance, instance: Instance, prefix: string): void {
  const { path, passkeys } = instance.mfa.options
  pages.removeAllContentTypeParsers()
  pages.addContentTypeParser('*', (_request, body, done) => done(null, body))
  pages.decorateRequest(pageKey, true)
  pages.addHook('onSend', keepFromSharedCaches)
  const serve = (request: FastifyRequest, reply: FastifyReply): void => {
    const req = requestOf(request)
    const next = (error?: unknown) => void (error ? reply.send(error) : reply.callNotFound())
    receive(instance, req, responseOf(req), next, { moment: 'late' })
  }
  pages.all(path, serve)
  pages.all(`${path}/*`, serve)
  if (passkeys.relatedOrigins.length > 0 && prefix === '') pages.get('/.well-known/webauthn', serve)
}

/** Plugins add the cookies of the app only now: a shared cache must not hand those to others (RFC 9111 section 7.3). */
function keepFromSharedCaches(
  _request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const cacheControl = String(reply.getHeader('Cache-Control') ?? '')
  if (reply.hasHeader('Set-Cookie')) reply.header('Cache-Control', cacheControl.replace(/^public\b/, 'private'))
  done(null, payload)
}

/** Tells requests for our pages, whose handler decides about visitors. */
const pageKey = Symbol('second-factor page')

const isPage = (request: FastifyRequest): boolean => (request as { [pageKey]?: boolean })[pageKey] === true
