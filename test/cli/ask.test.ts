import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { afterEach, expect, it, vi } from 'vitest'

import { createDevice } from '../../src/device/device.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { listen } from '../../src/service/engine/http/listen.ts'
import { createService } from '../../src/service/index.ts'
import { inFullRun } from '../support/full-run.ts'
import { run, useDatabase } from './admin/run-command.ts'
import { main, start } from './command.ts'

const { place, json } = useDatabase()
let close: () => Promise<void> = () => Promise.resolve()
afterEach(async () => {
  vi.unstubAllEnvs()
  await close()
})

/** Passes requests on to a service. From `drain()` on, each answer comes at once and its connection is closed, as by a service that ends. */
function drainable(handle: (req: IncomingMessage, res: ServerResponse) => void) {
  const sockets = new Set<Socket>()
  let drains = false
  const listener = (req: IncomingMessage, res: ServerResponse) => {
    sockets.add(req.socket)
    if (drains) {
      delete req.headers['prefer']
      res.shouldKeepAlive = false
    }
    if (drains && req.headers.accept?.includes('event-stream')) req.socket.destroy()
    else handle(req, res)
  }
  const drain = () => {
    drains = true
    for (const socket of sockets) socket.destroy()
  }
  return { listener, drain }
}

async function serve() {
  const service = await createService({ database: place.database })
  const { listener, drain } = drainable(service.listener)
  const listening = await listen(listener, { host: '127.0.0.1', port: 0 })
  close = async () => {
    const closed = listening.close()
    await service.close()
    await closed
  }
  const origin = `http://127.0.0.1:${listening.port}`
  vi.stubEnv('MFA_BASE_URL', `${origin}/api`)
  vi.stubEnv('MFA_API_KEY', place.apiKey)
  vi.stubEnv('MFA_DOMAIN_ID', place.domainId)
  const core = createDevice({ clock: systemClock })
  await json('user', 'create', 'alice', '--name', 'Alice', '--email', 'a@example.com', '--domain', 'Intranet')
  const { code } = await json('token', 'issue', 'alice', '--domain', 'Intranet')
  const account = await core.activate(origin, code, { name: 'Test' })
  const answer = (decision: 'approve' | 'deny') =>
    vi.waitFor(
      async () => {
        const [approval] = (await core.requests(account)).approvals ?? []
        await core.answerApproval(account, approval!, { decision })
      },
      { timeout: 10_000, interval: 50 },
    )
  return { answer, drain }
}

const asking = ['ask', '--user', 'alice', '--title', 'Deploy 4.2', '--detail', 'commit=1f0c6a2'] as const

it('second-factor ask prints the approval, whose proof second-factor proof verify accepts', async () => {
  const { answer } = await serve()
  const [asked] = await Promise.all([run(...asking), answer('approve')])
  const folder = join(place.database, '..')
  await writeFile(join(folder, 'proof.json'), asked.stdout)
  await writeFile(join(folder, 'trust.json'), (await run('proof', 'keys')).stdout)

  const verified = await run('proof', 'verify', join(folder, 'proof.json'), '--trust', join(folder, 'trust.json'))

  expect(asked.code).toBe(0)
  expect(verified.code).toBe(0)
  expect(verified.stdout).toContain('Deploy 4.2')
  expect(verified.stdout).toContain('1f0c6a2')
})

inFullRun('second-factor ask exits with 1 after a denial', async () => {
  const { answer } = await serve()
  const [asked] = await Promise.all([run(...asking), answer('deny')])

  expect(asked.code).toBe(1)
})

/** A disk without room, as Linux has it for tests. */
const fullDisk = '/dev/full'

it.skipIf(!existsSync(fullDisk)).each(['approve', 'deny'] as const)(
  'second-factor ask exits with 3 when its output does not fit on the disk: 1 would say that the approval was denied (%s)',
  async (decision) => {
    const { answer } = await serve()
    const disk = openSync(fullDisk, 'w')
    const asked = spawn(process.execPath, [main, ...asking], { stdio: ['ignore', disk, 'pipe'] })
    closeSync(disk)

    const [stderr, [code]] = await Promise.all([text(asked.stderr!), once(asked, 'close'), answer(decision)])

    expect([code, stderr]).toEqual([3, expect.stringContaining("Can't write the output: the disk is full.")])
  },
)

inFullRun(
  'second-factor ask goes on while it has no connection, as between two services of which one ends',
  async () => {
    const { answer, drain } = await serve()
    const asked = start(...asking)
    await asked.wrote(/Waiting for the approval/)

    drain()
    await answer('approve')

    expect((await asked.ended).code).toBe(0)
  },
)

inFullRun.each([
  ['an unknown user', ['ask', '--user', 'nobody', '--title', 'x']],
  ['neither user nor approvers', ['ask', '--title', 'x']],
  ['an unknown option', [...asking, '--unknown']],
  ['an invalid title', ['ask', '--user', 'alice', '--title', 'x'.repeat(121)]],
])('second-factor ask exits with 3 for %s', async (_, args) => {
  await serve()

  expect((await run(...args)).code).toBe(3)
})
