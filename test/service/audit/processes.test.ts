import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { systemClock } from '../../../src/clock.ts'
import { verifyAudit } from '../../../src/service/audit/read.ts'
import { createCall, newUser, startService } from '../start-service.ts'
import { entriesOf, openDatabase } from './recorded.ts'

const program = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))

let folder: string
let others: ChildProcess[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-audit-processes-'))
  others = []
})
afterEach(() => {
  for (const other of others) other.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

async function startOther(database: string): Promise<{ child: ChildProcess; origin: string }> {
  const child = spawn(process.execPath, [program, 'serve', '--database', database, '--port', '0'])
  others.push(child)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, origin: /http:\/\/[\d.:]+/.exec(line.toString())![0] }
}

describe('two processes on one SQLite file', () => {
  it('each write a chain of their own, without a gap or a fork, when 64 changes come at once', async () => {
    const database = join(folder, 'mfa.sqlite')
    const here = await startService({ database, clock: systemClock })
    const { child, origin } = await startOther(database)
    const calls = [here.call, createCall(origin, here.apiKey)]

    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) => calls[index % 2]!('POST', '/users', { body: newUser(`u${index}`) })),
    )
    // Killed, not ended: what it committed is whole.
    child.kill('SIGKILL')
    await once(child, 'exit')
    await here.close()
    const node = await openDatabase(database)
    const created = (await entriesOf(node.ctx.store.db)).filter(({ event }) => event === 'user.created')
    const { findings } = await verifyAudit(node.ctx.store.db, [])
    await node.close()

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(created.map(({ facts }) => facts.user)).size).toBe(64)
    expect(new Set(created.map(({ writer }) => writer)).size).toBe(2)
    expect(findings).toEqual([])
  })
})
