import { readCode } from '../challenge/code.ts'
import { findMember, userKeyOf } from '../challenge/user.ts'
import type { ConnectedService } from '../challenge/service.ts'
import type { User } from '../contract/users.ts'
import { parseJson } from '../contract/validate.ts'
import { settle } from '../express/apply.ts'
import { responseOf } from '../express/framework/express-response.ts'
import { loadLanguageFor } from '../express/pages/languages.ts'
import { layoutOf, page, renderPage } from '../express/pages/layout.ts'
import type { Form } from '../express/request/form.ts'
import { andThen } from '../express/request/outcome.ts'
import { createWebRequest } from '../express/request/web-request.ts'
import { readMfaState } from '../express/session/session-state.ts'
import { enterHandedOverCode } from '../express/sign-in/handed-over-code.ts'
import { openChallenge } from '../express/sign-in/open-challenge.ts'
import { sendPage } from './interaction.ts'
import type { Visit } from './visit.ts'
import { personOf, sessionOf, signIn, vouchFor } from './web-session.ts'

/** What the page of a whole sign-in says about the last try. */
interface SignInView {
  readonly wrong: boolean
  /** The username that was typed. */
  readonly entered: string
}

/** Shows the page on which a person signs in by passkey, or comes in for the first time. */
export async function showSignIn(
  { req, res, open, entered, base }: Visit,
  view: SignInView = { wrong: false, entered: '' },
): Promise<void> {
  const { context } = entered
  await loadLanguageFor(req, context)
  const layout = layoutOf({ req, context, state: readMfaState(req, context) })
  const headline = layout.words.oidc.signIn.headline(open.client.name)
  const model = { ...layout, ...view, headline, person: undefined, usesPasskeys: true, signInBase: base }
  const { status, headers = {}, ...rest } = page(view.wrong ? 401 : 200, 'oidc-sign-in', model)
  sendPage(res, {
    status,
    headers: { 'Cache-Control': 'no-store', ...headers },
    body: renderPage({ status, headers, ...rest }),
  })
}

/** Signs in the owner of the passkey that has answered: with user verification, it is the whole sign-in. */
export async function logInByPasskey(visited: Visit, form: Form): Promise<void> {
  const { req, open, base, input } = visited
  const passkey = await req.mfa?.verifyPasskey(parseJson(String(form['response'])))
  const member = passkey && (await findMember(await open.app.connect(), { serviceUserId: passkey.serviceUserId }))
  if (!passkey || !member) return sendJson(visited, 401, await wrongPasskey(visited))
  await signIn(req, { person: personOf(member), vouched: false, now: input.now() })
  await req.mfa?.acceptPasskey(passkey)
  return sendJson(visited, 200, { location: base })
}

async function wrongPasskey({ req, entered: { context } }: Visit) {
  await loadLanguageFor(req, context)
  const { words } = layoutOf({ req, context, state: {} })
  return { error: 'wrong_passkey', message: words.notices.wrong_passkey.sentence }
}

export function sendJson({ res }: Pick<Visit, 'res'>, status: number, body: unknown): void {
  sendPage(res, {
    status,
    headers: { 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  })
}

/**
 * Lets a person in who has no passkey, with a code that an administrator has handed over. It leads to a new passkey and to nothing else:
 * the sign-in with that one follows. Unknown usernames look like wrong codes.
 */
export async function logInByCode(visited: Visit, form: Form): Promise<void> {
  const { req, res, open } = visited
  const username = typeof form['username'] === 'string' ? form['username'] : ''
  const member = await findTyped(await open.app.connect(), username)
  const location = member && (await enterCode(visited, member, form))
  if (location === undefined) return refuseCode(visited, username)
  const session = sessionOf(req)
  Object.assign(session, { userId: member?.id, person: member && personOf(member), vouched: false })
  vouchFor(session, visited.input.now())
  res.redirect(303, location)
}

async function refuseCode(visited: Visit, entered: string): Promise<void> {
  const { req, open, input } = visited
  await input.state.record({ event: 'refused', clientId: open.client.id, address: req.ip, reason: 'wrong_code' })
  return showSignIn(visited, { wrong: true, entered })
}

/** A name may begin or end with a blank. One that nobody has was typed by accident, as keyboards of phones add it. */
async function findTyped(service: ConnectedService, typed: string): Promise<User | undefined> {
  for (const username of new Set([typed, typed.trim()])) {
    const member = username === '' ? undefined : await findMember(service, { username })
    if (member) return member
  }
  return undefined
}

/** @returns where the person adds a passkey; undefined if the code does not count. */
async function enterCode({ req, entered, base, input }: Visit, member: User, form: Form): Promise<string | undefined> {
  const code = readCode(form['code'])
  const typed = code !== undefined && { userId: member.id, code, address: req.ip }
  if (!typed || !(await input.state.hasTypedCode(typed))) return undefined
  const user = personOf(member)
  const context = { ...entered.context, user, userKey: userKeyOf(user) }
  const request = { ...createWebRequest(req, context, user), form }
  const { effects } = openChallenge(request, {
    userKey: context.userKey,
    purpose: 'sign_in',
    returnTo: base,
    giveUpTo: `${base}/cancel`,
  })
  const answer = await settle(request, responseOf(req), () => andThen(request, effects, enterHandedOverCode))
  return answer.kind === 'redirect' && answer.location === `${context.base}/enroll/passkey`
    ? answer.location
    : undefined
}
