import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { countSignIns } from '../../../../src/service/features/sessions/count-sign-ins.ts'
import { removeUser } from '../../../../src/service/features/users/leave.ts'
import { useEngine } from '../../../support/engines.ts'
import { startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { personWithDevice } from '../callers/phone-caller.ts'

describe('the count of sign-ins, on PostgreSQL', () => {
  const newDatabase = useEngine('PostgreSQL')
  let running: Console

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())

  async function signedIn() {
    const person = await personWithDevice(running)
    await running.call('POST', `/domains/${running.domain.id}/sessions`, { body: { user: { id: person.id } } })
    const [request] = await person.pending()
    await person.device.answer(request!.id, { nonce: request!.nonce, decision: 'approve' })
    return person
  }

  it('people who are deleted while their sign-ins are counted keep no others from being counted', async () => {
    const { ctx } = running
    const { db } = ctx.store
    const [leaving, staying] = [await signedIn(), await signedIn()]
    const removed = Promise.withResolvers<void>()
    const counting = Promise.withResolvers<void>()
    const removal = db.transaction().execute(async (inside) => {
      await removeUser(inside, ctx, leaving.id)
      removed.resolve()
      await counting.promise
    })
    await removed.promise

    const count = countSignIns(ctx)
    await expect
      .poll(async () => (await sql`select 1 from pg_locks where not granted`.execute(db)).rows.length)
      .toBeGreaterThan(0)
    counting.resolve()
    await Promise.all([removal, count])

    const counted = await db
      .selectFrom('lastSignIn')
      .innerJoin('user', 'user.sequence', 'lastSignIn.userSequence')
      .select('user.id')
      .execute()
    expect(counted).toEqual([{ id: staying.id }])
  })
})
