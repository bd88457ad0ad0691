import { Router } from 'express'
import type { Request, Response } from 'express'

import { devicePaths } from '../../contract/device.ts'
import type { ServiceContext } from '../context.ts'
import { answer, jsonLabel } from '../http/answer.ts'
import { readJson, readText } from '../http/body.ts'
import { answerError } from '../http/errors.ts'
import { heldRead, preferredWait } from '../http/held-read.ts'
import { nameRequest } from '../http/request-id.ts'
import { answerImage } from '../http/image.ts'
import { ApiProblem } from '../problem.ts'
import { noImage } from '../rules/default-image.ts'
import type { NamedImage } from '../rules/image.ts'
import { imageOfDomain } from '../store/domain-images.ts'
import { observe } from '../observer.ts'
import { waiterKey } from '../waiters.ts'
import { activate } from './activate.ts'
import { answerRequest } from './answer.ts'
import { changesAt, isNamedBy, readInbox } from './inbox.ts'
import { preview } from './preview.ts'
import { auditingForgeries, auditingTries } from './refusals.ts'
import { removeDevice } from './remove.ts'
import { refused } from './signature.ts'
import { verifyCall } from './signed-call.ts'

interface Reply {
  readonly value?: unknown
  readonly status?: 200 | 304
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of a value. */
  readonly image?: NamedImage
}

type Serve = (req: Request, res: Response) => Promise<Reply>

/** The device protocol. Answers everything below `/device`. */
export function createDeviceRoutes(ctx: ServiceContext): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const post = (path: string, serve: Serve) => router.all(path, only(ctx, 'POST', path, serve))
  const get = (path: string, serve: Serve) => router.all(path, only(ctx, 'GET', path, serve))

  post(devicePaths.preview, async (req, res) => {
    const given = { body: await readJson(req, res), address: addressOf(req) }
    return { value: await auditingTries(ctx, given.address, () => preview(ctx, given)) }
  })

  post(devicePaths.activate, async (req, res) => {
    const given = { jws: await readText(req, res), address: addressOf(req) }
    return { value: await auditingTries(ctx, given.address, () => activate(ctx, given)) }
  })

  get(devicePaths.requests, (req, res) => serveInbox(ctx, req, res))

  post(devicePaths.answer(':sessionId'), async (req, res) => {
    const sessionId = String(req.params.sessionId)
    const jws = await readText(req, res)
    const value = await auditingForgeries(ctx, { jws, address: addressOf(req) }, async () => {
      const call = await verifyCall(ctx, jws, { method: 'POST', path: devicePaths.answer(sessionId) })
      return answerRequest(ctx, call, sessionId)
    })
    return { value }
  })

  post(devicePaths.remove, async (req, res) => {
    const jws = await readText(req, res)
    const address = addressOf(req)
    await auditingForgeries(ctx, { jws, address }, async () => {
      const call = await verifyCall(ctx, jws, { method: 'POST', path: devicePaths.remove })
      await removeDevice(ctx, call, address ?? null)
    })
    return {}
  })

  get(devicePaths.image(':domainId'), async (req) => {
    return { image: (await imageOfDomain(ctx.store.db, String(req.params.domainId))) ?? noImage() }
  })

  router.use('/device', (_req, res) =>
    answerError(res, new ApiProblem('api.error.notfound.operation'), jsonLabel, ctx.logger),
  )
  return router
}

/** Held while it is what the device knows already. */
async function serveInbox(ctx: ServiceContext, req: Request, res: Response): Promise<Reply> {
  const jws = /^Device ([\w.-]+)$/i.exec(req.headers.authorization ?? '')?.[1]
  if (jws === undefined) throw refused()
  const { device } = await auditingForgeries(ctx, { jws, address: addressOf(req) }, () =>
    verifyCall(ctx, jws, { method: 'GET', path: devicePaths.requests }),
  )
  const known = req.headers['if-none-match']
  const wait = preferredWait(req.headers.prefer?.toString())
  const inbox = await heldRead(ctx, {
    key: waiterKey.device(device.id),
    wait: wait ?? 0,
    res,
    read: () => readInbox(ctx, device.id),
    changesAt: (read) => (isNamedBy(known, read) ? changesAt(read) : undefined),
  })
  const headers = { ETag: inbox.etag, ...(wait !== undefined && { 'Preference-Applied': `wait=${wait}` }) }
  return isNamedBy(known, inbox) ? { status: 304, headers } : { value: inbox.inbox, headers }
}

function only(ctx: ServiceContext, method: 'GET' | 'POST', path: string, serve: Serve) {
  const operation = path.slice(1)
  return async (req: Request, res: Response) => {
    nameRequest(req, res)
    observe(ctx, res, operation)
    try {
      if (req.method === 'OPTIONS') return answer(res, 200, undefined, { Allow: allowed(method) })
      if (req.method !== method) throw notThisWay(method)
      refuseOtherSites(req)
      const { status = 200, value, headers, image } = await serve(req, res)
      if (image) answerImage(req, res, image, headers)
      else answer(res, status, value, { ...jsonLabel, ...headers })
    } catch (error) {
      answerError(res, error, jsonLabel, ctx.logger)
    }
  }
}

/** Says nothing to other sites: a preflight that is answered without their origin fails. */
const allowed = (method: string) => `${method}, OPTIONS`

const notThisWay = (method: string) =>
  new ApiProblem('api.error.methodnotallowed', undefined, { headers: { Allow: allowed(method) } })

/** The authenticator is on our own origin. Another site has no business here, be it only to use up somebody's tries. */
function refuseOtherSites(req: Request): void {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') throw new ApiProblem('api.error.forbidden')
}

/** The caller, as an Express app around us sees it by its own `trust proxy`; without one, the other end of the connection. */
function addressOf(req: Request): string | undefined {
  return req.ip ?? req.socket.remoteAddress
}
