import { request } from 'node:http'

interface Init {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** As `fetch`, which does not let its caller choose the header `Host`. Follows no redirects. */
export function fetchWithHost(url: string, { method = 'GET', headers = {}, body }: Init = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { method, headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => void chunks.push(chunk)).once('error', reject)
      res.once('end', () => {
        const received = new Headers()
        for (const [name, values = []] of Object.entries(res.headersDistinct)) {
          for (const value of values) received.append(name, value)
        }
        resolve(new Response(Buffer.concat(chunks), { status: res.statusCode ?? 0, headers: received }))
      })
    })
    clientRequest.once('error', reject).end(body)
  })
}
