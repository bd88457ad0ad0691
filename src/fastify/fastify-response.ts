import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'

import type { FastifyInstance, FastifyReply } from 'fastify'

import { refreshTo } from '../express/framework/leave-by-page.ts'
import { passTo } from '../express/framework/pass-to.ts'
import type { Mount } from '../express/framework/pass-to.ts'
import type { FrameworkResponse, Headers, Pieces, RawAnswer } from '../express/framework/response.ts'
import type { ServiceHandle } from '../service-handle.ts'

/** A reply with the view engine of @fastify/view. */
type WithViews = FastifyReply & { viewAsync?(view: string, model: object): Promise<string> }

/** The streams of pages that wait, of each app. */
const streams = new WeakMap<FastifyInstance['server'], Set<PassThrough>>()

/** Ends the streams of pages that wait, because `app.close()` waits for them. The pages then ask anew. */
export function endStreams({ server }: Pick<FastifyInstance, 'server'>): void {
  for (const pieces of streams.get(server) ?? []) pieces.end()
}

function noteStream({ server }: Pick<FastifyInstance, 'server'>, pieces: PassThrough): void {
  const open = streams.get(server) ?? new Set()
  streams.set(server, open.add(pieces))
  pieces.once('close', () => open.delete(pieces))
}

/** Answers by `reply.send()`: a raw answer would skip the hooks that store the web session and send its cookie. */
export class FastifyResponse implements FrameworkResponse {
  readonly original: FastifyReply
  readonly handlersAwaitAnswers = true
  /** `reply.sent` is true only once hooks and streams are done. */
  #isSending = false

  constructor(reply: FastifyReply) {
    this.original = reply
  }

  get raw(): ServerResponse {
    return this.original.raw
  }

  get isBegun(): boolean {
    return this.#isSending || this.original.sent || this.raw.headersSent
  }

  get isAnswered(): boolean {
    return this.isBegun || this.raw.destroyed
  }

  get hasCookies(): boolean {
    return this.original.hasHeader('Set-Cookie')
  }

  addCookie(value: string): void {
    this.original.header('Set-Cookie', value)
  }

  send({ status, headers, body }: RawAnswer): void {
    this.#isSending = true
    this.#setHeaders({ 'Cache-Control': 'no-store', ...headers })
    this.original.code(status).send(body)
  }

  stream(headers: Headers): Pieces {
    const pieces = new PassThrough()
    this.#isSending = true
    this.#setHeaders(headers)
    noteStream(this.original.server, pieces)
    this.original.code(200).send(pieces)
    return {
      write: (text) => void (pieces.writable && pieces.write(text)),
      end: (text) => void (pieces.writable && pieces.end(text)),
    }
  }

  async render(view: string, model: object): Promise<string> {
    const reply: WithViews = this.original
    if (!reply.viewAsync) throw new Error('the reply has no viewAsync(): register @fastify/view before mfa')
    return reply.viewAsync(view, model)
  }

  leaveByPage(): void {
    const reply = this.original
    const send = reply.send.bind(reply)
    reply.send = (payload?: unknown) => {
      this.#isSending = true
      const refresh = refreshTo(reply.statusCode, reply.getHeader('Location'))
      if (refresh !== undefined) reply.removeHeader('Location').header('Refresh', refresh).code(200)
      return send(payload)
    }
  }

  async passTo(handler: ServiceHandle['routes'], mount: Mount): Promise<void> {
    const { raw: res } = this
    // Hooks of the app have set them, such as those of @fastify/helmet.
    for (const [name, value] of Object.entries(this.original.getHeaders())) {
      if (value !== undefined) res.setHeader(name, value)
    }
    await passTo(handler, this.original.request.raw, res, mount)
    if (res.headersSent || res.writableEnded || res.destroyed) this.original.hijack()
  }

  #setHeaders(headers: Headers): void {
    for (const [name, value] of Object.entries(headers)) {
      this.original.header(name, name === 'Vary' ? varyWith(this.original, value) : value)
    }
  }
}

function varyWith(reply: FastifyReply, value: string): string {
  const before = String(reply.getHeader('Vary') ?? '')
  const names = before.split(',').map((name) => name.trim().toLowerCase())
  if (names.includes('*') || names.includes(value.toLowerCase())) return before
  return before === '' ? value : `${before}, ${value}`
}
