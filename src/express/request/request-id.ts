import type { HttpRequest } from '../framework/http-request.ts'
import type { FrameworkRequest } from '../framework/request.ts'
import { lazyRequestId } from '../../challenge/service-calls.ts'
import type { RequestId } from '../../challenge/service-calls.ts'
import { readRequestId } from '../../contract/request-id.ts'

/** What tells Express, and other frameworks by themselves, whether a proxy is trusted. */
type WithApp = Pick<FrameworkRequest, 'isFromProxy'> & { readonly app?: { get?: (name: string) => unknown } }

type TrustsProxy = (address: string | undefined, hop: number) => boolean

/**
 * Returns the id of a request in log lines, events and calls to the service: the `X-Request-Id` of a proxy that the app trusts
 * (`trust proxy`), otherwise a new one. Ids of browsers are ignored, because attackers could use them to forge log lines.
 */
export function createRequestId(req: HttpRequest): RequestId {
  const header = req.headers['x-request-id']
  return lazyRequestId(header !== undefined && isFromProxy(req) ? readRequestId(header) : undefined)
}

function isFromProxy(req: HttpRequest & WithApp): boolean {
  if (req.isFromProxy !== undefined) return req.isFromProxy
  const trusts = req.app?.get?.('trust proxy fn')
  return typeof trusts === 'function' && (trusts as TrustsProxy)(req.socket.remoteAddress, 0)
}
