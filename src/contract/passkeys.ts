import { z } from 'zod'

import { BrowserCookie } from './browsers.ts'
import { endpoint } from './endpoint.ts'
import { ChangePass } from './factors.ts'
import { RelyingParty, RelyingPartyId } from './relying-party.ts'
import { Session, SessionPurpose, SignInAddress } from './sessions.ts'
import { Id, Random128, Seconds, strippedText, text } from './text.ts'
import { NewEpoch } from './users.ts'
import {
  AuthenticationResponse,
  CreationOptions,
  RegistrationResponse,
  RequestOptions,
  UsernamelessOptions,
} from './webauthn.ts'

/** How many passkeys a user can have. */
export const maxPasskeys = 10

/** How long a person has for a ceremony, seconds. Its challenge is good for one answer. */
export const ceremonyLifetime = 5 * 60

/** The name that a person gives to a passkey. */
export const PasskeyName = strippedText(1, 64)

/** A key pair of a person's device or password manager (WebAuthn); valid for one relying party, in every domain. */
export const Passkey = z.object({
  id: Id,
  /** The id that the authenticator gave it, base64url. */
  credentialId: z.string(),
  /** The relying party that it is valid for. */
  rpId: z.string(),
  name: z.string(),
  /** Whether its authenticator may copy it to other devices (backup eligibility). */
  syncable: z.boolean(),
  /** Whether it had been copied when it was last used (backup state). */
  synced: z.boolean(),
  createdAt: Seconds,
  lastUsedAt: Seconds.optional(),
})
export type Passkey = z.infer<typeof Passkey>

/** How a registration is allowed. */
const Registering = z.object({
  /** Only this challenge can finish what it has started. */
  challenge: Random128,
  /** The session that allows the change, as in `ChangePass`; required unless this is the first factor. */
  pass: Id.optional(),
  /** Only for a user who never had a factor. */
  first: z.boolean().default(false),
})

const StartedRegistration = Registering.extend({
  /** The relying party, with the name that authenticators may show. */
  rp: RelyingParty.extend({ name: text(1, 64) }),
})
export type StartedRegistration = z.input<typeof StartedRegistration>

const RegisteredPasskey = Registering.extend({
  response: RegistrationResponse,
  name: PasskeyName,
  /**
   * The browser made it without asking the person, with `mediation: 'conditional'`: then the authenticator need not have
   * noticed the person (WebAuthn section 7.1, step 14).
   */
  conditional: z.boolean().default(false),
})
export type RegisteredPasskey = z.input<typeof RegisteredPasskey>

const StartedAuthentication = z.object({
  rp: RelyingParty,
  /** Only a session with this challenge can use the answer. */
  challenge: Random128,
  /** The purpose of that session. */
  purpose: SessionPurpose.default('sign_in'),
  /** The id of the browser, from its cookie. Ceremonies in a known browser of the user have their own limit. */
  browser: BrowserCookie,
})
export type StartedAuthentication = z.input<typeof StartedAuthentication>

/** Why a passkey may not be added now. */
const registrationErrors = [
  'api.error.conflict.enrolled',
  'api.error.conflict.pass',
  // For a first factor, while an activation code that an administrator issued in the domain is pending; at the end, for a
  // challenge that has ended or was used up.
  'api.error.conflict.state',
  'api.error.limit.passkeys',
  'api.error.unavailable.passkeys',
] as const

/** The content of a ceremony is small: a credential id of 1,023 bytes and an RSA key of 4,096 bits fit several times. */
const bodyLimit = 64 * 1024

export const startPasskeyRegistration = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/passkeys/registration',
  repeatable: true,
  summary: 'Starts to add a passkey: returns the options for `navigator.credentials.create()`, good for 5 minutes.',
  body: StartedRegistration,
  bodyLimit,
  response: CreationOptions,
  role: 'auth',
  since: '1.4',
  errors: registrationErrors,
})

export const registerPasskey = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/passkeys',
  repeatable: true,
  summary: 'Adds the passkey that a browser has made; at most 10 for each user.',
  body: RegisteredPasskey,
  bodyLimit,
  response: Passkey,
  role: 'auth',
  since: '1.4',
  errors: [...registrationErrors, 'api.error.conflict.passkey'],
})

export const listPasskeys = endpoint({
  method: 'GET',
  path: '/domains/:domainId/users/:userId/passkeys',
  summary: "Lists the user's passkeys, oldest first: all of them, or those for one relying party.",
  query: z.object({ rpId: RelyingPartyId.optional() }),
  response: z.array(Passkey),
  role: 'auth',
  since: '1.4',
  errors: ['api.error.invalid.rpid'],
})

export const renamePasskey = endpoint({
  method: 'PUT',
  path: '/domains/:domainId/users/:userId/passkeys/:passkeyId',
  summary: 'Renames a passkey.',
  body: z.object({ name: PasskeyName }),
  response: Passkey,
  since: '1.4',
})

export const deletePasskey = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/users/:userId/passkeys/:passkeyId',
  summary: 'Deletes a passkey, for an administrator: even the last factor.',
  since: '1.4',
})

export const giveUpPasskey = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/passkeys/:passkeyId/give-up',
  summary: 'Removes a passkey of a user who has another one for the same app, a device or a hardware token.',
  body: ChangePass.extend({ epoch: NewEpoch }),
  since: '1.4',
  errors: ['api.error.conflict.pass', 'api.error.conflict.state'],
})

export const startPasskeyAuthentication = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/passkeys/authentication',
  repeatable: true,
  summary: 'Starts to use a passkey: returns the options for `navigator.credentials.get()`, good for 5 minutes.',
  body: StartedAuthentication,
  bodyLimit,
  response: RequestOptions,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.passkey', 'api.error.unavailable.passkeys'],
})

const StartedSignIn = z.object({
  rp: RelyingParty,
  /** Only this challenge can use the answer. */
  challenge: Random128,
})
export type StartedSignIn = z.input<typeof StartedSignIn>

export const startPasskeySignIn = endpoint({
  method: 'POST',
  path: '/domains/:domainId/passkeys/authentication',
  summary:
    'Starts a sign-in in which the passkey says who the user is: returns the options for `navigator.credentials.get()`, good for 5 minutes.',
  body: StartedSignIn,
  bodyLimit,
  response: UsernamelessOptions,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.unavailable.passkeys'],
})

const PasskeySignIn = StartedSignIn.extend({ response: AuthenticationResponse, ipAddress: SignInAddress })
export type PasskeySignIn = z.input<typeof PasskeySignIn>

/** The user whose passkey it is, and an approval that only the challenge of the sign-in can redeem. */
export const PasskeySignedIn = Session.extend({ user: z.object({ id: Id, username: z.string() }) })
export type PasskeySignedIn = z.infer<typeof PasskeySignedIn>

export const createPasskeySession = endpoint({
  method: 'POST',
  path: '/domains/:domainId/passkeys/sessions',
  repeatable: true,
  summary:
    'Creates an approved session of the user whose passkey has answered with user verification; any wrong answer is 404.',
  body: PasskeySignIn,
  bodyLimit,
  response: PasskeySignedIn,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.passkey', 'api.error.invalid.response', 'api.error.unavailable.passkeys'],
})

/** The value of `passkey` in `createSession`. */
export type PasskeyAnswer = z.input<typeof AuthenticationResponse>
