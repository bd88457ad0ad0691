import type { FrameworkRequest } from '../framework/request.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { configuredAddress } from '../options/authenticator-address.ts'
import type { RequestContext } from '../request/context.ts'
import type { WebRequest } from '../request/web-request.ts'

type Service = Pick<ConnectedService, 'hasAuthenticator' | 'baseUrl'>

/** Where users open the authenticator; for one that is not ours, only if the app configures it. */
export function authenticatorAddress({ req, context }: WebRequest, service: Service): string | undefined {
  if (!service.hasAuthenticator) return context.mfa.options.authenticatorUrl
  return authenticatorUrl(req, context, service.baseUrl)
}

/** The same with an activation code, which only our own authenticator takes from a link. */
export function activationLink(request: WebRequest, service: Service, code: string): string | undefined {
  if (!service.hasAuthenticator) return authenticatorAddress(request, service)
  return authenticatorLink(request.req, request.context, service.baseUrl, code)
}

/**
 * The link that sets up our authenticator. The code is in the fragment, which browsers do not send, so it reaches no log.
 *
 * @param baseUrl The address of the service's REST interface.
 */
export function authenticatorLink(
  req: FrameworkRequest,
  context: RequestContext,
  baseUrl: string,
  code: string,
): string {
  return `${authenticatorUrl(req, context, baseUrl)}/#code=${code}`
}

/**
 * The authenticator with the open request. The number is not in it: an attacker who knows the password could send such a link to the
 * user, who would no longer have to see this page.
 */
export function requestLink(request: WebRequest, service: Service, sessionId: string | undefined): string | undefined {
  const address = authenticatorAddress(request, service)
  return service.hasAuthenticator && sessionId !== undefined ? `${address}/#request=${sessionId}` : address
}

/** The configured address, or one on this machine; never from a Host header, because users open it with a code. */
export function authenticatorUrl(req: FrameworkRequest, { base, mfa }: RequestContext, baseUrl: string): string {
  const { authenticatorUrl: configured, publicUrl, routes } = mfa.options
  const origin = publicUrl === undefined ? `http://localhost:${req.socket.localPort ?? 80}` : new URL(publicUrl).origin
  const ownAddress = `${origin}${base}/authenticator`
  if (configured !== undefined) return configuredAddress(configured, ownAddress)
  // A remote service serves the authenticator beside its REST interface.
  if (!routes) return new URL('../authenticator', `${baseUrl.replace(/\/+$/, '')}/`).href
  return ownAddress
}
