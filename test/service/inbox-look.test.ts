import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { waiterKey } from '../../src/service/waiters.ts'
import { openDatabase } from './audit/recorded.ts'
import { unique } from './codes/code-holder.ts'
import { keysFor, startService } from './start-service.ts'
import type { Running } from './start-service.ts'

/** Two processes, as far as the file can tell: one that asks, and one where devices wait. */
let folder: string
let here: Running
let there: Awaited<ReturnType<typeof openDatabase>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-look-'))
  const database = join(folder, 'mfa.sqlite')
  here = await startService({ database })
  there = await openDatabase(database, { clock: here.clock, ...keysFor(database) })
})
afterAll(async () => {
  await there.close()
  await here.close()
  rmSync(folder, { recursive: true })
})

/** Somebody whose device waits there. */
async function waiting() {
  const person = await here.enrol(unique())
  const inbox = there.ctx.waiters.subscribe(waiterKey.device(person.signer.id ?? ''))
  return { ...person, inbox, woken: () => inbox.woken() }
}

/** Whether there was a wake since it was asked last. */
async function wasWoken({ woken }: Awaited<ReturnType<typeof waiting>>): Promise<boolean> {
  const turn = new Promise<false>((resolve) => void setImmediate(() => resolve(false)))
  return Promise.race([woken().then(() => true), turn])
}

describe('a change of another process that does not say what it changed', () => {
  it('wakes the devices whose inbox it changed, and no others', async () => {
    const [asked, cancelled, revoked, idle] = [await waiting(), await waiting(), await waiting(), await waiting()]
    // The first look cannot know what was there before: it wakes everybody.
    const { id } = await cancelled.ask()
    await cancelled.woken()
    await wasWoken(idle)

    await asked.ask()
    await asked.woken()
    await here.call('DELETE', `${cancelled.sessions}/${id}`)
    await cancelled.woken()
    await revoked.device.remove()
    await revoked.woken()

    expect(await wasWoken(idle)).toBe(false)
    for (const { inbox } of [asked, cancelled, revoked, idle]) inbox.end()
  })
})
