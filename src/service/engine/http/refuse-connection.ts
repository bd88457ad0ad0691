import { randomUUID } from 'node:crypto'
import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import { ApiProblem } from '../base/problem.ts'
import { jsonAnswer } from './answer.ts'
import type { Label } from './answer.ts'
import { errorBody } from './errors.ts'
import { STATUS_CODES } from './node-http.ts'

/** Answers invalid or slow requests with our usual error body, and closes the connection. */
export function handleClientErrors(server: Server, label: Label): void {
  const latest = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (req, res) => latest.set(req.socket, res))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // During a response, or if the caller has disconnected, nothing can be sent.
    const response = latest.get(socket)
    const midway = response?.headersSent === true && !response.writableFinished
    if (midway || !socket.writable || error.code === 'ECONNRESET') socket.destroy()
    else socket.end(rawErrorResponse(problemOf(error.code), label), () => socket.destroy())
  })
}

function problemOf(code: string | undefined): ApiProblem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiProblem('api.error.timeout')
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new ApiProblem('api.error.toolarge', 'The head of the request is too large.')
  }
  return new ApiProblem('api.error.malformed')
}

/** A complete raw response, because Node has no request to respond to. */
function rawErrorResponse(problem: ApiProblem, label: Label): string {
  const { headers, body } = jsonAnswer(problem.status, errorBody(problem), label)
  const ownHeaders = { 'X-Request-Id': randomUUID(), Date: new Date().toUTCString(), Connection: 'close' }
  const lines = Object.entries({ ...headers, ...ownHeaders }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`
}
