import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createChangedInboxes } from '../../../../src/service/engine/waiting/changed-inboxes.ts'
import { insertCallerVerification } from '../../../../src/service/features/callers/statements.ts'
import type { StoreChange } from '../../../../src/service/engine/database/store.ts'
import { createWaiters } from '../../../../src/service/engine/waiting/waiters.ts'
import { waiterKey } from '../../../../src/service/engine/base/waiter-key.ts'
import { describeInFullRun } from '../../../support/full-run.ts'
import { openDatabase } from '../audit/recorded.ts'
import { unique } from '../../features/codes/code-holder.ts'
import { keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

/** Two connections that act as processes: one changes the file, and one looks for changes. */
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

async function enrolled() {
  const person = await here.enroll(unique())
  return { ...person, id: person.signer.id ?? '' }
}

describeInFullRun('a check for changes of another process', () => {
  it('a check for changes of another process finds the devices whose inbox changed, and no others', async () => {
    const [requested, cancelled, revoked] = [await enrolled(), await enrolled(), await enrolled()]
    const notified = await enrolled()
    await enrolled()
    const look = createChangedInboxes(there.ctx.store.db, here.clock)

    // The first look cannot know the previous state.
    expect(await look()).toBeUndefined()
    const { id } = await cancelled.ask()
    expect(await look()).toEqual([cancelled.id])
    await requested.ask()
    expect(await look()).toEqual([requested.id])
    await here.call('DELETE', `${cancelled.sessions}/${id}`)
    expect(await look()).toEqual([cancelled.id])
    await here.call('POST', `/users/${notified.user.id}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 60 } })
    expect(await look()).toEqual([notified.id])
    await revoked.device.remove()
    expect(await look()).toEqual([revoked.id])
  })
})

describe('a check for phone calls', () => {
  it('a check for phone calls finds the devices that are asked, and those whose call has ended', async () => {
    const person = await enrolled()
    // Devices of requests that expire, or that were revoked a moment ago, are found as well.
    here.clock.skip(200)
    const look = createChangedInboxes(there.ctx.store.db, here.clock)
    await look()
    const createdAt = here.clock.now()
    const owner = { organizationId: here.organization.id, domainId: here.domain.id, userId: person.user.id }
    const call = {
      id: unique(),
      ...owner,
      deviceId: person.id,
      requestedBy: 'none',
      nonce: '',
      number: '10',
      keyType: 'NONE' as const,
    }

    await insertCallerVerification(there.ctx.store.db, {
      ...call,
      state: 'pending',
      createdAt,
      expiresAt: createdAt + 90,
    })

    expect(await look()).toEqual([person.id])
    expect(await look()).toEqual([])
    here.clock.skip(90)
    expect(await look()).toEqual([person.id])
  })
})

describe('an unspecified change of another process', () => {
  /** Waits for two devices, and for a session. */
  function waiting(look: () => Promise<readonly string[] | undefined>) {
    let tell: (change: StoreChange) => void = () => {}
    const otherProcesses = {
      watchOtherProcesses: (hear: typeof tell) => ((tell = hear), () => {}),
      notifyOtherProcesses() {},
    }
    const waiters = createWaiters(otherProcesses, look)
    const woken: string[] = []
    for (const key of [waiterKey.device('a'), waiterKey.device('b'), waiterKey.session('c')]) {
      void waiters
        .subscribe(key)
        .woken()
        .then(() => woken.push(key))
    }
    return { tell: () => tell('something'), woken }
  }

  it('an unspecified change of another process wakes the devices whose inbox changed, and all other waiting reads', async () => {
    const { tell, woken } = waiting(() => Promise.resolve(['a']))

    tell()

    await expect.poll(() => woken).toEqual(['session:c', 'device:a'])
  })

  it.each([
    ['cannot know yet', () => Promise.resolve(undefined)],
    ['fails', () => Promise.reject(new Error('locked'))],
  ])('an unspecified change of another process wakes all waiting reads if the check %s', async (_, look) => {
    const { tell, woken } = waiting(look)

    tell()

    await expect.poll(() => woken).toEqual(['session:c', 'device:a', 'device:b'])
  })
})
