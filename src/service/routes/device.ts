import type { IncomingMessage, ServerResponse } from 'node:http'

import { devicePaths } from '../../contract/device.ts'
import { Id } from '../../contract/text.ts'
import type { ServiceContext } from '../engine/context/service-context.ts'
import { answer, jsonLabel, send } from '../engine/http/answer.ts'
import { bodyOf, readJson, readText } from '../engine/http/body.ts'
import { answerError } from '../engine/http/errors.ts'
import { answerEvents } from '../engine/http/event-stream.ts'
import type { EventSource } from '../engine/waiting/follower.ts'
import { heldRead, preferredWait } from '../engine/http/held-read.ts'
import { contextOfRequest, nameRequest, requestIdOf } from '../engine/http/request-id.ts'
import { imageAnswer, matchesEtag } from '../engine/http/image.ts'
import { leaveAfter } from '../engine/waiting/places.ts'
import { ApiProblem } from '../engine/base/problem.ts'
import { noImage } from '../features/domains/image.ts'
import type { NamedImage } from '../engine/http/image.ts'
import { imageOfDomain } from '../features/domains/statements.ts'
import { observe } from '../engine/http/observe.ts'
import { createPathTable } from '../engine/http/path-table.ts'
import type { Match } from '../engine/http/path-table.ts'
import { waiterKey } from '../engine/base/waiter-key.ts'
import { activate } from '../features/devices/activate.ts'
import { answerApproval } from '../features/approvals/answer.ts'
import { liftBlock, readBlocks } from '../features/approvals/blocks.ts'
import { answerCall } from '../features/callers/answer.ts'
import { answerRequest, scanRequest } from '../features/devices/answer.ts'
import { followInbox } from '../features/devices/follow-inbox.ts'
import { changesAt, readInbox } from '../features/devices/inbox.ts'
import { readHistory } from '../features/devices/history.ts'
import { collectMove } from '../features/devices/collect-move.ts'
import { beginMove, cancel, claim, confirm, readMove } from '../features/devices/move.ts'
import { acknowledgeNotice } from '../features/devices/notices.ts'
import { preview } from '../features/devices/preview.ts'
import { changePush, readPush, testPush } from '../features/devices/push.ts'
import { auditingForgeries, auditingActivations } from '../features/devices/refusals.ts'
import { removeDevice } from '../features/devices/remove.ts'
import { refused } from '../features/devices/signature.ts'
import { requireActive, verifyCall } from '../features/devices/signed-call.ts'
import type { SignedCall } from '../features/devices/signed-call.ts'

interface Reply {
  readonly value?: unknown
  readonly status?: 200 | 304
  readonly headers?: Readonly<Record<string, string>>
  /** Returned instead of a value. */
  readonly image?: NamedImage
  /** Returned instead of a value. */
  readonly events?: EventSource<unknown>
}

/** A request, and the id in its path. */
interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Empty if the path contains none. */
  readonly id: string
  /** The largest body, bytes, where it may be longer than others. */
  readonly limit?: number
}

/** @param ctx The context of this request. */
type Serve = (ctx: ServiceContext, exchange: Exchange) => Promise<Reply>

/** Handlers of a path, by method. */
type Ways = Readonly<Partial<Record<'GET' | 'POST', Serve>>>

/** The signed content of an approval whose texts all have their full length, encoded twice; bytes. */
const answerLimit = 128 * 1024

const routes: readonly (readonly [path: string, ways: Ways])[] = [
  [devicePaths.requests, { GET: serveInbox }],
  [
    devicePaths.answer(':sessionId'),
    { POST: (ctx, exchange) => postAbout(ctx, exchange, devicePaths.answer, answerRequest) },
  ],
  [
    devicePaths.scan(':sessionId'),
    { POST: (ctx, exchange) => postAbout(ctx, exchange, devicePaths.scan, scanRequest) },
  ],
  [
    devicePaths.answerCall(':callId'),
    { POST: (ctx, exchange) => postAbout(ctx, exchange, devicePaths.answerCall, answerCall) },
  ],
  [
    devicePaths.answerApproval(':approvalId'),
    {
      POST: (ctx, exchange) =>
        postAbout(ctx, { ...exchange, limit: answerLimit }, devicePaths.answerApproval, answerApproval),
    },
  ],
  [
    devicePaths.blocks,
    { GET: async (ctx, { req }) => ({ value: await readBlocks(ctx, await callOf(ctx, req, devicePaths.blocks)) }) },
  ],
  [
    devicePaths.liftBlock(':blockId'),
    { POST: (ctx, exchange) => postAbout(ctx, exchange, devicePaths.liftBlock, liftBlock) },
  ],
  [
    devicePaths.acknowledge(':noticeId'),
    { POST: (ctx, exchange) => postAbout(ctx, exchange, devicePaths.acknowledge, acknowledgeNotice) },
  ],
  [devicePaths.preview, { POST: servePreview }],
  [devicePaths.activate, { POST: (ctx, exchange) => activationBy(ctx, exchange, activate) }],
  [
    devicePaths.remove,
    {
      POST: (ctx, exchange) =>
        postOf(ctx, exchange, devicePaths.remove, (call) => removeDevice(ctx, call, addressOf(ctx, exchange))),
    },
  ],
  [
    devicePaths.move,
    {
      GET: async (ctx, { req }) => ({ value: await readMove(ctx, await callOf(ctx, req, devicePaths.move)) }),
      POST: (ctx, exchange) =>
        postOf(ctx, exchange, devicePaths.move, (call) => beginMove(ctx, call, addressOf(ctx, exchange))),
    },
  ],
  [
    devicePaths.confirmMove,
    {
      POST: (ctx, exchange) =>
        postOf(ctx, exchange, devicePaths.confirmMove, (call) => confirm(ctx, call, addressOf(ctx, exchange))),
    },
  ],
  [
    devicePaths.cancelMove,
    {
      POST: (ctx, exchange) =>
        postOf(ctx, exchange, devicePaths.cancelMove, (call) => cancel(ctx, call, addressOf(ctx, exchange))),
    },
  ],
  [devicePaths.claimMove, { POST: (ctx, exchange) => activationBy(ctx, exchange, claim) }],
  [
    devicePaths.collectMove,
    { POST: async (ctx, { req }) => ({ value: await collectMove(ctx, await readText(bodyOf(req))) }) },
  ],
  [
    devicePaths.push,
    {
      GET: async (ctx, { req }) => ({ value: await readPush(ctx, await callOf(ctx, req, devicePaths.push)) }),
      POST: (ctx, exchange) => postOf(ctx, exchange, devicePaths.push, (call) => changePush(ctx, call)),
    },
  ],
  [
    devicePaths.testPush,
    { POST: (ctx, exchange) => postOf(ctx, exchange, devicePaths.testPush, (call) => testPush(ctx, call)) },
  ],
  [
    devicePaths.history,
    { GET: async (ctx, { req }) => ({ value: await readHistory(ctx, await callOf(ctx, req, devicePaths.history)) }) },
  ],
  [
    devicePaths.image(':domainId'),
    { GET: async (ctx, { id }) => ({ image: (await imageOfDomain(ctx.store.db, id)) ?? noImage() }) },
  ],
]

const find = createPathTable(routes.map(([path, ways]) => [path, { operation: path.slice(1), ways }]))

/** The device protocol. Answers everything below `/device`. */
export function createDeviceRoutes(service: ServiceContext): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    const [path = ''] = (req.url ?? '').split('?', 1)
    const place = find(path)
    if (place) void serve(service, place, req, res)
    else answerError(res, new ApiProblem('api.error.notfound.operation'), jsonLabel, service.failures)
  }
}

async function servePreview(ctx: ServiceContext, { req }: Exchange): Promise<Reply> {
  const request = { body: await readJson(bodyOf(req)), address: ctx.addressOf(req) }
  return { value: await auditingActivations(ctx, request.address, () => preview(ctx, request)) }
}

/** A call of a device that the service does not know yet. */
async function activationBy(
  ctx: ServiceContext,
  { req }: Exchange,
  act: (ctx: ServiceContext, request: { jws: string; address: string | undefined }) => Promise<unknown>,
): Promise<Reply> {
  const request = { jws: await readText(bodyOf(req)), address: ctx.addressOf(req) }
  return { value: await auditingActivations(ctx, request.address, () => act(ctx, request)) }
}

const addressOf = (ctx: ServiceContext, { req }: Exchange): string | null => ctx.addressOf(req) ?? null

/** Handles a call that a device has signed about the session, notice, phone call, approval or block in its path. */
function postAbout(
  ctx: ServiceContext,
  exchange: Exchange,
  pathOf: (id: string) => string,
  act: (ctx: ServiceContext, call: SignedCall, id: string) => Promise<unknown>,
): Promise<Reply> {
  return postOf(ctx, exchange, pathOf(exchange.id), (call) => act(ctx, call, exchange.id))
}

/** Handles a call that a device has signed. */
async function postOf(
  ctx: ServiceContext,
  { req, limit }: Exchange,
  path: string,
  act: (call: SignedCall) => Promise<unknown>,
): Promise<Reply> {
  const jws = await readText(bodyOf(req), limit)
  const value = await auditingForgeries(ctx, { jws, address: ctx.addressOf(req) }, async () =>
    act(await verifyCall(ctx, jws, { method: 'POST', path })),
  )
  return { value }
}

/** A query as a device has signed it. */
async function callOf(ctx: ServiceContext, req: IncomingMessage, path: string): Promise<SignedCall> {
  const jws = /^Device ([\w.-]+)$/i.exec(req.headers.authorization ?? '')?.[1]
  if (jws === undefined) throw refused()
  return auditingForgeries(ctx, { jws, address: ctx.addressOf(req) }, () =>
    verifyCall(ctx, jws, { method: 'GET', path }),
  )
}

/** Streams are short enough that a revoked device learns of it soon. There are thousands of them; seconds. */
const streamOfDevice = { maxDuration: 30 * 60, heartbeat: 25 }

/** Streams the inbox if an event stream is accepted. Otherwise holds the request while the device has the current inbox. */
async function serveInbox(ctx: ServiceContext, { req, res }: Exchange): Promise<Reply> {
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
  const tag = req.headers['if-none-match']
  // A device whose read was held repeats it at once, which would keep a closing service busy.
  const wait = ctx.waiters.closed() ? undefined : preferredWait(req.headers.prefer?.toString())
  let isHeld = wait !== undefined
  const inbox = await heldRead(ctx, {
    key: waiterKey.device(device.id),
    wait: wait ?? 0,
    reader: res,
    read: () => readInbox(ctx, device.id),
    changesAt: (read) => (matchesEtag(tag, read.etag) ? changesAt(read) : undefined),
    takePlace() {
      const leave = ctx.places.readsOfDevice.take(device.id)
      isHeld = leave !== undefined
      return leave
    },
  })
  const headers = { ETag: inbox.etag, ...(isHeld && { 'Preference-Applied': `wait=${wait}` }) }
  return matchesEtag(tag, inbox.etag) ? { status: 304, headers } : { value: inbox.inbox, headers }
}

/** The operation of a path. */
type Place = Match<{ readonly operation: string; readonly ways: Ways }>

async function serve(
  ctx: ServiceContext,
  { value: { operation, ways }, params }: Place,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  nameRequest(req, res)
  const requestId = requestIdOf(res)
  observe(ctx, { reader: res, requestId }, operation)
  try {
    if (req.method === 'OPTIONS') return answer(res, 200, undefined, { Allow: allowed(ways) })
    const way = req.method === 'GET' || req.method === 'POST' ? ways[req.method] : undefined
    if (!way) throw notThisWay(ways)
    refuseOtherSites(req)
    const [id = ''] = Object.values(params).map((param) => readId(param))
    const exchange = { req, res, id }
    const { status = 200, value, headers, image, events } = await way(contextOfRequest(ctx, requestId), exchange)
    if (image) send(res, imageAnswer(req.headers['if-none-match'], image, headers))
    else if (events) answerEvents(ctx.clock, { req, res }, events, streamOfDevice)
    else answer(res, status, value, { ...jsonLabel, ...headers })
  } catch (error) {
    answerError(res, error, jsonLabel, ctx.failures)
  }
}

/** PostgreSQL rejects texts with U+0000, so only what can be an id reaches the database. It has no character that is encoded. */
function readId(param: string): string {
  if (!Id.safeParse(param).success) throw new ApiProblem('api.error.malformed')
  return param
}

/** Rejects other sites: their preflight fails, because the response does not name their origin. */
const allowed = (ways: Ways) => [...Object.keys(ways), 'OPTIONS'].join(', ')

const notThisWay = (ways: Ways) =>
  new ApiProblem('api.error.methodnotallowed', undefined, { headers: { Allow: allowed(ways) } })

/** The authenticator is served by our own origin. Other sites must not call it: they could use up the attempts of a user. */
function refuseOtherSites(req: IncomingMessage): void {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') throw new ApiProblem('api.error.forbidden')
}
