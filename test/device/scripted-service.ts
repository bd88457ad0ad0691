import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'

import { decodeJwt } from 'jose'

import type { Account } from '../../src/device/account.ts'
import { createDevice } from '../../src/device/device.ts'
import { createKeyPair } from '../../src/device/keys.ts'
import type { DeviceOptions } from '../../src/device/options.ts'

/** One call, as it arrived. */
export interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Claims and content of a signed call. */
  readonly signed: Readonly<Record<string, unknown>>
}

/** An event stream: what it tells at once, and whether it stays open. */
export interface StreamReply {
  readonly events: readonly unknown[]
  readonly ends: boolean
}

/** What to answer; `hangUp` breaks the connection, `never` holds it. */
export type Reply =
  | 'hangUp'
  | 'never'
  | StreamReply
  | { status: number; headers?: Record<string, string>; body?: unknown }

/**
 * A real HTTP server that answers as the script says, call by call, to see what a device does with it. Where the script has
 * no stream, it is a service behind something that knows no streams: who asks for one gets a plain list, out of the script.
 */
export async function scriptedService(...script: readonly Reply[]) {
  const calls: ReceivedCall[] = []
  let streamsAsked = 0
  const server = createServer((req, res) => {
    void readBody(req).then((body) => {
      const jws = req.headers.authorization?.replace('Device ', '') ?? body
      const signed = jws.split('.').length === 3 ? decodeJwt(jws) : {}
      const reply = script[Math.min(calls.length, script.length - 1)] ?? { status: 500 }
      const wantsStream = req.headers.accept?.startsWith('text/event-stream') === true
      if (wantsStream) streamsAsked += 1
      if (wantsStream && typeof reply !== 'string' && 'status' in reply && reply.status < 400) {
        return res.writeHead(200, { 'content-type': 'application/json' }).end('{"requests":[]}')
      }
      calls.push({ method: req.method ?? '', path: req.url ?? '', headers: req.headers, signed })
      if (reply === 'hangUp') return req.socket.destroy()
      if (reply === 'never') return undefined
      if ('events' in reply) return answerStream(res, reply)
      return res.writeHead(reply.status, reply.headers).end(reply.status === 304 ? '' : JSON.stringify(reply.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new TypeError('not listening on a port')
  return {
    url: `http://127.0.0.1:${bound.port}/mfa`,
    calls,
    /** How often a stream was asked for, whatever came of it. */
    streamsAsked: () => streamsAsked,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function answerStream(res: ServerResponse, { events, ends }: StreamReply): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\n\n')
  for (const event of events) res.write(`data: ${JSON.stringify(event)}\n\n`)
  if (ends) res.end()
}

export const id = (digit: string) => digit.repeat(40)

/** The answers that lead to an account. */
export const preview = {
  status: 200,
  body: {
    service: id('5'),
    organization: { name: 'Acme' },
    domain: { id: id('d'), name: 'Wiki', keyType: 'NONE' as const },
    user: { username: 'alice' },
  },
}
/** The secret of RFC 6238 appendix B, SHA-1. */
const codeSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
export const activated = {
  status: 200,
  body: { ...preview.body, device: id('a'), push: false, codes: { secret: codeSecret, digits: 6, period: 30 } },
}

export const refusal = (status: number, code: string, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: { errors: [{ code, message: 'No.' }] },
})

/** A device with an account at a service that answers as the script says. */
export async function deviceAt(options: DeviceOptions, ...script: readonly Reply[]) {
  const { url, ...service } = await scriptedService(...script)
  const { privateKey } = await createKeyPair(false)
  const { organization, domain, user } = preview.body
  const account: Account = {
    id: id('a'),
    service: id('5'),
    serviceUrl: url,
    organization,
    domain,
    user,
    privateKey,
    clockOffset: 0,
  }
  return { device: createDevice(options), account, ...service }
}

async function readBody(stream: AsyncIterable<unknown>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}
