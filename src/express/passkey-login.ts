import { createHash } from 'node:crypto'

import type { FrameworkRequest } from './framework/request.ts'
import type { FrameworkResponse } from './framework/response.ts'
import { asCaller, asRequest } from '../challenge/service-calls.ts'
import type { Challenge, Verified } from '../challenge/challenge.ts'
import { createChallenge, withSession } from '../challenge/challenge.ts'
import { unlessRejected } from '../challenge/rejection.ts'
import type { ConnectedService } from '../challenge/service.ts'
import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import { ceremonyLifetime } from '../contract/passkeys.ts'
import type { PasskeySignedIn } from '../contract/passkeys.ts'
import type { RelyingParty } from '../contract/relying-party.ts'
import { AuthenticationResponse } from '../contract/webauthn.ts'
import type { UsernamelessOptions } from '../contract/webauthn.ts'
import { SetupError } from '../service-handle.ts'
import { applyEffects } from './apply.ts'
import { resolveAppUser } from './request/app-user.ts'
import { clientAddress } from './request/client-facts.ts'
import type { RequestContext } from './request/context.ts'
import { setContext } from './request/context.ts'
import { relyingPartyOf } from './request/passkeys.ts'
import { createWebRequest } from './request/web-request.ts'
import { passkeyLoginCookie } from './session/id-cookie.ts'
import { finish } from './sign-in/finish.ts'
import { troubleError } from './trouble-error.ts'

/** The user whose passkey has answered on the app's own login page. */
export interface VerifiedPasskey {
  readonly username: string
  /** The id of the user in the service. */
  readonly serviceUserId: string
}

/** A request to the app's own login. */
export interface Login {
  readonly req: FrameworkRequest
  readonly res: FrameworkResponse
  readonly context: RequestContext
}

interface Approval {
  readonly req: FrameworkRequest
  readonly session: PasskeySignedIn
  /** When the service created the session, by our clock, Unix time, seconds. */
  readonly at: number
  /** The challenge that redeems the approval. */
  readonly challenge: string
}

/** The results of `verifyPasskey()`, until they are accepted. An object that the app makes itself is not among them. */
const approvals = new WeakMap<VerifiedPasskey, Approval>()

/** Starts a ceremony for a user who is not known yet. A cookie binds it to this browser, so it needs no web session. */
export async function startPasskeyLogin(login: Login): Promise<UsernamelessOptions> {
  const { req, res, context } = login
  const { id: domainId, rp, client } = await passkeysOf(login)
  const id = Buffer.from(context.mfa.options.random(16)).toString('base64url')
  const options = await askService(login, () =>
    client.passkeys.startSignIn(domainId, { rp, challenge: challengeOf(id) }),
  )
  const cookies = passkeyLoginCookie.write(req, context, { id, seconds: ceremonyLifetime })
  await applyEffects(req, res, context, { state: 'as-is', cookies })
  return options
}

/** Has the service verify an answer, once. @returns whose passkey it is; undefined for a wrong answer. */
export async function verifyPasskeyLogin(login: Login, answer: unknown): Promise<VerifiedPasskey | undefined> {
  const { req, res, context } = login
  const session = await verify(login, answer)
  const cookies = passkeyLoginCookie.write(req, context, { id: '', seconds: 0 })
  const events = session ? [] : [{ type: 'passkey.wrong' } as const]
  await applyEffects(req, res, context, { state: 'as-is', cookies, events })
  if (!session) return undefined
  const passkey = Object.freeze({ username: session.user.username, serviceUserId: session.user.id })
  const challenge = challengeOf(passkeyLoginCookie.read(req, context) ?? '')
  approvals.set(passkey, { req, session, at: context.mfa.options.clock.now(), challenge })
  return passkey
}

async function verify(login: Login, answer: unknown): Promise<PasskeySignedIn | undefined> {
  const { req, context } = login
  const { id: domainId, rp, client } = await passkeysOf(login)
  const id = passkeyLoginCookie.read(req, context)
  const response = AuthenticationResponse.safeParse(answer)
  if (id === undefined || !response.success) return undefined
  const signIn = { rp, challenge: challengeOf(id), response: response.data, ipAddress: clientAddress(req) }
  return askService(login, () =>
    unlessRejected(
      client.passkeys.signIn(domainId, signIn),
      'api.error.notfound.passkey',
      'api.error.invalid.response',
    ),
  )
}

/**
 * Verifies the web session of the user whose passkey has answered, in the request that signs this user in.
 *
 * @returns undefined if the approval does not count.
 * @throws {Error} if no user is signed in, or another one than the owner of the passkey.
 */
export async function acceptPasskeyLogin(login: Login, passkey: VerifiedPasskey): Promise<Verified | undefined> {
  const { req, res, context } = login
  const approval = approvals.get(passkey)
  approvals.delete(passkey)
  if (approval?.req !== req)
    throw new Error(`${name} takes what req.mfa.verifyPasskey() returned in this request, once`)
  const user = await resolveAppUser(req, context.mfa.options)
  if (!user) throw new Error(`${name}: sign the user in before`)
  if (!isOwner(user, passkey))
    throw new Error(`${name}: the passkey belongs to another user than the one who is signed in`)
  const userContext = { ...context, user, userKey: userKeyOf(user) }
  const request = createWebRequest(req, userContext, user)
  const { verified, effects } = await askService(login, () =>
    finish(request, challengeFor(userContext, user, approval)),
  )
  await applyEffects(req, res, userContext, effects)
  // Code that runs later in this request sees the user as verified.
  setContext(req, userContext)
  return verified
}

const name = 'req.mfa.acceptPasskey()'

function challengeFor({ mfa, prefix }: RequestContext, user: MfaUser, { session, at, challenge }: Approval): Challenge {
  const { clock, random } = mfa.options
  const newChallenge = { userKey: userKeyOf(user), purpose: 'sign_in', returnTo: `${prefix}/` } as const
  // The clocks are compared by when the session was created. Compared by now, each answer would be new, however old it is.
  const opened = withSession(createChallenge(newChallenge, clock.now(), random), session, at)
  return { ...opened, id: challenge, givenFactor: 'passkey' }
}

const isOwner = (user: MfaUser, { username, serviceUserId }: VerifiedPasskey): boolean =>
  user.serviceUserId === undefined ? user.username === username : user.serviceUserId === serviceUserId

/** The browser knows its cookie, and must not know what redeems the approval. */
const challengeOf = (id: string): string =>
  createHash('sha256').update(`passkey login ${id}`).digest().subarray(0, 16).toString('base64url')

/** @throws {SetupError} where no passkey can be used. */
async function passkeysOf(login: Login) {
  const { mfa } = login.context
  const party = mfa.options.factors.includes('passkey') ? relyingPartyOf(login) : undefined
  if (!party) {
    const reason = mfa.options.passkeys.off ?? "they need 'passkey' among factors, and a page at a name"
    throw new SetupError(`mfa: passkeys on your own login page: passkeys are off: ${reason}`)
  }
  const service: ConnectedService = await askService(login, () => mfa.connect())
  if (!service.knowsFactors) {
    throw new SetupError('mfa: passkeys on your own login page need a service that speaks 1.4')
  }
  const rp: RelyingParty = { id: party.id, origins: party.origins }
  return { id: service.domainId, client: service.client, rp }
}

/**
 * Runs calls to the service. Visitors at one address share their part of the calls, as no user is known.
 * @throws {Error} with status 503 if the service does not answer.
 */
async function askService<T>(login: Login, run: () => Promise<T>): Promise<T> {
  const { req, context } = login
  try {
    return await asRequest(context.requestId, () => asCaller(`passkey login from ${clientAddress(req)}`, run))
  } catch (error) {
    throw await troubleError(login, error)
  }
}
