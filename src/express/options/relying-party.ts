import type { RelyingParty as Party } from '../../contract/relying-party.ts'
import type { PasskeysOptions } from './mfa-options.ts'

/** The relying party of an app: what its passkeys are bound to (WebAuthn Level 3 section 4). */
export interface RelyingParty extends Readonly<Party> {
  /** What the dialogs of browsers show; undefined for the name of the app. */
  readonly name: string | undefined
}

/**
 * The relying party of a request; undefined where browsers accept no passkeys.
 *
 * @param address The scheme and host that the browser has asked for, such as `http://localhost:3000`.
 */
export type RelyingPartyOf = (address: string) => RelyingParty | undefined

export interface ResolvedPasskeys {
  readonly relyingPartyOf: RelyingPartyOf
  /** The origins at other names, of which browsers ask (WebAuthn Level 3 section 5.11); with the app's own. */
  readonly relatedOrigins: readonly string[]
  /** Why browsers accept no passkeys here. */
  readonly off?: string
}

interface RelyingPartyInput {
  readonly passkeys: false | PasskeysOptions
  readonly publicUrl: string | undefined
}

/**
 * @param warn called where the app's address is an IP address.
 * @throws {TypeError} if browsers would reject every passkey of these options.
 */
export function resolvePasskeys(
  { passkeys, publicUrl }: RelyingPartyInput,
  warn: (message: string) => void,
): ResolvedPasskeys {
  if (passkeys === false) return { ...none, off: 'passkeys is false' }
  const { rpId, rpName: name, origins } = passkeys
  if (publicUrl === undefined) {
    if (rpId === undefined && origins === undefined)
      return { ...none, relyingPartyOf: (address) => byAddress(address, name) }
    throw new TypeError('mfa: passkeys.rpId and passkeys.origins need publicUrl: write the address of the app')
  }
  const appUrl = new URL(publicUrl)
  if (isIpAddress(appUrl.hostname)) {
    warn(
      'passkeys are off, because browsers accept none at an IP address, as in publicUrl. passkeys: false leaves out this line.',
    )
    return { ...none, off: 'browsers accept none at an IP address, as in publicUrl' }
  }
  if (appUrl.protocol === 'http:' && !isLocalhost(appUrl.hostname))
    return { ...none, off: 'browsers accept none on an http page, as in publicUrl' }
  const party = { id: rpId ?? appUrl.hostname, name, origins: origins ?? [appUrl.origin] }
  checkOrigins(party, appUrl)
  const hasOthers = party.origins.some((origin) => !belongsTo(origin, party.id))
  return { relyingPartyOf: () => party, relatedOrigins: hasOthers ? party.origins : [] }
}

const none: ResolvedPasskeys = { relyingPartyOf: () => undefined, relatedOrigins: [] }

const isIpAddress = (hostname: string): boolean => /^(\[.*\]|[\d.]+)$/.test(hostname)

/** Browsers trust these without https. */
const isLocalhost = (hostname: string): boolean => /^(.+\.)?localhost$/.test(hostname)

function checkOrigins({ id, origins }: RelyingParty, appUrl: URL): void {
  if (!origins.includes(appUrl.origin)) {
    throw new TypeError(`mfa: passkeys.origins: expected ${appUrl.origin}, the origin of publicUrl, among them`)
  }
  // The app at this name tells browsers which origins at other names may use its passkeys.
  if (!origins.some((origin) => belongsTo(origin, id))) {
    throw new TypeError(`mfa: passkeys.rpId: expected ${appUrl.hostname} or a domain above it, got ${id}`)
  }
}

/** Whether browsers let an origin use the id without asking (HTML section 7.1.1.2, registrable domain suffix). */
function belongsTo(origin: string, id: string): boolean {
  const { hostname } = new URL(origin)
  return hostname === id || hostname.endsWith(`.${id}`)
}

/** While developing, no address is configured. A page of another origin cannot set Host. */
function byAddress(address: string, name: string | undefined): RelyingParty | undefined {
  const url = URL.parse(address)
  return url && isLocalhost(url.hostname) ? { id: url.hostname, name, origins: [url.origin] } : undefined
}
