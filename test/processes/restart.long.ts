import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { run } from '../cli/admin/run-command.ts'
import { serve, withoutLimits } from './command.ts'
import type { Served } from './command.ts'
import { holdSocket } from './socket-holder.ts'
import type { SocketHolder } from './socket-holder.ts'

let folder: string
let database: string
let apiKey: string
let domainId: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-restart-'))
  database = join(folder, 'mfa.sqlite')
  ;({ apiKey, domainId } = (await run('init', '--database', database, '--json')).json)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a listening socket that systemd holds', () => {
  let holder: SocketHolder
  beforeAll(async () => {
    holder = await holdSocket()
  })
  afterAll(() => holder.close())
  const serveOn = (...more: string[]) => [
    'serve',
    '--database',
    database,
    '--log-level',
    'error',
    ...withoutLimits,
    ...more,
  ]

  it(
    'a socket that systemd holds resets no connection during restarts, neither a new nor a kept-alive one',
    { timeout: 60_000 },
    async () => {
      const start = async () => {
        const service = holder.start(serveOn('--drain-seconds', '1'))
        await service.printed(/listens on http:\/\/127\.0\.0\.1:/)
        return service
      }
      let service = await start()
      const callers = startCallers(holder.port, 8)
      const codes: number[] = []
      for (let restart = 0; restart < 2; restart += 1) {
        await callers.answered(100)
        service.signal('SIGTERM')
        codes.push(await service.ended)
        service = await start()
      }
      await callers.answered(100)
      const { statuses, failures } = await callers.stop()
      service.signal('SIGINT')
      await service.ended

      expect(failures).toEqual([])
      expect([...statuses.keys()]).toEqual([200])
      expect(codes).toEqual([0, 0])
    },
  )

  it('serve rejects in one line a socket from systemd that was passed to another process', async () => {
    const service = holder.start(serveOn(), 'LISTEN_PID=1 LISTEN_FDS=1')

    expect(await service.ended).toBe(2)
    expect(await service.printed(/LISTEN_PID is 1, but this is process \d+/)).toContain('Start second-factor directly')
  })

  it('serve rejects in one line a file descriptor from systemd that is not a listening socket', async () => {
    const service = holder.start(serveOn(), 'LISTEN_PID=$$ LISTEN_FDS=1 3</dev/null')

    expect(await service.ended).toBe(1)
    await service.printed(/file descriptor 3 is not a listening socket/)
  })
})

describe('second-factor serve on SIGTERM', () => {
  let service: Served
  afterEach(() => service.kill())
  const start = async (...more: string[]) => (service = await serve(database, {}, more))
  const ping = () => fetch(`${service.origin}/api/ping`, { headers: { authorization: `Service key="${apiKey}"` } })

  it('serve on SIGTERM is not ready, rejects calls that start something, ends streams, and exits with 0 after --drain-seconds', async () => {
    await start('--drain-seconds', '2')
    const events = await fetch(`${service.origin}/api/domains/${domainId}/sessions/events`, {
      headers: { accept: 'text/event-stream', authorization: `Service key="${apiKey}"` },
    })
    const begun = performance.now()

    service.signal('SIGTERM')
    await service.printed(/draining before shutdown/)
    const [ready, refused] = [await fetch(`${service.origin}/readyz`), await ping()]
    await events.text()
    const code = await service.ended

    expect([ready.status, refused.status, refused.headers.get('unprocessed')]).toEqual([503, 503, 'closing'])
    expect([ready, refused].map(({ headers }) => headers.get('connection'))).toEqual(['close', 'close'])
    expect(code).toBe(0)
    expect(performance.now() - begun).toBeGreaterThan(2_000)
  })

  it('serve on SIGTERM does not drain with --drain-seconds 0', async () => {
    await start('--drain-seconds', '0')

    const code = await service.stop()

    expect(code).toBe(0)
    expect(service.stderr()).not.toContain('draining')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('serve on SIGTERM exits at once on a second signal, %s', async (second) => {
    await start('--drain-seconds', '600')
    service.signal('SIGTERM')
    await service.printed(/draining before shutdown/)

    service.signal(second)
    const code = await service.ended

    expect(code).toBe(1)
  })

  it.each(['-1', '10000'])('serve refuses --drain-seconds %s', async (seconds) => {
    const { code, stderr } = await run('serve', '--database', database, '--drain-seconds', seconds)

    expect([code, stderr]).toEqual([2, expect.stringContaining('Expected a whole number, 0 to 9999.')])
  })
})

/** Callers that send one request after the other, half of them on a new connection each time. */
function startCallers(port: number, count: number) {
  const statuses = new Map<number, number>()
  const failures: string[] = []
  const waiting = new Set<() => void>()
  let total = 0
  const stopped = new AbortController()
  const keepAliveAgent = new Agent({ keepAlive: true })

  const ask = (agent: Agent | false) =>
    new Promise<number>((resolve, reject) => {
      const req = request({
        host: '127.0.0.1',
        port,
        path: '/api/ping',
        agent,
        headers: { authorization: `Service key="${apiKey}"`, connection: agent ? 'keep-alive' : 'close' },
      })
      req.on('error', reject)
      req.on('response', (res) => {
        res
          .on('error', reject)
          .on('end', () => resolve(res.statusCode ?? 0))
          .resume()
      })
      req.end()
    })
  const loop = async (agent: Agent | false) => {
    while (!stopped.signal.aborted) {
      try {
        const status = await ask(agent)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      } catch (error) {
        failures.push(String(error))
      }
      total += 1
      for (const check of waiting) check()
      // Without it, they would keep two cores busy for as long as a drain takes.
      await pause(10)
    }
  }
  const loops = Array.from({ length: count }, (_, index) => loop(index % 2 === 0 ? keepAliveAgent : false))

  return {
    /** Resolves after this many more responses. */
    answered: (more: number) =>
      new Promise<void>((resolve) => {
        const goal = total + more
        const check = () => {
          if (total < goal) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
      }),
    async stop() {
      stopped.abort()
      await Promise.all(loops)
      keepAliveAgent.destroy()
      return { statuses, failures }
    },
  }
}
