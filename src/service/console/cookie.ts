import { hashSecret } from '../rules/console-secret.ts'

/** The prefix makes browsers insist on `Secure`, on `Path=/`, and on no `Domain` (RFC 6265bis section 4.1.3.2). */
const name = '__Host-mfa-console'

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'

export const sessionCookie = (secret: string): string => `${name}=${secret}; ${attributes}`

export const endedCookie = `${name}=; ${attributes}; Max-Age=0`

const pattern = new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_-]{43})(?:;|$)`)

/** @returns the hash of what the cookie holds. */
export function sessionHash(header: string | undefined): string | undefined {
  const [, secret] = pattern.exec(header ?? '') ?? []
  return secret === undefined ? undefined : hashSecret(secret)
}
