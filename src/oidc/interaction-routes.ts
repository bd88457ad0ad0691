import type { Request, Response, Router } from 'express'

import type { User } from '../contract/users.ts'
import { stepUp } from '../express/sign-in/demand.ts'
import { serve } from '../express/apply.ts'
import { readForm, isTrustedPost } from '../express/request/form.ts'
import type { Need } from '../express/request/need.ts'
import { createWebRequest } from '../express/request/web-request.ts'
import { responseOf } from '../express/framework/express-response.ts'
import { interactionPath, prefixOf } from './addresses.ts'
import type { OpenInteraction } from './interaction.ts'
import { decide, findNamed, finish, openInteraction, refused, sendPage } from './interaction.ts'
import { passkeyDemand } from './requirement.ts'
import type { Entered } from './sign-in-app.ts'
import { logInByCode, logInByPasskey, sendJson, showSignIn } from './sign-in-page.ts'
import type { RoutesInput, Visit } from './visit.ts'
import { passedBefore, personOf, signIn, vouchFor } from './web-session.ts'

type Handler = (visit: Visit) => Promise<void>

/** The pages on which people sign in for a client. */
export function interactionRoutes(input: RoutesInput): Router {
  const router = input.packages.express.Router()
  const path = interactionPath(':uid')
  router.get(path, visiting(input, showInteraction))
  router.get(`${path}/cancel`, visiting(input, cancel))
  router.post(`${path}/passkey/options`, visiting(input, posted(passkeyOptions)))
  router.post(`${path}/passkey`, visiting(input, posted(passkey)))
  router.post(`${path}/code`, visiting(input, posted(code)))
  return router
}

/** Serves the browser in which the authorization request was made, and no other. */
function visiting(input: RoutesInput, handler: Handler) {
  return (req: Request, res: Response, next: (error?: unknown) => void): void => {
    visit(input, req, res, handler).catch(next)
  }
}

async function visit(input: RoutesInput, req: Request, res: Response, handler: Handler): Promise<void> {
  const uid = String(req.params['uid'])
  const open = await openInteraction({ ...input, provider: await input.provider() }, req, res, uid)
  if (!open) return sendPage(res, await input.pages.expired(req))
  const base = prefixOf(input.options.issuer) + interactionPath(uid)
  const entered = await open.app.enter(req, res)
  entered.session.interaction = uid
  await handler({ req, res, open, entered, input, base })
}

/** Accepts forms and scripts of our own pages only. Only whole sign-ins have such pages: other clients say who the person is. */
function posted(handler: Handler): Handler {
  return async (visited) => {
    const { req, res, input, open } = visited
    const { issuer: publicUrl } = input.options
    const hasForms = open.client.kind === 'sign-in'
    if (hasForms && isTrustedPost(req, { token: undefined, expected: undefined, publicUrl })) return handler(visited)
    sendPage(res, await input.pages.expired(req))
  }
}

async function showInteraction(visited: Visit): Promise<void> {
  const { open } = visited
  return open.client.kind === 'external' ? showForNamed(visited) : continueWith(visited)
}

/** The client has named the person, and checked the first factor. Whoever else uses this browser is none of its business. */
async function showForNamed(visited: Visit): Promise<void> {
  const member = await findNamed(visited.open)
  if (!member) return end(visited, refused('access_denied', 'the user is no member of the domain'))
  return continueWith({ ...visited, entered: await enterAs(visited, member) })
}

/** Signs the person in to the web session whom the client has named, and looks again at what they have passed. */
export async function enterAs(
  { req, res, open, entered, input }: Pick<Visit, 'req' | 'res' | 'entered'> & NamedVisit,
  member: User,
): Promise<Entered> {
  if (entered.session.userId === member.id) {
    // The client vouches for the person again.
    Object.assign(entered.session, { vouched: true })
    vouchFor(entered.session, input.now())
  } else {
    await signIn(req, { person: personOf(member), vouched: true, now: input.now() })
  }
  // mfa() has seen the web session as it was before.
  return open.app.enter(req, res)
}

interface NamedVisit {
  readonly open: Pick<OpenInteraction, 'app'>
  readonly input: Pick<RoutesInput, 'now'>
}

async function continueWith(visited: Visit): Promise<void> {
  const { req, open, entered, input } = visited
  const decision = await decide(open, entered, req, input.now())
  if (decision.kind === 'finish') return end(visited, decision)
  if (decision.kind === 'challenge' && open.client.kind !== 'sign-in') return challenge(visited)
  // The challenge of mfa() takes a passkey without user verification, which is no whole sign-in.
  passedBefore(req, open.uid, entered.verified?.sessionId)
  return showSignIn(visited)
}

/** Asks for the second step exactly as `mfa()` does. */
export async function challenge(
  { req, open, entered, base }: Pick<Visit, 'req' | 'entered' | 'base'> & AskingVisit,
  need: Pick<Need, 'factors'> = {},
): Promise<void> {
  const { context, verified } = entered
  const { user } = context
  if (!user) throw new TypeError('nobody is signed in')
  passedBefore(req, open.uid, verified?.sessionId)
  const demand = passkeyDemand(open.requirement)
  const request = createWebRequest(req, context, user)
  await serve(request, responseOf(req), neverPassed, () =>
    stepUp(request, {
      ...need,
      returnTo: base,
      giveUpTo: `${base}/cancel`,
      ...(demand && { phishingResistant: demand }),
    }),
  )
}

interface AskingVisit {
  readonly open: Pick<OpenInteraction, 'uid' | 'requirement'>
}

function neverPassed(): never {
  throw new TypeError('a challenge always answers the request')
}

type Ending = Extract<ReturnType<typeof refused>, { kind: 'finish' }>

async function end({ req, res, open, input }: Visit, decision: ReturnType<typeof refused>): Promise<void> {
  const { result } = decision as Ending
  await finish(input.pages, open, { req, res, result })
}

async function cancel(visited: Visit): Promise<void> {
  await end(visited, refused('access_denied', 'the person gave up the sign-in'))
}

async function passkeyOptions({ req, res }: Visit): Promise<void> {
  const options = await req.mfa?.passkeyOptions()
  sendJson({ res }, 200, options)
}

async function passkey(visited: Visit): Promise<void> {
  const form = await readForm(visited.req)
  if (form) await logInByPasskey(visited, form)
}

async function code(visited: Visit): Promise<void> {
  const form = await readForm(visited.req)
  if (form) await logInByCode(visited, form)
}
