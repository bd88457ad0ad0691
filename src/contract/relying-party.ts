import { z } from 'zod'

/**
 * The id of a relying party (WebAuthn section 5.1.2): a domain name in lower case. Browsers let a page use only its own
 * domain, or one above it, and no IP address.
 */
export const RelyingPartyId = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/, 'must be a domain name')
  // The last label of a domain name is never a number (RFC 3696 section 2).
  .regex(/(^|\.)[^.]*[^0-9.][^.]*$/, 'must be a domain name, not an IP address')

/** The origin of a page: `https:`, or `http:` on this machine. */
export const PageOrigin = z
  .string()
  .max(300)
  .refine(isPageOrigin, 'must be an origin such as https://app.example, or http://localhost:3000')

/** The app for which passkeys are made and used, as the caller names it. The browser says on which of its origins it was. */
export const RelyingParty = z.object({ id: RelyingPartyId, origins: z.array(PageOrigin).min(1).max(20) })
export type RelyingParty = z.infer<typeof RelyingParty>

/** Browsers count plain http on `localhost` and names below it as secure (Secure Contexts section 3.1). */
export function isPageOrigin(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url?.origin !== value) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && /(^|\.)localhost$/.test(url.hostname))
}
