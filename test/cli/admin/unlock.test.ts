import { describe, expect, it } from 'vitest'

import { withService } from '../../../src/cli/admin/local-service.ts'
import { createSession } from '../../../src/contract/sessions.ts'
import { pausePushes, takePush } from '../../../src/service/features/sessions/push-budget.ts'
import { systemClock } from '../../../src/ground/clock.ts'
import { inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { place, admin, json } = useDatabase()

/** Alice, and what an attacker with her password does. */
async function arrange() {
  const alice = ['user', 'create', 'alice', '--name', 'Alice', '--email', 'a@example.com', '--domain', 'Intranet']
  const { id } = await json(...alice)
  const guess = (times: number) =>
    withService({ database: place.database }, async ({ call }) => {
      for (let each = 0; each < times; each += 1) {
        await call(createSession, { params: { domainId: place.domainId }, body: { user: { id }, otp: '000000' } })
      }
    })
  const report = () =>
    withService({ database: place.database }, async ({ ctx }) => {
      const target = {
        domainId: place.domainId,
        userId: id as string,
        challenge: null,
        ipAddress: null,
        knownBrowser: 0,
      } as const
      await ctx.store.db.transaction().execute((db) => pausePushes(ctx, db, target))
    })
  const ask = () =>
    withService({ database: place.database }, async ({ ctx }) => {
      const target = {
        domainId: place.domainId,
        userId: id as string,
        challenge: null,
        ipAddress: null,
        knownBrowser: 0,
      } as const
      await ctx.store.db.transaction().execute((db) => takePush(ctx, db, target))
    })
  return { id, guess, report, ask }
}

describe('second-factor user unlock', () => {
  it('second-factor user unlock unlocks codes, and user show says until when they were locked', async () => {
    const { id, guess } = await arrange()
    await guess(10)
    const locked = await admin('user', 'show', 'alice')
    const userBefore = await json('user', 'show', 'alice')
    await expect(guess(1)).rejects.toThrow(/Too many wrong codes/)

    const { stdout, code } = await admin('user', 'unlock', 'alice')

    expect(locked.stdout).toMatch(/^Codes locked {4}until 2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m)
    expect(userBefore.codesLockedUntil).toBeGreaterThan(systemClock.now())
    expect([stdout, code]).toEqual(['Unlocked "alice".\n', 0])
    expect(await json('user', 'show', id)).not.toHaveProperty('codesLockedUntil')
    await guess(1)
  })

  it('second-factor user unlock allows push requests again after a report', async () => {
    const { report, ask } = await arrange()
    await report()
    await expect(ask()).rejects.toThrow(/Too many requests/)

    await admin('user', 'unlock', 'alice')

    await ask()
  })

  inFullRun('second-factor user unlock rejects an unknown user', async () => {
    expect((await admin('user', 'unlock', 'nobody')).code).toBe(1)
  })
})
