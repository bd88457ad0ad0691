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
  const target = startsAnew.has(name) ? '/' : context.base
  sendPage(res, status, 'message', { ...layoutOf(req, context), ...message, ...forms, target })
}

/** Nothing to post, no other way on. */
const forms = { action: undefined, others: [] }

/** Where the challenge's own page is no way on. */
const startsAnew: ReadonlySet<keyof typeof messages> = new Set(['sign_in_first', 'not_found'])
