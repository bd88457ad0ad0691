import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { consentLifetime } from '../../../src/admin-contract/consents.ts'
import { insertConsent } from '../../../src/service/features/administrators/consent-statements.ts'
import { sentCodeLifetime } from '../../../src/service/features/sent-codes/rules.ts'
import { knownFor } from '../../../src/service/features/browsers/rules.ts'
import type { OpenedService } from '../../../src/service/service.ts'
import { activationOf, replacementOf } from '../../../src/service/features/devices/activation-statements.ts'
import { secondsUntilFree } from '../../../src/service/engine/limits/attempts.ts'
import { useBypassCode } from '../../../src/service/features/bypass-codes/statements.ts'
import { bypassCodesOfUsers } from '../../../src/service/features/users/belongings.ts'
import { codeBudgets, codesLockedUntil } from '../../../src/service/features/codes/tries.ts'
import { replaceSentCode, useSentCode } from '../../../src/service/features/sent-codes/statements.ts'
import { announceNode } from '../../../src/service/engine/secrets/key-nodes.ts'
import { keepKnownBrowser, knownBrowser } from '../../../src/service/features/browsers/statements.ts'
import { organizations } from '../../../src/service/features/domains/organization-statements.ts'
import { setReplacement } from '../../../src/service/features/devices/replacement-statements.ts'
import { reserve } from '../../../src/service/engine/limits/tallies.ts'
import { insertToken } from '../../../src/service/features/devices/token-statements.ts'
import { writeTrustedClock } from '../../../src/service/engine/audit/trusted-clock.ts'
import { liveNodes } from '../../../src/service/engine/secrets/live-nodes.ts'
import { sweep } from '../../../src/service/upkeep/sweep.ts'
import { correctFutureTimes } from '../../../src/service/upkeep/future-times.ts'
import { random128 } from '../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../support/engines.ts'
import { openDatabase } from '../engine/audit/recorded.ts'
import { bypassCodeOf, member, unique } from '../features/codes/code-holder.ts'
import { keysFor, startService, unknownId } from '../start-service.ts'
import type { Running } from '../start-service.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
/** How far the machine's clock was ahead, in seconds. */
const ahead = 90 * day

describe.each(mainEngines)('a clock that was ahead and is set back, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let database: string
  let running: Running
  /** The same database without a listener. */
  let node: OpenedService
  /** The current error of the machine's clock, in seconds. */
  let wrongBy = 0

  beforeAll(async () => {
    database = await newDatabase()
    running = await startService({ database })
    const right = { ...running.clock }
    Object.assign(running.clock, { now: () => right.now() + wrongBy })
    node = await openDatabase(database, { clock: running.clock, push: false, ...keysFor(database) })
  })
  afterAll(async () => {
    await node.close()
    await running.close()
  })
  beforeEach(async () => {
    wrongBy = 0
    // Waits for work that the previous test started, because it would use the wrong time of the next test.
    for (let step = 0; step < 50; step += 1) {
      await organizations(db())
      await new Promise((resolve) => void setImmediate(resolve))
    }
  })

  const db = () => node.ctx.store.db
  const now = () => running.clock.now()

  it('a clock that is set back leaves codes locked no longer than a lockout lasts', async () => {
    const person = await member(running)
    const { code } = await bypassCodeOf(running, person.id)
    const wrong = () => person.signIn({ otp: '000000' })
    const path = `/domains/${running.domain.id}/sessions`
    const tries = async (otp: string) => {
      const answer = await running.call('POST', path, { body: { user: { id: person.id }, otp } })
      return answer.json.state ?? [answer.code, Number(answer.headers.get('retry-after'))]
    }
    wrongBy = ahead
    for (let count = 0; count < 10; count += 1) await wrong()

    wrongBy = 0
    const first = await tries(code)
    // The clock is checked once a minute.
    await running.clock.advance(minute)
    await expect.poll(() => storedEnd(person.id)).toBe(now() + 14 * minute)
    await running.clock.advance(14 * minute - 1)
    const last = await tries(code)
    await running.clock.advance(1)

    expect(first).toEqual(['api.error.locked', 15 * minute])
    expect(last).toEqual(['api.error.locked', 1])
    expect(await tries(code)).toBe('approved')
  })

  it('a clock that is set back is also noticed at the next start', async () => {
    const person = await member(running)
    const owner = { userId: person.id, budget: 'known' } as const
    await codeBudgets[owner.budget].lock(db(), owner.userId, { from: now() + ahead, until: now() + ahead + hour })

    await (await openDatabase(database, { clock: running.clock, push: false, ...keysFor(database) })).close()

    expect(await storedEnd(person.id)).toBe(now() + hour)
  })

  it('a clock that is set back keeps codes locked that only an administrator can unlock', async () => {
    const person = await member(running)
    const owner = { userId: person.id, budget: 'other' } as const
    await codeBudgets[owner.budget].lock(db(), owner.userId, { from: null, until: 253_402_300_799 })

    await correctFutureTimes(node.ctx)

    expect(await codesLockedUntil(db(), owner, now())).toBe(253_402_300_799)
  })

  it('a clock that is set back leaves no request pending or counted', async () => {
    const person = await running.enroll(unique())
    wrongBy = ahead
    const requests = [await person.ask(), await person.ask(), await person.ask()]
    const [request] = await person.pending()
    wrongBy = 0

    const sessionNow = await person.session(requests[0]!.id)
    const inbox = await person.pending()
    const late = await person.device.answer(request!.id, { nonce: request!.nonce, decision: 'approve' })
    await sweep(node.ctx)
    const rows = await db()
      .selectFrom('session')
      .select(['state', 'settledAt'])
      .where('userId', '=', person.user.id)
      .execute()
    const newSession = await person.ask()

    expect(sessionNow).toMatchObject({ state: 'expired', reason: 'timeout' })
    expect(inbox).toEqual([])
    expect(late.status).toBe(409)
    expect(rows).toEqual(requests.map(() => ({ state: 'expired', settledAt: now() })))
    expect(newSession.state).toBe('pending')
  })

  it('a clock that is set back neither lifts nor extends the limit of requests to a user', async () => {
    const person = await running.enroll(unique())
    const path = `/domains/${running.domain.id}/sessions`
    const ask = () => running.call('POST', path, { body: { user: { id: person.user.id }, challenge: random128() } })
    wrongBy = ahead
    for (let count = 0; count < 5; count += 1) {
      const { json } = await ask()
      await running.call('DELETE', `${path}/${json.id}`)
    }

    wrongBy = 0
    const first = await ask()
    await correctFutureTimes(node.ctx)
    await running.clock.advance(10 * minute)

    expect([first.status, first.headers.get('retry-after')]).toEqual([429, String(10 * minute)])
    expect((await ask()).status).toBe(200)
  })

  it('a clock that is set back leaves no approval that can be redeemed', async () => {
    const person = await member(running)
    const { code } = await bypassCodeOf(running, person.id)
    const challenge = random128()
    wrongBy = ahead
    await bringCodes(person.id)
    const session = await person.signIn({ bypasscode: code, challenge })
    wrongBy = 0

    const path = `/domains/${running.domain.id}/sessions/${session.id}/redeem`
    const redeemed = await running.call('POST', path, { body: { challenge } })

    expect([session.state, redeemed.status]).toEqual(['approved', 409])
  })

  it('a clock set back limits the pause of a changed address to a day, others to their own length', async () => {
    const person = await member(running)
    wrongBy = ahead
    await running.call('PUT', person.path, { body: { email: 'other@example.com' } })
    const scope = unique()
    await db().insertInto('attempt').values({ scope, at: now() }).execute()
    const tally = { scope, limit: 1, window: hour, slot: 60 }
    await db()
      .transaction()
      .execute((transaction) => reserve(transaction, [tally], now()))
    wrongBy = 0
    const pause = { scope, limit: 1, window: minute }
    const counted = () =>
      db()
        .transaction()
        .execute((transaction) => reserve(transaction, [tally], now()))
    const before = [await secondsUntilFree(db(), pause, now()), await counted()]

    await correctFutureTimes(node.ctx)
    const changed = await db().selectFrom('user').select('emailChangedAt').where('id', '=', person.id).execute()
    await running.clock.advance(hour + minute)

    expect(before).toEqual([minute, { refusedBy: tally, wait: hour + minute - 1 }])
    expect(changed).toEqual([{ emailChangedAt: now() - hour - minute }])
    expect(await secondsUntilFree(db(), pause, now())).toBe(0)
    expect(await counted()).toMatchObject({ counts: [1] })
  })

  it('a clock that is set back invalidates codes that were e-mailed or shown meanwhile, for good', async () => {
    const person = await member(running)
    const owner = { domainId: running.domain.id, userId: person.id }
    const lookup = unique()
    const sentAt = now() + ahead
    await replaceSentCode(db(), { ...owner, codeLookup: lookup, wrongTries: 0, expiresAt: sentAt + sentCodeLifetime })
    const token = unique()
    await insertToken(db(), { ...owner, id: token, state: 'active', createdAt: 1 })
    const grant = { factor: null, factorId: null }
    await setReplacement(db(), token, { sealed: 'x', lookup, expiresAt: sentAt + 15 * minute, grant })

    const used = await useSentCode(db(), { ...owner, codeLookups: [lookup] }, now())
    const replacement = await replacementOf(db(), [lookup], now())
    await correctFutureTimes(node.ctx)

    expect([used, replacement]).toEqual([undefined, undefined])
    expect(await useSentCode(db(), { ...owner, codeLookups: [lookup] }, sentAt + 1)).toBeUndefined()
    expect(await replacementOf(db(), [lookup], sentAt + 1)).toBeUndefined()
  })

  it('a clock that is set back limits codes and browsers that last for days to their lifetime from now', async () => {
    const person = await member(running)
    const owner = { domainId: running.domain.id, userId: person.id }
    const lookup = unique()
    const issued = now() + ahead
    await insertLasting(owner, lookup, issued)
    const good = async (time: number) => [
      (await activationOf(db(), [lookup], time)) !== undefined,
      (await bypassCodesOfUsers(db(), [person.id], time)).length > 0,
      (await knownBrowser(db(), { id: lookup, ...owner }, time)) !== undefined,
    ]

    const before = await good(now())
    await correctFutureTimes(node.ctx)

    expect(before).toEqual([false, false, false])
    expect(await good(now())).toEqual([true, true, true])
    expect(await good(now() + 7 * day - 1)).toEqual([true, true, true])
    expect(await good(now() + 7 * day)).toEqual([false, false, true])
    expect(await good(now() + knownFor)).toEqual([false, false, false])
    expect(await useBypassCode(db(), { userId: person.id, codeLookups: [lookup] }, issued + 1)).toBeUndefined()
  })

  it('a clock that was only slow for a moment invalidates nothing', async () => {
    const person = await member(running)
    const owner = { domainId: running.domain.id, userId: person.id }
    const lookup = unique()
    await insertLasting(owner, lookup, now())
    // As the sweep of a running service writes it every five minutes.
    await writeTrustedClock(db(), { trustedAt: now() - 5 * minute, wallAt: now(), agreed: 0 })

    wrongBy = -ahead
    await sweep(node.ctx)
    wrongBy = 0

    const codes = await bypassCodesOfUsers(db(), [person.id], now() + 7 * day - 1)
    const token = await activationOf(db(), [lookup], now() + 7 * day - 1)
    const browser = await knownBrowser(db(), { id: lookup, ...owner }, now() + knownFor - 1)
    expect([codes.length, token !== undefined, browser !== undefined]).toEqual([1, true, true])
  })

  it('a clock that is set back leaves no consent of a colleague that can be used, and a No as long as usual', async () => {
    const expiresAt = now() + ahead + consentLifetime
    const userId = unknownId
    const requests = ['given', 'pending', 'denied'] as const
    const row = { organizationId: running.organization.id, operation: 'unlockPerson', userId, parameters: '{}' }
    const more = { domainIds: '[]', digest: '', because: 'other', decidedBy: null, createdAt: now() + ahead } as const
    for (const state of requests) {
      const requestedBy = unique()
      const names = { name: 'Olivia', email: `${requestedBy}@example.com`, userId: null, userHandle: requestedBy }
      const administrator = { id: requestedBy, organizationId: row.organizationId, ...names, role: 'admin' } as const
      await db()
        .insertInto('administrator')
        .values({ ...administrator, createdAt: now() })
        .execute()
      await insertConsent(db(), { ...row, ...more, id: unique(), requestedBy, state, expiresAt })
    }

    await sweep(node.ctx)

    const left = await db().selectFrom('consent').select(['state', 'expiresAt']).where('userId', '=', userId).execute()
    expect(left).toEqual([{ state: 'denied', expiresAt: now() + consentLifetime }])
  })

  it('a clock that is set back does not make ended nodes count as alive', async () => {
    const seenAt = now() + ahead
    await announceNode(db(), {
      id: unknownId,
      name: 'ended',
      keyIds: 'k1',
      primaryId: 'k1',
      primarySince: seenAt,
      seenAt,
    })

    const first = await liveNodes(node.ctx)
    await running.clock.advance(31)

    expect(first).toContain('ended')
    expect(await liveNodes(node.ctx)).not.toContain('ended')
  })

  it('a clock that is set back does not make the service wait for ended synchronizations', async () => {
    const lease = { id: unique(), organizationId: running.organization.id, domainId: running.domain.id }
    const dead = { ...lease, holder: 'dead', holderProcess: null, beatAt: now() + ahead, appliedAt: null }
    await db().insertInto('synchronization').values(dead).execute()

    const putting = running.call('PUT', `/domains/${running.domain.id}/users`, { body: [] })
    let done = false
    void putting.finally(() => (done = true))
    const later = async () => {
      await running.clock.advance(10)
      return done
    }

    await expect.poll(later, { timeout: 15_000 }).toBe(true)
    expect((await putting).status).toBe(200)
  })

  /** The stored end of a lock, whatever the time is now. */
  async function storedEnd(userId: string): Promise<number | null> {
    const query = db().selectFrom('user').select(['codesLockedUntil', 'knownCodesLockedUntil']).where('id', '=', userId)
    const { codesLockedUntil: other, knownCodesLockedUntil: known } = await query.executeTakeFirstOrThrow()
    return other ?? known
  }

  /** An activation code and a bypass code that last for seven days, and a known browser. */
  async function insertLasting(owner: { domainId: string; userId: string }, lookup: string, at: number): Promise<void> {
    const [id, codeExpiresAt] = [unique(), at + 7 * day]
    await insertToken(db(), {
      ...owner,
      id,
      state: 'pending',
      code: 'x',
      codeLookup: lookup,
      codeExpiresAt,
      createdAt: at,
    })
    const code = { id, userId: owner.userId, code: 'x', codeLookup: lookup, usesAllowed: 1, usesRemaining: 1 }
    await db()
      .insertInto('bypassCode')
      .values({ ...code, expiresAt: codeExpiresAt, createdAt: at })
      .execute()
    await keepKnownBrowser(db(), {
      ...owner,
      id: lookup,
      passedAt: at,
      expiresAt: at + knownFor,
      rememberedUntil: null,
      name: null,
      knownSince: null,
      publicKey: null,
      keptSince: null,
      keptUntil: null,
      place: null,
    })
  }

  /** Makes a code valid now, whatever the clock says. */
  async function bringCodes(userId: string): Promise<void> {
    await db()
      .updateTable('bypassCode')
      .set({ createdAt: now(), expiresAt: now() + hour })
      .where('userId', '=', userId)
      .execute()
  }
})
