/**
 * Where a configured address of the authenticator leads. An origin alone gets a path: the one below the challenge pages if it is this
 * app's origin, else the one that `serve` uses.
 * @param own The authenticator below the challenge pages; undefined if only a request could tell.
 */
export function configuredAddress(configured: string, own: string | undefined): string {
  const { origin, pathname } = new URL(configured)
  if (pathname !== '/') return configured
  return own !== undefined && new URL(own).origin === origin ? own : `${origin}/authenticator`
}

/** Addresses without a slash at their end. */
interface Configured {
  readonly authenticatorUrl?: string | undefined
  readonly publicUrl?: string | undefined
  readonly path: string
}

/** Where people open the authenticator, as far as the options say it. */
export function knownAuthenticator({ authenticatorUrl, publicUrl, path }: Configured): string | undefined {
  const own = publicUrl === undefined ? undefined : `${publicUrl}${path}/authenticator`
  return authenticatorUrl === undefined ? own : configuredAddress(authenticatorUrl, own)
}
