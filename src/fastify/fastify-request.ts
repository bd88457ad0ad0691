import type { FastifyReply, FastifyRequest } from 'fastify'

import type { FrameworkRequest } from '../express/framework/request.ts'
import type { SessionKind, WebSession } from '../express/framework/session-kind.ts'
import { FastifyResponse } from './fastify-response.ts'
import { kindOfFastify } from './fastify-sessions.ts'

/** What plugins, the app and `mfa()` add to a request. */
interface Decorations {
  session?: WebSession | null | undefined
  readonly sessionStore?: object
  readonly user?: unknown
  [key]?: RequestOfFastify
}

const key = Symbol('second-factor request')

/** What to write where a request has no web session. */
export const sessionAdvice =
  'write await app.register(session, …) before await app.register(mfa, …), with @fastify/session or @fastify/secure-session'

/** What `mfa()` reads of a request of Fastify. A class, because each request has one. */
export class RequestOfFastify implements FrameworkRequest {
  readonly original: FastifyRequest
  readonly response: FastifyResponse | undefined
  readonly sessionAdvice = sessionAdvice
  baseUrl = ''
  #kind: SessionKind | undefined

  constructor(request: FastifyRequest, reply: FastifyReply | undefined) {
    this.original = request
    this.response = reply && new FastifyResponse(reply)
  }

  get headers() {
    return this.original.headers
  }

  get rawHeaders() {
    return this.original.raw.rawHeaders
  }

  get method() {
    return this.original.method
  }

  get originalUrl() {
    return this.original.originalUrl
  }

  /** As Fastify has found the route, after the option `rewriteUrl`. */
  get path() {
    return this.original.url.slice(this.baseUrl.length).split('?', 1)[0] || '/'
  }

  get ip() {
    return this.original.ip
  }

  get socket() {
    return this.original.raw.socket
  }

  get user() {
    return this.#decorations.user
  }

  /** With `trustProxy`, Fastify lists the addresses up to the first one that is not trusted. */
  get isFromProxy() {
    return (this.original.ips?.length ?? 0) > 1
  }

  /** The pages of `mfa()` have no parser: what stands in `request.body` there is the body to be read. */
  get #posted() {
    return (this.original.body ?? this.original.raw) as FastifyRequest['raw']
  }

  get readableEnded() {
    return this.#posted.readableEnded
  }

  get complete() {
    return this.original.raw.complete
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    return this.#posted[Symbol.asyncIterator]()
  }

  get session(): WebSession | undefined {
    return this.#decorations.session ?? undefined
  }

  set session(session: WebSession | undefined) {
    this.#decorations.session = session
  }

  get #decorations(): Decorations {
    return decorationsOf(this.original)
  }

  get sessionID(): string | undefined {
    return this.sessionKind.idOf(this)
  }

  get sessionStore() {
    return this.#decorations.sessionStore
  }

  /** Known from the first web session on, because one that is detached says nothing. */
  get sessionKind(): SessionKind {
    this.#kind ??= this.session && kindOfFastify(this.session)
    return this.#kind ?? kindOfFastify(undefined)
  }
}

const decorationsOf = (request: FastifyRequest): Decorations => request as unknown as Decorations

/** Prepares a request for `mfa()`. @param baseUrl The prefix at which `mfa` was registered. */
export function prepareRequest(request: FastifyRequest, reply: FastifyReply, baseUrl: string): RequestOfFastify {
  const prepared = answerableRequest(request, reply)
  prepared.baseUrl = baseUrl
  return prepared
}

/** The same request for each call, which can be answered, whether `mfa()` has seen it or not. */
export function answerableRequest(request: FastifyRequest, reply: FastifyReply): RequestOfFastify {
  const decorated: Decorations = decorationsOf(request)
  decorated[key] ??= new RequestOfFastify(request, reply)
  return decorated[key]
}

/** The same request for each call; for one that `mfa()` has not seen, without an answer. */
export function requestOf(request: FastifyRequest): RequestOfFastify {
  return decorationsOf(request)[key] ?? new RequestOfFastify(request, undefined)
}
