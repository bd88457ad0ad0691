import type { Request, Response } from 'express'

import { sendJson, wantsJson } from '../request/answer.ts'
import type { RequestContext } from '../request/context.ts'
import { layoutOf, sendPage } from './layout.ts'
import type { Message, Messages } from './messages/en.ts'
import { oneText } from './messages/one-text.ts'

/** A page that is not about a challenge. */
export function showMessage(
  req: Request,
  res: Response,
  context: RequestContext,
  status: number,
  name: keyof Messages['problems'],
): void {
  const layout = layoutOf(req, context)
  const message: Message = layout.words.problems[name]
  if (wantsJson(req)) return sendJson(res, status, { error: name, message: oneText(message) })
  const target = startsAnew.has(name) ? `${context.prefix}/` : context.base + (ways[name] ?? '')
  const helpUrl = name === 'ask_administrator' ? context.mfa.options.helpUrl : undefined
  sendPage(res, status, 'message', {
    ...layout,
    ...message,
    ...forms,
    target,
    helpUrl,
  })
}

/** Nothing to post, no other way on. */
const forms = { action: undefined, others: [] }

/** Where the challenge's own page is no way on. */
const startsAnew: ReadonlySet<keyof Messages['problems']> = new Set(['sign_in_first', 'not_found'])

/** Where the way on is another of our pages. */
const ways: Partial<Record<keyof Messages['problems'], string>> = {
  last_factor: '/devices',
  ask_administrator: '/devices',
}
