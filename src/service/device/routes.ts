import { Router } from 'express'
import type { Request, Response } from 'express'

import { devicePaths } from '../../contract/device.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { answer, jsonLabel, send } from '../http/answer.ts'
import { bodyOf, readJson, readText } from '../http/body.ts'
import { answerError } from '../http/errors.ts'
import { answerEvents } from '../http/event-stream.ts'
import type { EventSource } from '../waiting/follower.ts'
import { heldRead, preferredWait } from '../http/held-read.ts'
import { contextOfRequest, nameRequest, requestIdOf } from '../http/request-id.ts'
import { imageAnswer, matchesEtag } from '../http/image.ts'
import { leaveAfter } from '../waiting/places.ts'
import { ApiProblem } from '../ground/problem.ts'
import { noImage } from '../rules/default-image.ts'
import type { NamedImage } from '../rules/image.ts'
import { imageOfDomain } from '../store/domains.ts'
import { observe } from '../http/observe.ts'
import { waiterKey } from '../ground/waiter-key.ts'
import { activate } from './activate.ts'
import { answerRequest, scanRequest } from './answer.ts'
import { followInbox } from './follow-inbox.ts'
import { changesAt, readInbox } from './inbox.ts'
import { readHistory } from './history.ts'
import { collectMove } from './collect-move.ts'
import { beginMove, cancel, claim, confirm, readMove } from './move.ts'
import { acknowledgeNotice } from './notices.ts'
import { preview } from './preview.ts'
import { changePush, readPush, testPush } from './push.ts'
import { auditingForgeries, auditingActivations } from './refusals.ts'
import { removeDevice } from './remove.ts'
import { refused } from './signature.ts'
import { requireActive, verifyCall } from './signed-call.ts'
import type { SignedCall } from './signed-call.ts'

interface Reply {
  readonly value?: unknown
  readonly status?: 200 | 304
  readonly headers?: Readonly<Record<string, string>>
  /** Returned instead of a value. */
  readonly image?: NamedImage
  /** Returned instead of a value. */
  readonly events?: EventSource<unknown>
}

/** @param ctx The context of this request. */
type Serve = (ctx: ServiceContext, req: Request, res: Response) => Promise<Reply>

/** Handlers of a path, by method. */
type Ways = Readonly<Partial<Record<'GET' | 'POST', Serve>>>

/** The device protocol. Answers everything below `/device`. */
export function createDeviceRoutes(service: ServiceContext): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const on = (path: string, ways: Ways) => router.all(path, only(service, path, ways))
  const post = (path: string, serve: Serve) => on(path, { POST: serve })
  const get = (path: string, serve: Serve) => on(path, { GET: serve })

  post(devicePaths.preview, async (ctx, req, res) => {
    const given = { body: await readJson(bodyOf(req, res)), address: ctx.addressOf(req) }
    return { value: await auditingActivations(ctx, given.address, () => preview(ctx, given)) }
  })

  post(devicePaths.activate, async (ctx, req, res) => {
    const given = { jws: await readText(bodyOf(req, res)), address: ctx.addressOf(req) }
    return { value: await auditingActivations(ctx, given.address, () => activate(ctx, given)) }
  })

  get(devicePaths.requests, (ctx, req, res) => serveInbox(ctx, req, res))

  post(devicePaths.answer(':sessionId'), async (ctx, req, res) => {
    const sessionId = String(req.params.sessionId)
    return postOf(ctx, { req, res, path: devicePaths.answer(sessionId) }, (call) => answerRequest(ctx, call, sessionId))
  })

  post(devicePaths.scan(':sessionId'), async (ctx, req, res) => {
    const sessionId = String(req.params.sessionId)
    return postOf(ctx, { req, res, path: devicePaths.scan(sessionId) }, (call) => scanRequest(ctx, call, sessionId))
  })

  post(devicePaths.acknowledge(':noticeId'), async (ctx, req, res) => {
    const noticeId = String(req.params.noticeId)
    const path = devicePaths.acknowledge(noticeId)
    return postOf(ctx, { req, res, path }, (call) => acknowledgeNotice(ctx, call, noticeId))
  })

  post(devicePaths.remove, (ctx, req, res) =>
    postOf(ctx, { req, res, path: devicePaths.remove }, (call) => removeDevice(ctx, call, ctx.addressOf(req) ?? null)),
  )

  on(devicePaths.move, {
    GET: async (ctx, req) => ({ value: await readMove(ctx, await callOf(ctx, req, devicePaths.move)) }),
    POST: (ctx, req, res) =>
      postOf(ctx, { req, res, path: devicePaths.move }, (call) => beginMove(ctx, call, ctx.addressOf(req) ?? null)),
  })

  post(devicePaths.confirmMove, (ctx, req, res) =>
    postOf(ctx, { req, res, path: devicePaths.confirmMove }, (call) => confirm(ctx, call, ctx.addressOf(req) ?? null)),
  )

  post(devicePaths.cancelMove, (ctx, req, res) =>
    postOf(ctx, { req, res, path: devicePaths.cancelMove }, (call) => cancel(ctx, call, ctx.addressOf(req) ?? null)),
  )

  post(devicePaths.claimMove, async (ctx, req, res) => {
    const given = { jws: await readText(bodyOf(req, res)), address: ctx.addressOf(req) }
    return { value: await auditingActivations(ctx, given.address, () => claim(ctx, given)) }
  })

  post(devicePaths.collectMove, async (ctx, req, res) => ({
    value: await collectMove(ctx, await readText(bodyOf(req, res))),
  }))

  on(devicePaths.push, {
    GET: async (ctx, req) => ({ value: await readPush(ctx, await callOf(ctx, req, devicePaths.push)) }),
    POST: (ctx, req, res) => postOf(ctx, { req, res, path: devicePaths.push }, (call) => changePush(ctx, call)),
  })

  post(devicePaths.testPush, (ctx, req, res) =>
    postOf(ctx, { req, res, path: devicePaths.testPush }, (call) => testPush(ctx, call)),
  )

  get(devicePaths.history, async (ctx, req) => ({
    value: await readHistory(ctx, await callOf(ctx, req, devicePaths.history)),
  }))

  get(devicePaths.image(':domainId'), async (ctx, req) => {
    return { image: (await imageOfDomain(ctx.store.db, String(req.params.domainId))) ?? noImage() }
  })

  router.use('/device', (_req, res) =>
    answerError(res, new ApiProblem('api.error.notfound.operation'), jsonLabel, service.failures),
  )
  return router
}

interface Exchange {
  readonly req: Request
  readonly res: Response
  readonly path: string
}

/** Handles a call that a device has signed. */
async function postOf(ctx: ServiceContext, { req, res, path }: Exchange, act: (call: SignedCall) => Promise<unknown>) {
  const jws = await readText(bodyOf(req, res))
  const value = await auditingForgeries(ctx, { jws, address: ctx.addressOf(req) }, async () =>
    act(await verifyCall(ctx, jws, { method: 'POST', path })),
  )
  return { value }
}

/** A query as a device has signed it. */
async function callOf(ctx: ServiceContext, req: Request, path: string): Promise<SignedCall> {
  const jws = /^Device ([\w.-]+)$/i.exec(req.headers.authorization ?? '')?.[1]
  if (jws === undefined) throw refused()
  return auditingForgeries(ctx, { jws, address: ctx.addressOf(req) }, () =>
    verifyCall(ctx, jws, { method: 'GET', path }),
  )
}

/** Streams are short enough that a revoked device learns of it soon. There are thousands of them; seconds. */
const streamOfDevice = { maxDuration: 30 * 60, heartbeat: 25 }

/** Streams the inbox if an event stream is accepted. Otherwise holds the request while the device has the current inbox. */
async function serveInbox(ctx: ServiceContext, req: Request, res: Response): Promise<Reply> {
  const { device } = await callOf(ctx, req, devicePaths.requests)
  if (/\btext\/event-stream\b/.test(req.headers.accept ?? '') && !ctx.waiters.closed()) {
    // If the device is refused, the error says why.
    await requireActive(ctx.store.db, device.id)
    const leave = ctx.places.readsOfDevice.take(device.id)
    if (leave) {
      leaveAfter(res, leave)
      return { events: followInbox(ctx, device.id) }
    }
  }
  const known = req.headers['if-none-match']
  // A device whose read was held repeats it at once, which would keep a closing service busy.
  const wait = ctx.waiters.closed() ? undefined : preferredWait(req.headers.prefer?.toString())
  let held = wait !== undefined
  const inbox = await heldRead(ctx, {
    key: waiterKey.device(device.id),
    wait: wait ?? 0,
    reader: res,
    read: () => readInbox(ctx, device.id),
    changesAt: (read) => (matchesEtag(known, read.etag) ? changesAt(read) : undefined),
    takePlace() {
      const leave = ctx.places.readsOfDevice.take(device.id)
      held = leave !== undefined
      return leave
    },
  })
  const headers = { ETag: inbox.etag, ...(held && { 'Preference-Applied': `wait=${wait}` }) }
  return matchesEtag(known, inbox.etag) ? { status: 304, headers } : { value: inbox.inbox, headers }
}

function only(ctx: ServiceContext, path: string, ways: Ways) {
  const operation = path.slice(1)
  return async (req: Request, res: Response) => {
    nameRequest(req, res)
    const requestId = requestIdOf(res)
    observe(ctx, { reader: res, requestId }, operation)
    try {
      if (req.method === 'OPTIONS') return answer(res, 200, undefined, { Allow: allowed(ways) })
      const serve = req.method === 'GET' || req.method === 'POST' ? ways[req.method] : undefined
      if (!serve) throw notThisWay(ways)
      refuseOtherSites(req)
      const { status = 200, value, headers, image, events } = await serve(contextOfRequest(ctx, requestId), req, res)
      if (image) send(res, imageAnswer(req.headers['if-none-match'], image, headers))
      else if (events) answerEvents(ctx.clock, { req, res }, events, streamOfDevice)
      else answer(res, status, value, { ...jsonLabel, ...headers })
    } catch (error) {
      answerError(res, error, jsonLabel, ctx.failures)
    }
  }
}

/** Rejects other sites: their preflight fails, because the response does not name their origin. */
const allowed = (ways: Ways) => [...Object.keys(ways), 'OPTIONS'].join(', ')

const notThisWay = (ways: Ways) =>
  new ApiProblem('api.error.methodnotallowed', undefined, { headers: { Allow: allowed(ways) } })

/** The authenticator is served by our own origin. Other sites must not call it: they could use up the attempts of a user. */
function refuseOtherSites(req: Request): void {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') throw new ApiProblem('api.error.forbidden')
}
