import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Id, Seconds } from '../contract/text.ts'
import { Passkey, PasskeyName } from '../contract/passkeys.ts'
import { AuthenticationResponse, CreationOptions, RegistrationResponse, RequestOptions } from '../contract/webauthn.ts'
import { Administrator } from './administrators.ts'

/** The options for a new passkey of the console: found without a name, and the person verified. */
export const AdminCreationOptions = CreationOptions.extend({
  authenticatorSelection: z.object({ residentKey: z.literal('required'), userVerification: z.literal('required') }),
})
export type AdminCreationOptions = z.infer<typeof AdminCreationOptions>

export const AdminRequestOptions = RequestOptions.extend({ userVerification: z.literal('required') })
export type AdminRequestOptions = z.infer<typeof AdminRequestOptions>

/** 256 random bits, base64url. */
const InvitationToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

/** The signed-in administrator and the end of the session. */
export const AdminSession = z.object({
  administrator: Administrator,
  organization: z.object({ id: Id, name: z.string() }),
  /** The domains it can see, by name. */
  domains: z.array(z.object({ id: Id, name: z.string() })),
  /** The time until which changes are allowed without another use of the passkey. */
  freshUntil: Seconds,
  /** `idleUntil` is the end without another request; `endsAt` is the end in any case. */
  idleUntil: Seconds,
  endsAt: Seconds,
})
export type AdminSession = z.infer<typeof AdminSession>

const bodyLimit = 64 * 1024

export const startAdminRegistration = endpoint({
  method: 'POST',
  path: '/admin/registration/options',
  summary:
    'Starts to accept an invitation: returns the options for `navigator.credentials.create()`, good for 5 minutes.',
  body: z.object({ token: InvitationToken }),
  bodyLimit,
  response: z.object({
    options: AdminCreationOptions,
    invitation: Administrator.pick({ name: true, email: true, role: true }).extend({ organization: z.string() }),
  }),
  since: '1.4',
  admin: { role: 'none', scope: 'self' },
  errors: ['api.error.notfound.invitation', 'api.error.unavailable.passkeys'],
})

export const finishAdminRegistration = endpoint({
  method: 'POST',
  path: '/admin/registration',
  summary: 'Accepts an invitation with the passkey that the browser has made, uses it up, and signs in.',
  body: z.object({ token: InvitationToken, response: RegistrationResponse, name: PasskeyName }),
  bodyLimit,
  response: AdminSession,
  since: '1.4',
  admin: { role: 'none', scope: 'self' },
  errors: [
    'api.error.notfound.invitation',
    'api.error.conflict.state',
    'api.error.conflict.passkey',
    'api.error.unavailable.passkeys',
  ],
})

export const startAdminSignIn = endpoint({
  method: 'POST',
  path: '/admin/sign-in/options',
  summary: 'Starts a sign-in: returns the options for `navigator.credentials.get()`, good for 5 minutes.',
  bodyLimit,
  response: AdminRequestOptions,
  since: '1.4',
  admin: { role: 'none', scope: 'self' },
  errors: ['api.error.unavailable.passkeys'],
})

export const adminSignIn = endpoint({
  method: 'POST',
  path: '/admin/sign-in',
  summary: 'Signs in with a passkey.',
  body: z.object({ response: AuthenticationResponse }),
  bodyLimit,
  response: AdminSession,
  since: '1.4',
  admin: { role: 'none', scope: 'self' },
  errors: ['api.error.invalid.response', 'api.error.unavailable.passkeys'],
})

export const getAdminSession = endpoint({
  method: 'GET',
  path: '/admin/session',
  summary: 'Reads who is signed in.',
  response: AdminSession,
  since: '1.4',
  admin: { role: 'any', scope: 'self' },
})

export const adminSignOut = endpoint({
  method: 'DELETE',
  path: '/admin/session',
  summary: 'Signs out.',
  since: '1.4',
  admin: { role: 'any', scope: 'self' },
})

export const startConfirmation = endpoint({
  method: 'POST',
  path: '/admin/confirmation/options',
  summary: 'Starts another use of the passkey, which allows changes for 5 minutes.',
  bodyLimit,
  response: AdminRequestOptions,
  since: '1.4',
  admin: { role: 'any', scope: 'self' },
  errors: ['api.error.unavailable.passkeys'],
})

export const confirmAdmin = endpoint({
  method: 'POST',
  path: '/admin/confirmation',
  summary: 'Allows changes for 5 minutes.',
  body: z.object({ response: AuthenticationResponse }),
  bodyLimit,
  response: AdminSession,
  since: '1.4',
  admin: { role: 'any', scope: 'self' },
  errors: ['api.error.invalid.response', 'api.error.unavailable.passkeys'],
})

/** A passkey of the caller, for the console alone. */
export const AdminPasskey = Passkey.omit({ credentialId: true, rpId: true })
export type AdminPasskey = z.infer<typeof AdminPasskey>

export const listAdminPasskeys = endpoint({
  method: 'GET',
  path: '/admin/passkeys',
  summary: "Lists the caller's passkeys, oldest first.",
  response: z.array(AdminPasskey),
  since: '1.4',
  admin: { role: 'any', scope: 'self' },
})

export const startAdminPasskey = endpoint({
  method: 'POST',
  path: '/admin/passkeys/options',
  summary: 'Starts to add another passkey.',
  bodyLimit,
  response: AdminCreationOptions,
  since: '1.4',
  admin: { role: 'any', scope: 'self', fresh: true },
  errors: ['api.error.limit.passkeys', 'api.error.unavailable.passkeys'],
})

export const addAdminPasskey = endpoint({
  method: 'POST',
  path: '/admin/passkeys',
  summary: 'Adds the passkey that the browser has made.',
  body: z.object({ response: RegistrationResponse, name: PasskeyName }),
  bodyLimit,
  response: AdminPasskey,
  since: '1.4',
  admin: { role: 'any', scope: 'self', fresh: true },
  errors: [
    'api.error.conflict.state',
    'api.error.conflict.passkey',
    'api.error.limit.passkeys',
    'api.error.unavailable.passkeys',
  ],
})

export const deleteAdminPasskey = endpoint({
  method: 'DELETE',
  path: '/admin/passkeys/:passkeyId',
  summary: 'Deletes a passkey of the caller, except the last one.',
  since: '1.4',
  admin: { role: 'any', scope: 'self', fresh: true },
  errors: ['api.error.conflict.state'],
})
