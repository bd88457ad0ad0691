import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Vendor } from '../../../contract/media-type.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { answer, jsonLabel, vendorLabel } from '../http/answer.ts'
import type { Label } from '../http/answer.ts'
import { answerError } from '../http/errors.ts'
import type { Handle } from '../http/handle.ts'
import { nameRequest } from '../http/request-id.ts'
import { ApiProblem } from '../base/problem.ts'

/** A page that a standalone service serves beside its interfaces, such as `/healthz`. */
export interface Page {
  /** The exact path, without a query. */
  readonly path: string
  readonly serve: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>
}

export interface FrontOptions {
  readonly vendor: Vendor
  readonly pages: readonly Page[]
  /** Whether a request gets none of the pages; by default all are for every host. */
  readonly isReserved?: (req: IncomingMessage) => boolean
  /** Tried in this order; each passes on other requests. */
  readonly handles: readonly Handle[]
}

/** Serves everything on one server, including the 404. */
export function createFront(
  ctx: Pick<ServiceContext, 'failures'>,
  { vendor, pages, isReserved = () => false, handles }: FrontOptions,
): (req: IncomingMessage, res: ServerResponse) => void {
  const label = vendorLabel(vendor, '1.3')
  const byPath = new Map(pages.map((page) => [page.path, page]))
  return (req, res) => {
    nameRequest(req, res)
    req.url = originForm(req.url)
    const page = isReserved(req) ? undefined : byPath.get(req.url.replace(/\?.*$/s, ''))
    if (page) void servePage(ctx, page, req, res)
    else passOn(handles, req, res, (error) => answerError(res, error ?? notFound(), label, ctx.failures))
  }
}

/** Proxies may send an absolute URL; the host does not matter here (RFC 9112 section 3.2.2). */
function originForm(url = '/'): string {
  const path = /^https?:\/\/[^/?#]*(.*)$/is.exec(url)?.[1]
  if (path === undefined) return url
  return path.startsWith('/') ? path : `/${path}`
}

const notFound = () => new ApiProblem('api.error.notfound.operation')

function passOn(
  [first, ...otherHandles]: readonly Handle[],
  req: IncomingMessage,
  res: ServerResponse,
  last: (error?: unknown) => void,
): void {
  if (!first) return last()
  first(req, res, (error) =>
    error === undefined || error === null ? passOn(otherHandles, req, res, last) : last(error),
  )
}

const methods = 'GET, HEAD, OPTIONS'

async function servePage(
  ctx: Pick<ServiceContext, 'failures'>,
  page: Page,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const label: Label = jsonLabel
  try {
    if (req.method === 'OPTIONS') return answer(res, 200, undefined, { Allow: methods })
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new ApiProblem('api.error.methodnotallowed', undefined, { headers: { Allow: methods } })
    }
    await page.serve(req, res)
  } catch (error) {
    answerError(res, error, label, ctx.failures)
  }
}
