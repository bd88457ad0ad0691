import type { Request, Response } from 'express'

import { sendJson, wantsJson } from '../answer.ts'
import type { RequestContext } from '../context.ts'
import { layoutOf, sendPage } from './layout.ts'
import { messages } from './messages.ts'
import type { Message } from './messages.ts'

/** A page that is not about a challenge. */
export function showMessage(
  req: Request,
  res: Response,
  context: RequestContext,
  status: number,
  name: keyof typeof messages,
): void {
  const message: Message = messages[name]
  if (wantsJson(req)) return sendJson(res, status, { error: name, message: `${message.headline}. ${message.sentence}` })
  const target = name === 'cross_site' || name === 'unavailable' ? context.base : '/'
  sendPage(res, status, 'message', { ...layoutOf(req, context), ...message, ...forms, target })
}

/** 503: nobody was let in, and another try makes sense soon. */
export function showUnavailable(req: Request, res: Response, context: RequestContext): void {
  res.setHeader('Retry-After', '5')
  showMessage(req, res, context, 503, 'unavailable')
}

/** Nothing to post, no other way on. */
const forms = { action: undefined, others: [] }
