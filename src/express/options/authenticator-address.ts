/**
 * Where a configured address of the authenticator leads. An origin alone gets a path: the one below the challenge pages if it is this
 * app's origin, else the one that `serve` uses.
 * @param pagesAddress The authenticator below the challenge pages; undefined if only a request could tell.
 */
export function configuredAddress(configured: string, pagesAddress: string | undefined): string {
  const { origin, pathname } = new URL(configured)
  if (pathname !== '/') return configured
  return pagesAddress !== undefined && new URL(pagesAddress).origin === origin
    ? pagesAddress
    : `${origin}/authenticator`
}

/** Addresses without a slash at their end. */
interface Configured {
  readonly authenticatorUrl?: string | undefined
  readonly publicUrl?: string | undefined
  readonly path: string
}

/** The authenticator's address, as far as the options determine it. */
export function knownAuthenticator({ authenticatorUrl, publicUrl, path }: Configured): string | undefined {
  const pagesAddress = publicUrl === undefined ? undefined : `${publicUrl}${path}/authenticator`
  return authenticatorUrl === undefined ? pagesAddress : configuredAddress(authenticatorUrl, pagesAddress)
}
