import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer as createSecureServer, Server as SecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

import { ApiProblem } from '../base/problem.ts'
import { answer, jsonLabel } from './answer.ts'
import type { Label } from './answer.ts'
import { errorBody } from './errors.ts'
import { handleClientErrors } from './refuse-connection.ts'
import { createServer } from './node-http.ts'
import { openSockets } from './sockets.ts'
import type { Address } from './sockets.ts'

/** How long `close()` waits for responses to be read, milliseconds. */
const closeTimeout = 15_000

/** Timeouts for slow callers, milliseconds. */
export interface Timeouts {
  /** The time for the head of a request. */
  readonly headers: number
  /** The time for the whole request; that of its response does not count. */
  readonly request: number
  /** The time for the next request on an idle connection. */
  readonly keepAlive: number
  /**
   * For the first request of a connection that is new when closing begins. Its first bytes may be on the way, and closing the
   * connection would reset it.
   */
  readonly firstRequest: number
}

/** Longer than the minute after which common proxies close idle connections: the proxy must be the first to close. */
const defaultTimeouts: Timeouts = { headers: 10_000, request: 30_000, keepAlive: 65_000, firstRequest: 1_000 }

export interface ListenOptions extends Address {
  readonly timeouts?: Partial<Timeouts>
  /** Headers of responses to invalid requests. */
  readonly label?: Label
  /** Certificate and key for HTTPS; without them HTTP is served. */
  readonly tls?: TlsCredentials | undefined
}

/** PEM. The certificate is followed by its issuers. */
export interface TlsCredentials {
  readonly cert: Buffer
  readonly key: Buffer
}

/** The lowest version that RFC 9325 section 3.1.1 allows. Set explicitly, because a flag can lower Node's default. */
const minVersion = 'TLSv1.2'

/** A listening server. */
export interface Listening {
  readonly host: string
  readonly port: number
  /**
   * Uses another certificate for new connections; open connections keep theirs.
   * @throws {Error} if it cannot be used, or if the server serves HTTP.
   */
  setTls(credentials: TlsCredentials): void
  /** Keeps serving, but closes each connection after its response with `Connection: close`. */
  drain(): void
  /**
   * Accepts no new connections; resolves when the last one has ended. Of a socket that another process holds, only our copy is
   * closed: new connections wait for the next process.
   */
  close(): Promise<void>
}

/** Rejects if the server cannot listen on the address. */
export async function listen(listener: RequestListener, options: ListenOptions): Promise<Listening> {
  const connections = createConnections()
  const server = createHttpServer(connections.track(listener), options)
  connections.watch(server)
  const sockets = await openSockets(server, options)
  const { address: host, port } = addressOf(server) ?? { address: options.host, port: options.port }
  return {
    host: options.fd === undefined ? options.host : host,
    port,
    setTls(credentials) {
      if (!(server instanceof SecureServer)) throw new Error('TLS settings can only be changed on an HTTPS server.')
      server.setSecureContext({ ...credentials, minVersion })
    },
    drain: () => connections.drain(),
    async close() {
      connections.drain()
      // Not before requests are read that have arrived: to close their connections would reset them.
      await new Promise((resolve) => void setImmediate(resolve))
      const closed = Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.close(resolve))))
      connections.closeUnused({ ...defaultTimeouts, ...options.timeouts }.firstRequest)
      const idle = setInterval(() => server.closeIdleConnections(), 20)
      const late = setTimeout(() => server.closeAllConnections(), closeTimeout)
      await closed
      clearInterval(idle)
      clearTimeout(late)
    },
  }
}

/** Undefined for a Unix socket, which has a path or no name. */
function addressOf(server: Server): AddressInfo | undefined {
  const address = server.address()
  return address === null || typeof address === 'string' ? undefined : address
}

/** Tracks the connections of a server, in order to close them without a reset. */
function createConnections() {
  /** Connections without a request yet, and since when, milliseconds. */
  const unused = new Map<Socket, number>()
  const unanswered = new Set<ServerResponse>()
  let draining = false
  /** Once closing has begun: how long a connection may stay unused, milliseconds. */
  let maxUnused: number | undefined

  const closeAfterwards = (res: ServerResponse) => {
    if (!res.headersSent) res.setHeader('Connection', 'close')
  }

  const closeIfUnused = (connection: Socket, wait: number) =>
    void setTimeout(() => unused.has(connection) && connection.destroy(), Math.max(0, wait))

  return {
    watch(server: Server): void {
      const note = (connection: Socket) => {
        unused.set(connection, performance.now())
        connection.once('close', () => unused.delete(connection))
        // A handshake may end after closing has begun.
        if (maxUnused !== undefined) closeIfUnused(connection, maxUnused)
      }
      server.on('connection', note)
      if (server instanceof SecureServer)
        onSecured(server, (raw, secured) => {
          if (raw) unused.delete(raw)
          note(secured)
        })
    },
    track:
      (listener: RequestListener): RequestListener =>
      (req, res) => {
        unused.delete(req.socket)
        unanswered.add(res)
        res.once('close', () => unanswered.delete(res))
        if (draining) closeAfterwards(res)
        listener(req, res)
      },
    drain(): void {
      draining = true
      for (const res of unanswered) closeAfterwards(res)
    },
    /** Callers open some connections ahead or abandon them; Node does not count those as idle. @param grace Milliseconds. */
    closeUnused(grace: number): void {
      maxUnused = grace
      for (const [connection, since] of unused) closeIfUnused(connection, since + grace - performance.now())
    },
  }
}

/** Calls back for each TLS connection after its handshake, with its raw connection, which Node does not expose. */
function onSecured(server: SecureServer, listener: (raw: Socket | undefined, secured: Socket) => void): void {
  const handshakes = new Map<string, Socket>()
  const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.on('connection', (raw: Socket) => {
    const peer = peerOf(raw)
    handshakes.set(peer, raw)
    raw.once('close', () => handshakes.get(peer) === raw && handshakes.delete(peer))
  })
  server.on('secureConnection', (secured) => {
    const peer = peerOf(secured)
    listener(handshakes.get(peer), secured)
    handshakes.delete(peer)
  })
}

/** Creates a server with timeouts for slow callers. */
function createHttpServer(
  listener: RequestListener,
  { timeouts: configuredTimeouts, label = jsonLabel, tls }: ListenOptions,
) {
  const timeouts = { ...defaultTimeouts, ...configuredTimeouts }
  const completeOnly: RequestListener = (req, res) => {
    if (isComplete(req)) return listener(req, res)
    answer(res, 400, errorBody(new ApiProblem('api.error.malformed')), { ...label, Connection: 'close' })
  }
  const settings = {
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(timeouts.headers / 4)),
    // Checked in `completeOnly`, which sends our own error.
    requireHostHeader: false,
  }
  const server: Server = tls
    ? createSecureServer({ ...settings, ...tls, minVersion, handshakeTimeout: timeouts.headers }, completeOnly)
    : createServer(settings, completeOnly)
  // An expectation we do not know may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', completeOnly)
  handleClientErrors(server, label)
  return server
}

/** Whether the request has a version, and with HTTP/1.1 a Host (RFC 9112 section 3.2). */
function isComplete({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.0' || (httpVersion === '1.1' && headers.host !== undefined)
}
