import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer as createSecureServer, Server as SecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

import { ApiProblem } from '../ground/problem.ts'
import { answer, jsonLabel } from './answer.ts'
import type { Label } from './answer.ts'
import { errorBody } from './errors.ts'
import { refuseWhatIsNoRequest } from './refuse-connection.ts'
import { openSockets } from './sockets.ts'
import type { Address } from './sockets.ts'

/** How long closing waits for answers to be read, milliseconds. */
const patience = 15_000

/** How slow a caller may be, milliseconds. */
export interface Timeouts {
  /** Until the head of a request is there. */
  readonly headers: number
  /** Until all of it is there. How long its answer takes does not count. */
  readonly request: number
  /** Until the next request on a connection that stays open. */
  readonly keepAlive: number
  /**
   * Until the first request of a connection that is new when closing begins. Its first bytes may be on the way, and closing
   * the connection then would reset it.
   */
  readonly firstRequest: number
}

/** Common proxies let go of an idle connection after a minute: who is first must be the proxy. */
const defaultTimeouts: Timeouts = { headers: 10_000, request: 30_000, keepAlive: 65_000, firstRequest: 1_000 }

export interface ListenOptions extends Address {
  readonly timeouts?: Partial<Timeouts>
  /** Whether the process goes on for as long as the server listens; default true. */
  readonly keepsAlive?: boolean
  /** How answers to what is no request are labelled. */
  readonly label?: Label
  /** What HTTPS is served with; without it HTTP is served. */
  readonly tls?: TlsCredentials | undefined
}

/** PEM. The certificate is followed by those that it was issued by. */
export interface TlsCredentials {
  readonly cert: Buffer
  readonly key: Buffer
}

/** RFC 9325 section 3.1.1. Set whatever Node's own default is, which a flag can lower. */
const minVersion = 'TLSv1.2'

/** A server that listens. */
export interface Listening {
  readonly host: string
  readonly port: number
  /**
   * Serves another certificate to new connections; those that are open go on.
   * @throws {Error} where it cannot be used, or where HTTP is served.
   */
  setTls(credentials: TlsCredentials): void
  /** Goes on serving, but keeps no connection for another request: each response says `Connection: close`. */
  drain(): void
  /**
   * Takes no new connections from now on; resolves when the last one has ended. Of a socket that somebody else holds, only
   * our copy is closed: connections that come now wait for the next process.
   */
  close(): Promise<void>
}

/** Rejects where the address cannot be had. */
export async function listen(listener: RequestListener, options: ListenOptions): Promise<Listening> {
  const connections = createConnections()
  const server = createPatientServer(connections.track(listener), options)
  connections.watch(server)
  const sockets = await openSockets(server, options)
  if (options.keepsAlive === false) for (const socket of sockets) socket.unref()
  const { address: host, port } = addressOf(server) ?? { address: options.host, port: options.port }
  return {
    host: options.fd === undefined ? options.host : host,
    port,
    setTls(credentials) {
      if (!(server instanceof SecureServer)) throw new Error('This server speaks HTTP.')
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
      const late = setTimeout(() => server.closeAllConnections(), patience)
      await closed
      clearInterval(idle)
      clearTimeout(late)
    },
  }
}

/** Undefined for a Unix socket, which has a path or no name at all. */
function addressOf(server: Server): AddressInfo | undefined {
  const address = server.address()
  return address === null || typeof address === 'string' ? undefined : address
}

/** What is to be known of the connections of a server in order to end them without resetting any. */
function createConnections() {
  /** Those on which nobody has asked for anything yet, and since when, milliseconds. */
  const unused = new Map<Socket, number>()
  const unanswered = new Set<ServerResponse>()
  let draining = false

  const closeAfterwards = (res: ServerResponse) => {
    if (!res.headersSent) res.setHeader('Connection', 'close')
  }

  return {
    watch(server: Server): void {
      const note = (connection: Socket) => {
        unused.set(connection, performance.now())
        connection.once('close', () => unused.delete(connection))
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
    /** Callers open some ahead, or give up meanwhile; Node does not count those as idle. @param grace Milliseconds. */
    closeUnused(grace: number): void {
      for (const [connection, since] of unused) {
        const left = since + grace - performance.now()
        setTimeout(() => unused.has(connection) && connection.destroy(), Math.max(0, left))
      }
    },
  }
}

/** Tells of each TLS connection whose handshake is over, and on which raw one it runs: Node does not say. */
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

/** Patient, but not endlessly so. */
function createPatientServer(listener: RequestListener, { timeouts: given, label = jsonLabel, tls }: ListenOptions) {
  const timeouts = { ...defaultTimeouts, ...given }
  const wholeOnly: RequestListener = (req, res) => {
    if (isWhole(req)) return listener(req, res)
    answer(res, 400, errorBody(new ApiProblem('api.error.malformed')), { ...label, Connection: 'close' })
  }
  const settings = {
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(timeouts.headers / 4)),
    // Looked at above, where it can be said in our own words.
    requireHostHeader: false,
  }
  const server: Server = tls
    ? createSecureServer({ ...settings, ...tls, minVersion, handshakeTimeout: timeouts.headers }, wholeOnly)
    : createServer(settings, wholeOnly)
  // An expectation we do not know may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', wholeOnly)
  refuseWhatIsNoRequest(server, label)
  return server
}

/** With a version, and in 1.1 with a Host (RFC 9112 section 3.2). */
function isWhole({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.0' || (httpVersion === '1.1' && headers.host !== undefined)
}
