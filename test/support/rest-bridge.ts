import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { ServiceHandle } from '../../src/service-handle.ts'
import { listen } from './listen.ts'

/** Serves the REST interface of an embedded service over HTTP, so that other processes reach it. @returns its address and key. */
export async function serveRest(service: Pick<ServiceHandle, 'connect'>) {
  const { baseUrl, apiKey, domainId, fetch: call } = await service.connect()
  async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const left = new AbortController()
    res.on('close', () => left.abort())
    const { connection: _connection, host: _host, 'transfer-encoding': _encoding, ...headers } = req.headers
    const body = await buffer(req)
    try {
      const answer = await (call ?? fetch)(`${new URL(baseUrl).origin}${req.url}`, {
        method: req.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(body.length > 0 && { body: new Uint8Array(body) }),
        signal: left.signal,
      })
      res.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body) await pipeline(Readable.fromWeb(answer.body as never), res)
      else res.end()
    } catch {
      res.destroy()
    }
  }
  const url = await listen((req, res) => void forward(req, res))
  return {
    env: { MFA_BASE_URL: `${url}/api`, MFA_API_KEY: apiKey, MFA_DOMAIN_ID: domainId },
  }
}
