import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

import { describe, expect, it, onTestFinished } from 'vitest'

import { startCrowd } from '../support/crowd/crowd.ts'

/** A proxy between the web app and the service that counts calls. */
async function countCalls(origin: string) {
  const calls = { streamsAtOnce: 0, heldReads: 0 }
  const { hostname, port } = new URL(origin)
  let open = 0
  const server = createServer((req, res) => {
    const { method = 'GET', url: path = '/', headers } = req
    if (path.endsWith('/sessions/events')) {
      calls.streamsAtOnce = Math.max(calls.streamsAtOnce, ++open)
      res.once('close', () => open--)
    } else if (/wait=[1-9]/.test(String(headers.prefer))) calls.heldReads += 1
    const passedOn = request({ hostname, port, path, method, headers })
    passedOn.on('response', (answer) => answer.pipe(res.writeHead(answer.statusCode ?? 500, answer.headers)))
    passedOn.on('error', () => res.destroy())
    res.once('close', () => passedOn.destroy())
    req.pipe(passedOn)
  })
  // The proxy must not be the first to close an idle connection.
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** `npm run test:long` has 10,000. */
const count = 72

describe('72 people who wait at once', () => {
  it(
    '72 people who wait at once are all notified and verified, and their app holds one stream to the service',
    { timeout: 180_000 },
    async () => {
      let counted: Awaited<ReturnType<typeof countCalls>> | undefined
      const crowd = await startCrowd({
        count,
        inboxes: false,
        // This test does not measure time, so a busy machine may be slow.
        timeout: 60_000,
        // The script of the page falls back to held requests if event streams are blocked.
        way: (index) => (index % 3 === 0 ? 'held' : 'stream'),
        between: async (origin) => (counted = await countCalls(origin)).url,
      })
      onTestFinished(() => crowd.close())
      await crowd.gather()

      const { told, passed, problems } = await crowd.approve(90_000, 8)

      expect(problems).toEqual([])
      expect([told.length, passed.length]).toEqual([count, count])
      expect(counted?.calls).toEqual({ streamsAtOnce: 1, heldReads: 0 })
    },
  )
})
