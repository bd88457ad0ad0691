import type { IncomingMessage } from 'node:http'

import { lazyRequestId } from '../../challenge/attribution.ts'
import type { RequestId } from '../../challenge/attribution.ts'
import { readRequestId } from '../../contract/request-id.ts'

type TrustsProxy = (address: string | undefined, hop: number) => boolean

/**
 * Returns the id of a request in log lines, events and calls to the service: the `X-Request-Id` of a proxy that the app trusts
 * (`trust proxy`), otherwise a new one. Ids of browsers are ignored, because attackers could use them to forge log lines.
 */
export function createRequestId(req: IncomingMessage): RequestId {
  const header = req.headers['x-request-id']
  return lazyRequestId(header !== undefined && isFromProxy(req) ? readRequestId(header) : undefined)
}

function isFromProxy(req: IncomingMessage & { readonly app?: { get?: (name: string) => unknown } }): boolean {
  const trusts = req.app?.get?.('trust proxy fn')
  return typeof trusts === 'function' && (trusts as TrustsProxy)(req.socket.remoteAddress, 0)
}
