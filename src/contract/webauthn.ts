/** The JSON of browsers for passkeys (WebAuthn Level 3 sections 5.1.8 to 5.1.10), as far as it is used. */
import { z } from 'zod'

/** Bytes, base64url without padding. @param maximum Bytes. */
const bytes = (maximum: number) =>
  z
    .string()
    .min(1)
    .max(Math.ceil((maximum * 4) / 3))
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url')

/** A credential id has at most 1,023 bytes (WebAuthn section 4). */
const CredentialId = bytes(1_023)

/** The client data of a ceremony: a few hundred bytes, of which origins are the longest. */
const ClientData = bytes(4_096)

const credential = { id: CredentialId, rawId: CredentialId, type: z.literal('public-key') }

/** The result of `navigator.credentials.create()`, by `toJSON()`. */
export const RegistrationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: ClientData,
    attestationObject: bytes(8_192),
    /** How browsers reach the authenticator, such as `internal` or `hybrid`. */
    transports: z
      .array(z.string().regex(/^[a-z-]{1,32}$/))
      .max(16)
      .optional(),
  }),
})

/** The result of `navigator.credentials.get()`, by `toJSON()`. */
export const AuthenticationResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: ClientData,
    authenticatorData: bytes(4_096),
    signature: bytes(2_048),
    /** The user whom the authenticator stored with the passkey. */
    userHandle: bytes(64).nullish(),
  }),
})

const Descriptor = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()).optional(),
})

/** The argument of `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export const CreationOptions = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  /** Milliseconds. */
  timeout: z.int(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({ residentKey: z.literal('preferred'), userVerification: z.literal('preferred') }),
})
export type CreationOptions = z.infer<typeof CreationOptions>

/** The argument of `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export const RequestOptions = z.object({
  challenge: z.string(),
  rpId: z.string(),
  /** Milliseconds. */
  timeout: z.int(),
  userVerification: z.literal('preferred'),
  allowCredentials: z.array(Descriptor),
})
export type RequestOptions = z.infer<typeof RequestOptions>

/** The same for a sign-in in which the passkey says who the user is. */
export const UsernamelessOptions = RequestOptions.extend({ userVerification: z.literal('required') })
export type UsernamelessOptions = z.infer<typeof UsernamelessOptions>
