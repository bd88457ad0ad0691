import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createClient } from 'second-factor/client'
import { describe, expect, it, onTestFinished } from 'vitest'

const apiKey = 'k'.repeat(64)

/** A server that redirects each request, and the one that it redirects to. */
async function arrange(status: number) {
  const arrived: IncomingHttpHeaders[] = []
  const target = createServer((req, res) => {
    arrived.push(req.headers)
    res.end('{}')
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const location = `http://127.0.0.1:${(target.address() as AddressInfo).port}/login?next=secret`
  const server = createServer((_req, res) => res.writeHead(status, { location }).end('moved'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const each of [server, target]) {
      each.closeAllConnections()
      each.close()
    }
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  return { arrived, baseUrl, location }
}

describe('a service address that redirects', () => {
  it.each([301, 302, 307, 308])(
    'the client says where an address redirects to with %d and what to change, and follows it nowhere',
    async (status) => {
      const { arrived, baseUrl, location } = await arrange(status)
      const client = createClient({ baseUrl, apiKey })

      const error = await client.organization.get().catch((thrown: unknown) => thrown)

      expect(error).toMatchObject({ name: 'UnreachableError', reason: 'bad_response' })
      expect(String(error)).toContain(`${baseUrl} redirects to ${location.split('?')[0]}. Set baseUrl to`)
      expect(String(error)).not.toContain('secret')
      expect(String(error)).not.toContain(apiKey)
      expect(arrived).toEqual([])
    },
  )
})
