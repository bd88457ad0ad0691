import type { Request, Response } from 'express'

import type { ServiceHandle } from '../../service-handle.ts'
import { leaveByPage } from './leave-by-page.ts'
import { passTo } from './pass-to.ts'
import type { Mount } from './pass-to.ts'
import type { FrameworkRequest } from './request.ts'
import type { FrameworkResponse, Headers, Pieces, RawAnswer } from './response.ts'

/** The response of a request, whatever the framework. */
export function responseOf(req: FrameworkRequest): FrameworkResponse {
  return req.response ?? new ExpressResponse((req as Request).res as Response)
}

/** A class, because each request has one. */
export class ExpressResponse implements FrameworkResponse {
  readonly raw: Response
  readonly handlersAwaitAnswers = false

  constructor(res: Response) {
    this.raw = res
  }

  get original(): Response {
    return this.raw
  }

  get isBegun(): boolean {
    return this.raw.headersSent
  }

  get isAnswered(): boolean {
    return this.raw.headersSent || this.raw.writableEnded || this.raw.destroyed
  }

  get hasCookies(): boolean {
    return this.raw.hasHeader('Set-Cookie')
  }

  addCookie(value: string): void {
    this.raw.appendHeader('Set-Cookie', value)
  }

  send({ status, headers, body }: RawAnswer): void {
    const res = this.raw
    res.setHeader('Cache-Control', 'no-store')
    res.statusCode = status
    for (const [name, value] of Object.entries(headers)) {
      if (name === 'Vary') res.vary(value)
      else res.setHeader(name, value)
    }
    res.end(body)
  }

  stream(headers: Headers): Pieces {
    const res = this.raw
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    return { write: (text) => void res.write(text), end: (text) => void res.end(text) }
  }

  render(view: string, model: object): Promise<string> {
    return new Promise((resolve, reject) => {
      this.raw.render(view, model, (error: unknown, html) => (error ? reject(error) : resolve(html)))
    })
  }

  leaveByPage(): void {
    leaveByPage(this.raw)
  }

  passTo(handler: ServiceHandle['routes'], mount: Mount): Promise<void> {
    return passTo(handler, this.raw.req, this.raw, mount)
  }
}
