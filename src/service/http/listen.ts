import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

import { ApiProblem } from '../problem.ts'
import { answer, jsonLabel } from './answer.ts'
import type { Label } from './answer.ts'
import { errorBody } from './errors.ts'
import { refuseWhatIsNoRequest } from './refuse-connection.ts'

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
}

/** Common proxies let go of an idle connection after a minute: who is first must be the proxy. */
const defaultTimeouts: Timeouts = { headers: 10_000, request: 30_000, keepAlive: 65_000 }

export interface ListenOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  readonly timeouts?: Partial<Timeouts>
  /** How answers to what is no request are labelled. */
  readonly label?: Label
}

/** A server that listens. */
export interface Listening {
  readonly host: string
  readonly port: number
  /** Takes no new connections from now on; resolves when the last one has ended. */
  close(): Promise<void>
}

/** Rejects where the address cannot be had. */
export async function listen(listener: RequestListener, options: ListenOptions): Promise<Listening> {
  const server = createPatientServer(listener, options)
  const unspoken = connectionsWithoutRequest(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  // Later ones belong to single connections, which Node ends by itself.
  server.removeAllListeners('error').on('error', () => {})
  return {
    host: options.host,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        // A connection that has had its answer is not kept for another request.
        server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
        server.close(() => resolve())
        // Callers open some ahead, or give up meanwhile; Node does not count those as idle.
        for (const connection of unspoken) connection.destroy()
        const idle = setInterval(() => server.closeIdleConnections(), 20)
        const late = setTimeout(() => server.closeAllConnections(), patience)
        server.once('close', () => {
          clearInterval(idle)
          clearTimeout(late)
        })
      }),
  }
}

/** Those on which nobody has asked for anything yet. */
function connectionsWithoutRequest(server: Server): ReadonlySet<Socket> {
  const unspoken = new Set<Socket>()
  server.on('connection', (connection) => {
    unspoken.add(connection)
    connection.once('close', () => unspoken.delete(connection))
  })
  server.prependListener('request', ({ socket }) => unspoken.delete(socket))
  return unspoken
}

/** Patient, but not endlessly so. */
function createPatientServer(listener: RequestListener, { timeouts: given, label = jsonLabel }: ListenOptions) {
  const timeouts = { ...defaultTimeouts, ...given }
  const wholeOnly: RequestListener = (req, res) => {
    if (isWhole(req)) return listener(req, res)
    answer(res, 400, errorBody(new ApiProblem('api.error.malformed')), { ...label, Connection: 'close' })
  }
  const server = createServer(
    {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: Math.min(1_000, Math.ceil(timeouts.headers / 4)),
      // Looked at above, where it can be said in our own words.
      requireHostHeader: false,
    },
    wholeOnly,
  )
  // An expectation we do not know may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', wholeOnly)
  refuseWhatIsNoRequest(server, label)
  return server
}

/** With a version, and in 1.1 with a Host (RFC 9112 section 3.2). */
function isWhole({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.0' || (httpVersion === '1.1' && headers.host !== undefined)
}
