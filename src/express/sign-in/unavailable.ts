import { loadLanguageFor } from '../pages/languages.ts'
import type { PageRequest } from '../pages/layout.ts'
import { message } from '../pages/message.ts'
import { appRequestOf } from '../request/app-request.ts'
import { isLetThrough } from '../request/let-through.ts'
import type { Outcome } from '../request/outcome.ts'
import { redirect } from '../request/outcome.ts'
import { isOutage } from '../request/service-outage.ts'
import { isTrouble, reportTrouble } from '../request/trouble.ts'
import { letThroughTime } from '../session/mfa-state.ts'

/**
 * Nothing was decided, so no user passes; the page says so, and the app's log says why.
 *
 * @param mayLetThrough Whether `failMode` is asked: what it decides has to be saved.
 * @throws the error itself if it is no outage but a mistake in the app or in this package: Express answers 500.
 */
export async function unavailable(request: PageRequest, error: unknown, mayLetThrough: boolean): Promise<Outcome> {
  const { req, context, state } = request
  if (!isTrouble(error)) throw error
  const { failMode } = context.mfa.options
  const { trouble, retryAfter, event } = reportTrouble(context, error)
  // Who passes the gate already is here because of `requireMfa()`, and would be led back to it for ever.
  const mayPass = mayLetThrough && !isLetThrough(state, context)
  if (mayPass && failMode && isOutage(error) && (await failMode(appRequestOf(req), error))) {
    const through = letThrough(request)
    return { ...through, events: [event, ...(through.events ?? [])] }
  }
  // The gate makes no page but this one.
  await loadLanguageFor(req, context)
  const page = message(request, 503, trouble, { 'Retry-After': String(retryAfter) })
  return { ...page, events: [event] }
}

function letThrough({ context, state }: PageRequest): Outcome {
  const { userKey = '', mfa, prefix } = context
  const { challenge, verified } = state
  const until = mfa.options.clock.now() + letThroughTime
  return {
    state: { save: { verified, letThrough: { userKey, until } } },
    events: [{ type: 'gate.let_through', until }],
    answer: redirect(challenge?.returnTo ?? `${prefix}/`),
  }
}
