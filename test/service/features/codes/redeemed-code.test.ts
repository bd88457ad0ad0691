import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { bypassCodeOf, member } from './code-holder.ts'

describe.each(mainEngines)('a code that is redeemed by the call that checks it, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running

  beforeAll(async () => {
    running = await startService({ database: await newDatabase() })
  })
  afterAll(() => running.close())

  it('a code redeemed by the call that checks it verifies once when calls race, in one challenge or several', async () => {
    const shared = random128()
    for (const challenges of [[shared, shared, shared, shared], Array.from({ length: 4 }, () => random128())]) {
      const { id, signIn } = await member(running)
      const { code } = await bypassCodeOf(running, id)

      const answers = await Promise.all(challenges.map((challenge) => signIn({ otp: code, challenge, redeem: {} })))

      expect(answers.filter(({ epoch }) => epoch !== undefined)).toHaveLength(1)
      expect(answers.filter(({ state }) => state === 'approved')).toHaveLength(1)
    }
  })

  it('a code redeemed by the call that checks it is denied when that call is repeated after a lost response', async () => {
    const { enrollApp, signIn } = await member(running)
    const { code } = await enrollApp()
    const call = { otp: code(1), challenge: random128(), redeem: {} }

    const answers = [await signIn(call), await signIn(call)]

    expect(answers.map(({ state }) => state)).toEqual(['approved', 'denied'])
  })
})

describe('a code whose approval cannot be redeemed', () => {
  it('a code whose approval cannot be redeemed is not used up and leaves no session', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-redeem-'))
    const database = join(folder, 'mfa.sqlite')
    const running = await startService({ database })
    onTestFinished(async () => {
      await running.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const { id, signIn } = await member(running)
    const { code } = await bypassCodeOf(running, id)
    const file = new BetterSqlite3(database)
    const sessions = () => file.prepare('select count(*) from session').pluck().get()

    // As if the user left the domain between the check and the redemption.
    file.exec(`create trigger leaves after insert on session begin
      update session set state = 'denied' where id = new.id;
    end`)
    const refused = await signIn({ otp: code, challenge: random128(), redeem: {} })
    const stored = sessions()
    file.exec('drop trigger leaves')
    file.close()
    const passed = await signIn({ otp: code, challenge: random128(), redeem: {} })

    expect(refused.state).toBeUndefined()
    expect(stored).toBe(0)
    expect(passed).toMatchObject({ state: 'approved', epoch: expect.any(String) })
  })
})
