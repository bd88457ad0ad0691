import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'

/** A request, also one that no framework has seen, such as an upgrade to a WebSocket. */
export interface HttpRequest {
  readonly headers: IncomingHttpHeaders
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The path and the query, as the browser has requested them. */
  readonly originalUrl?: string | undefined
  /** The address that the request came from, as the framework sees it through the proxies that the app trusts. */
  readonly ip?: string | undefined
  readonly socket: Pick<Socket, 'remoteAddress' | 'localPort'>
}

/** A request with its body, which a parser of the app may have read. */
export interface PostedRequest extends HttpRequest, AsyncIterable<unknown> {
  readonly body?: unknown
  readonly readableEnded: boolean
  /** Whether the whole body has arrived. */
  readonly complete: boolean
}
