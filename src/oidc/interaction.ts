import type { IncomingMessage, ServerResponse } from 'node:http'

import type Provider from 'oidc-provider'
import type { InteractionResults } from 'oidc-provider'

import type { Verified } from '../challenge/challenge.ts'
import { findMember, userKeyOf } from '../challenge/user.ts'
import type { User } from '../contract/users.ts'
import type { OidcClient } from '../admin-contract/oidc-clients.ts'
import type { OidcState } from '../service/oidc-state.ts'
import type { BrowserBinding } from './browser-binding.ts'
import type { ProviderPages, RenderedPage } from './pages.ts'
import { findHinted, hintOf } from './policy.ts'
import type { AuthorizationParameters, Requirement } from './requirement.ts'
import { needsNewStep, requirementOf } from './requirement.ts'
import { worthOf } from './second-step.ts'
import type { Entered, SignInApp, SignInApps } from './sign-in-app.ts'
import { keepSignedIn, passedBefore, personIn } from './web-session.ts'

/** One authorization request whose page is open in this browser. */
export interface OpenInteraction {
  readonly uid: string
  readonly provider: Provider
  readonly client: OidcClient
  readonly app: SignInApp
  readonly requirement: Requirement
  readonly params: AuthorizationParameters
  /** The parameters that the client has authenticated. */
  readonly trusted: readonly string[]
}

export interface InteractionInput {
  readonly state: OidcState
  readonly apps: SignInApps
  readonly pages: ProviderPages
  readonly binding: BrowserBinding
  readonly provider: Provider
  /** Unix time, seconds. */
  readonly now: () => number
}

/** @returns undefined if the request has ended, or belongs to another browser: only the cookies of this one open it. */
export async function openInteraction(
  { state, apps, binding, provider }: InteractionInput,
  req: IncomingMessage,
  res: ServerResponse,
  uid: string,
): Promise<OpenInteraction | undefined> {
  if (!binding.isBound(req, uid)) return undefined
  const details = await provider.interactionDetails(req, res).catch(unlessGone)
  if (!details || details.uid !== uid || details.prompt.name !== 'login') return undefined
  const { params } = details
  const client = await state.client(String(params['client_id']))
  const app = client && (await apps.find(client.kind, client.domain))
  if (!app) return undefined
  const { trusted = [] } = details
  const hinted = await subjectOf(provider, params)
  const requirement = requirementOf(params)
  return {
    uid,
    provider,
    client,
    app,
    params,
    trusted,
    requirement: { ...requirement, subject: hinted ?? requirement.subject },
  }
}

function unlessGone(error: unknown): undefined {
  if (error instanceof Error && error.name === 'SessionNotFound') return undefined
  throw error
}

/** The subject of `id_token_hint`, which oidc-provider has validated before it opened the interaction. */
async function subjectOf(provider: Provider, params: AuthorizationParameters): Promise<string | undefined> {
  const { id_token_hint: hint, client_id: clientId } = params
  if (typeof hint !== 'string') return undefined
  const client = await provider.Client.find(String(clientId))
  if (!client) return undefined
  const { payload } = (await provider.IdToken.validate(hint, client)) as { payload: { sub?: string } }
  return payload.sub
}

/** What comes of an interaction: its result for oidc-provider, or a second step that is still to be passed. */
export type Decision =
  | { readonly kind: 'finish'; readonly result: InteractionResults }
  | { readonly kind: 'challenge' }
  | { readonly kind: 'sign_in' }

export const refused = (error: string, description?: string): Decision => ({
  kind: 'finish',
  result: { error, ...(description !== undefined && { error_description: description }) },
})

/** The member whom the client names; undefined where it names nobody who is one. */
export async function findNamed({ app, params, trusted }: OpenInteraction): Promise<User | undefined> {
  const hint = hintOf(params, trusted)
  return hint === undefined ? undefined : findHinted(await app.connect(), hint)
}

/** Decides about the person who is signed in to the web session. */
export async function decide(
  open: Pick<OpenInteraction, 'uid' | 'requirement' | 'client' | 'app'>,
  { context, verified, session }: Entered,
  req: IncomingMessage,
  now: number,
): Promise<Decision> {
  const { uid, requirement, client } = open
  const { userId } = session
  const person = personIn(session, now)
  if (userId === undefined || !person) return { kind: 'sign_in' }
  if (requirement.subject !== undefined && requirement.subject !== userId) {
    return client.kind === 'sign-in' ? { kind: 'sign_in' } : refused('login_required', 'another user was requested')
  }
  if (!verified || isTooOld(requirement, verified, { req, uid, now })) return { kind: 'challenge' }
  // The answer of a moment ago is not enough: what ends everything may have happened since.
  const { epochs } = context.mfa
  const isConfirmed = await epochs.confirm(person)
  if (!isConfirmed) return refused('temporarily_unavailable', 'the service does not respond')
  const epoch = epochs.current(userKeyOf(person))
  if (!epochs.covers(verified)) return { kind: 'challenge' }
  const service = await open.app.connect()
  const member = await findMember(service, person)
  if (!member) return refused('access_denied', 'the user is no member of the domain')
  const worth = await worthOf(service, { userId, verified, kind: client.kind, requirement })
  if (worth.kind === 'unsuitable') return { kind: 'sign_in' }
  if (worth.kind === 'unmet') return refused('unmet_authentication_requirements', 'the requested acr was not reached')
  keepSignedIn(session, verified.at)
  const { acr, amr } = worth
  const login = { accountId: userId, acr, amr: [...amr], ts: verified.at, remember: false, epoch }
  return { kind: 'finish', result: { login } }
}

interface Asking {
  readonly req: IncomingMessage
  readonly uid: string
  readonly now: number
}

/** Whether the request needs a new second step, and this one was passed before it came. */
function isTooOld(requirement: Requirement, verified: Verified, { req, uid, now }: Asking): boolean {
  if (!needsNewStep(requirement, verified, now)) return false
  if (passedBefore(req, uid, verified.sessionId) === verified.sessionId) return true
  // The page may have stayed open for long since. A new one counts for a minute in any case, or else a short `max_age` would never end.
  const { maxAge } = requirement
  return maxAge !== undefined && now - verified.at > Math.max(maxAge, shortestAge)
}

/** How long a second step counts that was passed for the request, seconds. */
const shortestAge = 60

/** Stores the result of an interaction, and leads the browser back to the provider, which answers the client. */
export async function finish(
  pages: ProviderPages,
  { provider }: Pick<OpenInteraction, 'provider'>,
  { req, res, result }: { req: IncomingMessage; res: ServerResponse; result: InteractionResults },
): Promise<void> {
  if (result.login) await endOtherSession(provider, await provider.interactionDetails(req, res), result.login.accountId)
  const store = (stored: InteractionResults) =>
    provider.interactionResult(req, res, stored, { mergeWithLastSubmission: false })
  const location = await store(result).catch((error: unknown) => {
    // Everything of this person has ended in this moment.
    if (error instanceof Error && error.name === 'AccessDenied') return store({ error: 'access_denied' })
    throw error
  })
  sendPage(res, await pages.leaving(req, location))
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

/** Ends the session of another person in this browser. oidc-provider would do so as well, with one more page in between. */
async function endOtherSession(provider: Provider, interaction: Details, accountId: string): Promise<void> {
  const { session } = interaction
  if (!session || session.accountId === accountId) return
  const other = await provider.Session.findByUid(session.uid)
  interaction.session = undefined
  await interaction.persist()
  await other?.destroy()
}

export function sendPage(res: ServerResponse, { status, headers, body }: RenderedPage): void {
  res.statusCode = status
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.end(body)
}
