import type { Request } from 'express'
import { z } from 'zod'

import { approvalLifetimes } from '../contract/approvals.ts'
import { parseOptions } from '../contract/validate.ts'
import { serve } from './apply.ts'
import type { ActionToApprove } from './approvals/action.ts'
import { readAction } from './approvals/action.ts'
import { responseOf } from './framework/express-response.ts'
import { toRouteGuard } from './framework/guard.ts'
import type { Guard, RouteGuard } from './framework/guard.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { AppRequest, OrPromise } from './options/app.ts'
import { appRequestOf } from './request/app-request.ts'
import { setGranted } from './request/granted-approval.ts'
import type { RequestContext } from './request/context.ts'
import { contextOf } from './request/context.ts'
import { NeedSchema } from './request/need.ts'
import type { Need } from './request/need.ts'
import type { Outcome } from './request/outcome.ts'
import { createWebRequest } from './request/web-request.ts'
import type { WebRequest } from './request/web-request.ts'
import { createGuard } from './require-mfa.ts'

export interface RequireApprovalOptions extends Omit<Need, 'purpose'> {
  /**
   * How long the user has to answer, in seconds; 30 to 86,400.
   * @default `300`
   */
  readonly expiresIn?: number | undefined
}

/** Checks {@link RequireApprovalOptions}. */
export const RequireApprovalSchema = NeedSchema.omit({ purpose: true }).extend({
  expiresIn: z.int().min(approvalLifetimes.min).max(approvalLifetimes.max).default(approvalLifetimes.default),
})

/**
 * Guards one route: its handler runs only after the user has approved exactly this action, and once for each approval. Users pass the
 * second step first, as with `requireMfa()`. An approval is bound to the user, the browser, the method, the full address, the parsed body
 * and the action, which is computed again before the handler runs.
 *
 * @param action Computes what the user sees, from the request alone; it runs twice.
 * @throws {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s.
 *
 * @example
 * app.post('/transfer', express.urlencoded({ extended: false }), requireApproval((req) => ({
 *   title: `Transfer ${req.body.amount}`,
 *   details: [{ label: 'To', value: req.body.iban }],
 * })), transfer)
 */
export function requireApproval<Params = Record<string, string>>(
  action: (req: Request<Params>) => OrPromise<ActionToApprove>,
  options: RequireApprovalOptions = {},
): RouteGuard {
  return toRouteGuard(createApprovalGuard(action as unknown as ActionOf, options, 'app.use(mfa())'))
}

export type ActionOf = (req: AppRequest) => OrPromise<ActionToApprove>

/** @param before What has to come before the route, as code of the framework. */
export function createApprovalGuard(action: ActionOf, options: RequireApprovalOptions, before: string): Guard {
  if (typeof action !== 'function') {
    throw new TypeError("requireApproval: needs a function, such as (req) => ({ title: 'Delete the project' })")
  }
  const { expiresIn, ...need } = parseOptions(RequireApprovalSchema, 'requireApproval', options)
  const guard = createGuard(need, before, 'requireApproval')
  const guarded = { action, expiresIn }
  return (req, next) => guard(req, (error) => (error ? next(error) : runApproved(req, guarded, next)))
}

/** Express 4 passes no rejection on. */
function runApproved(req: FrameworkRequest, guarded: Guarded, next: (error?: unknown) => void): void {
  requireApproved(req, guarded, next).catch(next)
}

interface Guarded {
  readonly action: ActionOf
  readonly expiresIn: number
}

/** Only requests that need an approval load the code for it. */
async function requireApproved(
  req: FrameworkRequest,
  { action, expiresIn }: Guarded,
  next: (error?: unknown) => void,
): Promise<void> {
  const context = contextOf(req) as RequestContext
  const { user } = context
  if (!user) throw new Error('requireApproval(): no user is signed in')
  const shown = readAction('requireApproval', await action(appRequestOf(req)))
  const { boundRequest } = await import('./approvals/bound.ts')
  const request = createWebRequest(req, context, user)
  const question = { action: shown, bound: boundRequest(request, shown), expiresIn }
  await serve(request, responseOf(req), next, async (opened): Promise<Outcome> => {
    const [{ answerUnapproved, refusal, repeatOf }, { decide }] = await Promise.all([
      import('./approvals/answer.ts'),
      import('./approvals/decide.ts'),
    ])
    const refused = await refusal(opened)
    if (refused) return refused
    const decision = await decide(opened, question, repeatOf(opened) !== undefined)
    if (decision.kind !== 'approved') {
      return continueWith(opened, decision.effects, (saved) => answerUnapproved(saved, decision))
    }
    setGranted(req, decision.granted)
    return { ...decision.effects, answer: { kind: 'next' } }
  })
}

/** Answers once the effects are applied. */
function continueWith(
  request: WebRequest,
  effects: Omit<Outcome, 'answer'>,
  answer: (saved: WebRequest) => Promise<Exclude<Outcome['answer'], { readonly kind: 'continue' }>>,
): Outcome {
  return {
    ...effects,
    answer: {
      kind: 'continue',
      run: async (state) => ({ state: 'as-is', answer: await answer({ ...request, state }) }),
    },
  }
}
