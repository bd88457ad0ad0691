import { parseJson } from '../../../contract/validate.ts'

/** Ceremonies of a user, at most: so that the table of ceremonies stays small. */
export const ceremonyLimit = { limit: 30, window: 10 * 60 } as const

/**
 * The algorithms of COSE (RFC 9053, RFC 8812) that are accepted: ES256, EdDSA and RS256, which WebAuthn section 5.8.5 asks
 * relying parties to accept.
 */
export const algorithms: readonly number[] = [-7, -8, -257]

/** The user handle (WebAuthn section 5.4.3): the bytes of the user's id, which say nothing about the person. */
export const userHandleOf = (userId: string): string => Buffer.from(userId, 'hex').toString('base64url')

/**
 * Whether a signature counter shows that two authenticators may have the same key (WebAuthn section 6.1.1). Passkeys that
 * are synchronized have none: theirs stays 0.
 */
export const isRegression = (counter: number, stored: number): boolean =>
  (counter > 0 || stored > 0) && counter <= stored

/** The client data of a ceremony, which the authenticator has signed (WebAuthn section 5.8.1). */
export interface ClientData {
  readonly challenge: string
  /** The origin of the page. */
  readonly origin: unknown
  /** Whether the page was in a frame of another origin. */
  readonly crossOrigin: boolean
}

/** @returns undefined for what is no client data. */
export function readClientData(encoded: string): ClientData | undefined {
  const data = parseJson(Buffer.from(encoded, 'base64url').toString('utf8'))
  if (typeof data !== 'object' || data === null) return undefined
  const { challenge, origin, crossOrigin } = data as Record<string, unknown>
  return typeof challenge === 'string' ? { challenge, origin, crossOrigin: crossOrigin === true } : undefined
}
