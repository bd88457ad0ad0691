import { request } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

import { listen } from '../support/listen.ts'

/** One request as it went over the wire. */
export interface Recorded {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A proxy that records everything: what an attacker on the network would have if there were no TLS. */
export async function startRecorder(target: string) {
  const records: Recorded[] = []
  const { host } = new URL(target)
  const url = await listen((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const { method = 'GET', url: path = '/', headers } = req
      const record = { method, path, headers: { ...headers, host }, body: Buffer.concat(chunks) }
      records.push(record)
      void forward(target, record, res)
    })
  })
  return { url, records }
}

async function forward(target: string, record: Recorded, res: ServerResponse): Promise<void> {
  const { status, headers, body } = await replay(target, record)
  res.writeHead(status, headers).end(body)
}

export interface Replayed {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Sends it as it was, with what is to be different in its headers. */
export function replay(
  target: string,
  { method, path, headers, body }: Recorded,
  different: Record<string, string> = {},
): Promise<Replayed> {
  return new Promise((resolve, reject) => {
    const call = request(target + path, { method, headers: { ...headers, ...different } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      )
    })
    call.on('error', reject)
    call.end(body)
  })
}
