import type { IncomingMessage } from 'node:http'

import type { ServiceContext } from '../context/service-context.ts'
import { send } from './answer.ts'
import { bodyOf } from './body.ts'
import { answerEvents } from './event-stream.ts'
import { sendFile } from './file.ts'
import type { Handle } from './handle.ts'
import { nameRequest, requestIdOf } from './request-id.ts'
import type { Rest } from './rest.ts'

/** Serves the REST interface over HTTP. Answers everything below the path where it is mounted. */
export function serveRest(ctx: ServiceContext, rest: Rest): Handle {
  return (req: IncomingMessage & { readonly originalUrl?: string }, res, next) => {
    nameRequest(req, res)
    const { method = 'GET', url = '/', originalUrl = url } = req
    const request = {
      ...bodyOf(req),
      method,
      url,
      path: originalUrl.split('?', 1)[0] ?? '',
      address: ctx.addressOf(req),
      requestId: requestIdOf(res),
      reader: res,
      disconnected: () => res.destroyed || req.socket.destroyed,
    }
    rest(request)
      .then((answer) => {
        if (answer.events) return answerEvents(ctx.clock, { req, res }, answer.events, answer)
        return answer.file && method !== 'HEAD' ? sendFile(ctx, res, answer, answer.file) : send(res, answer)
      })
      .catch(next)
  }
}
