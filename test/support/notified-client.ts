import type { ServerResponse } from 'node:http'
import { Agent, createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

import { certificateOf } from './push-service.ts'

/** A notification as it arrived. */
export interface Notified {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

type Reply = (res: ServerResponse) => void

export type NotifiedClient = Awaited<ReturnType<typeof startNotifiedClient>>

const host = 'center.example'

/** The server of a client that is told when a person has answered, with a certificate of its own. Its name is public, and leads here. */
export async function startNotifiedClient() {
  const certificate = await certificateOf(host)
  const notified: Notified[] = []
  const replies: Reply[] = []
  const waiting: (() => void)[] = []
  let connections = 0
  const server = createServer({ cert: certificate.certificate, key: certificate.key }, (req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      notified.push({ method: req.method, path: req.url, headers: req.headers, text: Buffer.concat(chunks).toString() })
      const reply = replies.shift() ?? ((answer) => void answer.writeHead(204).end())
      reply(res)
      for (const resolve of waiting.splice(0)) resolve()
    })
  })
  server.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `https://${host}/notify?of=calls`,
    port,
    ca: certificate.certificate,
    notified,
    connections: () => connections,
    /** What is said to the next notifications, one after the other. */
    reply: (...next: (number | Reply)[]) =>
      void replies.push(
        ...next.map((reply): Reply => (typeof reply === 'number' ? (res) => void res.writeHead(reply).end() : reply)),
      ),
    /** Resolves once so many have come in all. */
    async received(count: number): Promise<void> {
      while (notified.length < count) await new Promise<void>((resolve) => void waiting.push(resolve))
    },
    /** Connects to here, whatever the name is. */
    agent: () =>
      new Agent({
        port,
        ca: certificate.certificate,
        lookup: (_name, options, done) =>
          options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
