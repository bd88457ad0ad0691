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
import { readHistory } from './history.ts'
import { preview } from './preview.ts'
import { changePush, readPush } from './push.ts'
import { auditingForgeries, auditingTries } from './refusals.ts'
import { removeDevice } from './remove.ts'
import { refused } from './signature.ts'
import { verifyCall } from './signed-call.ts'
import type { SignedCall } from './signed-call.ts'

interface Reply {
  readonly value?: unknown
  readonly status?: 200 | 304
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of a value. */
  readonly image?: NamedImage
}

type Serve = (req: Request, res: Response) => Promise<Reply>

/** What a path does, by method. */
type Ways = Readonly<Partial<Record<'GET' | 'POST', Serve>>>

/** The device protocol. Answers everything below `/device`. */
export function createDeviceRoutes(ctx: ServiceContext): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const on = (path: string, ways: Ways) => router.all(path, only(ctx, path, ways))
  const post = (path: string, serve: Serve) => on(path, { POST: serve })
  const get = (path: string, serve: Serve) => on(path, { GET: serve })

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
    return postOf(ctx, { req, res, path: devicePaths.answer(sessionId) }, (call) => answerRequest(ctx, call, sessionId))
  })

  post(devicePaths.remove, (req, res) =>
    postOf(ctx, { req, res, path: devicePaths.remove }, (call) => removeDevice(ctx, call, addressOf(req) ?? null)),
  )

  on(devicePaths.push, {
    GET: async (req) => ({ value: await readPush(ctx, await callOf(ctx, req, devicePaths.push)) }),
    POST: (req, res) => postOf(ctx, { req, res, path: devicePaths.push }, (call) => changePush(ctx, call)),
  })

  get(devicePaths.history, async (req) => ({
    value: await readHistory(ctx, await callOf(ctx, req, devicePaths.history)),
  }))

  get(devicePaths.image(':domainId'), async (req) => {
    return { image: (await imageOfDomain(ctx.store.db, String(req.params.domainId))) ?? noImage() }
  })

  router.use('/device', (_req, res) =>
    answerError(res, new ApiProblem('api.error.notfound.operation'), jsonLabel, ctx.logger),
  )
  return router
}

interface Exchange {
  readonly req: Request
  readonly res: Response
  readonly path: string
}

/** Acts on what a device signed. */
async function postOf(ctx: ServiceContext, { req, res, path }: Exchange, act: (call: SignedCall) => Promise<unknown>) {
  const jws = await readText(req, res)
  const value = await auditingForgeries(ctx, { jws, address: addressOf(req) }, async () =>
    act(await verifyCall(ctx, jws, { method: 'POST', path })),
  )
  return { value }
}

/** What a device asks, as it signed it. */
async function callOf(ctx: ServiceContext, req: Request, path: string): Promise<SignedCall> {
  const jws = /^Device ([\w.-]+)$/i.exec(req.headers.authorization ?? '')?.[1]
  if (jws === undefined) throw refused()
  return auditingForgeries(ctx, { jws, address: addressOf(req) }, () => verifyCall(ctx, jws, { method: 'GET', path }))
}

/** Held while it is what the device knows already. */
async function serveInbox(ctx: ServiceContext, req: Request, res: Response): Promise<Reply> {
  const { device } = await callOf(ctx, req, devicePaths.requests)
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

function only(ctx: ServiceContext, path: string, ways: Ways) {
  const operation = path.slice(1)
  return async (req: Request, res: Response) => {
    nameRequest(req, res)
    observe(ctx, res, operation)
    try {
      if (req.method === 'OPTIONS') return answer(res, 200, undefined, { Allow: allowed(ways) })
      const serve = req.method === 'GET' || req.method === 'POST' ? ways[req.method] : undefined
      if (!serve) throw notThisWay(ways)
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
const allowed = (ways: Ways) => [...Object.keys(ways), 'OPTIONS'].join(', ')

const notThisWay = (ways: Ways) =>
  new ApiProblem('api.error.methodnotallowed', undefined, { headers: { Allow: allowed(ways) } })

/** The authenticator is on our own origin. Another site has no business here, be it only to use up somebody's tries. */
function refuseOtherSites(req: Request): void {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') throw new ApiProblem('api.error.forbidden')
}

/** The caller, as an Express app around us sees it by its own `trust proxy`; without one, the other end of the connection. */
function addressOf(req: Request): string | undefined {
  return req.ip ?? req.socket.remoteAddress
}
