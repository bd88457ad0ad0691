import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { activateToken, activationOf } from '../../../../src/service/features/devices/activation-statements.ts'
import { takeAttempt } from '../../../../src/service/engine/limits/attempts.ts'
import { insertDevice, rememberCall } from '../../../../src/service/features/devices/statements.ts'
import { insertDomain } from '../../../../src/service/features/domains/statements.ts'
import { insertMember } from '../../../../src/service/features/users/member-statements.ts'
import { insertOrganization } from '../../../../src/service/features/domains/organization-statements.ts'
import { serviceId } from '../../../../src/service/engine/database/service-row.ts'
import { devices as devicesFeature } from '../../../../src/service/features/devices/feature.ts'
import {
  expireSessions,
  insertSession,
  sessionOf,
  settleSession,
} from '../../../../src/service/features/sessions/statements.ts'
import type { Store, StoreChange } from '../../../../src/service/engine/database/store.ts'
import { insertToken } from '../../../../src/service/features/devices/token-statements.ts'
import { tokenOf } from '../../../../src/service/features/factors/possessions.ts'
import { insertUser, listUsers, userByUsername } from '../../../../src/service/features/users/statements.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { domainRow } from '../../../support/many-users.ts'

/** What every engine has to do. @param open Two calls with the same name open the same database. */
export function describeStore(engine: string, open: (name: string) => Promise<Store>): void {
  describe(`the store on ${engine}`, () => {
    let store: Store

    beforeEach(async () => {
      store = await open('one')
    })
    afterEach(() => store.close())

    const id = (character: string) => character.repeat(40)
    const organization = () => insertOrganization(store.db, { id: id('0'), name: 'O', createdAt: 1 })
    const user = (character: string, username: string) =>
      insertUser(store.db, {
        id: id(character),
        organizationId: id('0'),
        username,
        name: 'N',
        email: 'E',
        everEnrolled: 0,
        createdAt: 1,
      })

    it('the store keeps one id of the service, whichever caller was first', async () => {
      const ids = await Promise.all([serviceId(store.db, id('a')), serviceId(store.db, id('b'))])

      expect(new Set(ids).size).toBe(1)
    })

    inFullRun('the store compares usernames byte for byte', async () => {
      await organization()
      const names = ['anna', 'Anna', 'anna ', 'ännä', 'a\u0308nna\u0308']
      for (const [index, name] of names.entries()) expect(await user(String(index + 1), name)).toBe(true)

      const rows = await Promise.all(names.map((name) => userByUsername(store.db, id('0'), name)))

      expect(rows.map((row) => row?.username)).toEqual(names)
      expect(await user('f', 'anna')).toBe(false)
    })

    inFullRun('the store lists users in the order of creation', async () => {
      await organization()
      for (const character of ['c', 'a', 'b']) await user(character, `user ${character}`)

      const users = await listUsers(store.db, id('0'), { after: 0, offset: 1 })

      expect(users.map((row) => row.username)).toEqual(['user a', 'user b'])
    })

    inFullRun('the store enforces references between its tables', async () => {
      await expect(insertMember(store.db, id('1'), id('2'))).rejects.toThrow(/foreign key/i)
      await expect(
        insertToken(store.db, { id: id('3'), domainId: id('1'), userId: id('2'), state: 'pending', createdAt: 1 }),
      ).rejects.toThrow(/foreign key/i)
    })

    inFullRun('the store lets no other query into a transaction', async () => {
      const transaction = store.db.transaction().execute(async (db) => {
        await insertOrganization(db, { id: id('1'), name: 'inside', createdAt: 1 })
        // Gives others every chance.
        await new Promise((resolve) => void setImmediate(resolve))
        throw new Error('rolled back')
      })
      const other = insertOrganization(store.db, { id: id('2'), name: 'outside', createdAt: 1 })

      await expect(transaction).rejects.toThrow('rolled back')
      await other

      const rows = await store.db.selectFrom('organization').select('name').execute()
      expect(rows).toEqual([{ name: 'outside' }])
    })

    inFullRun('the store remembers a call of a device once', async () => {
      const call = { deviceId: id('d'), jti: 'j', expiresAt: 100 }

      const outcomes = [await rememberCall(store.db, call), await rememberCall(store.db, call)]

      expect(outcomes).toEqual([true, false])
    })

    inFullRun('the store forgets a call when its signature is too old anyway, not before', async () => {
      const call = { deviceId: id('d'), jti: 'j', expiresAt: 100 }
      await rememberCall(store.db, call)

      await devicesFeature.removals.oldCalls.removeSome(store.db, 100)
      const inTime = await rememberCall(store.db, call)
      await devicesFeature.removals.oldCalls.removeSome(store.db, 101)
      const later = await rememberCall(store.db, call)

      expect([inTime, later]).toEqual([false, true])
    })

    inFullRun('the store uses up an activation code once, and not after its time', async () => {
      await organization()
      await user('2', 'somebody')
      await insertDomain(store.db, { ...domain, id: id('1'), organizationId: id('0') })
      await insertToken(store.db, {
        id: id('3'),
        domainId: id('1'),
        userId: id('2'),
        state: 'pending',
        code: 'sealed',
        codeLookup: 'found',
        codeExpiresAt: 100,
        createdAt: 1,
      })

      const activations = [
        await activationOf(store.db, ['k', 'found'], 100),
        await activationOf(store.db, ['k', 'found'], 99),
      ]
      const outcomes = [
        await activateToken(store.db, id('4'), 99),
        await activateToken(store.db, id('3'), 100),
        await activateToken(store.db, id('3'), 99),
        await activateToken(store.db, id('3'), 99),
      ]

      expect(activations.map((activation) => activation?.username)).toEqual([undefined, 'somebody'])
      expect(outcomes).toEqual([false, false, true, false])
      expect(await tokenOf(store.db, id('1'), id('2'))).toMatchObject({ state: 'active', code: null, codeLookup: null })
    })

    inFullRun('the store takes attempts of all limits or of none, and says when there is one again', async () => {
      const limits = [
        { scope: 'a', limit: 2, window: 10 },
        { scope: 'b', limit: 3, window: 100 },
      ]
      const take = (now: number) => store.db.transaction().execute((db) => takeAttempt(db, limits, now))

      const waits = [await take(1), await take(2), await take(3), await take(11), await take(12), await take(101)]

      expect(waits).toEqual([0, 0, 8, 0, 89, 0])
    })

    describeInFullRun('with a pending session', () => {
      beforeEach(async () => {
        await organization()
        await insertDomain(store.db, { ...domain, id: id('1'), organizationId: id('0') })
        await user('2', 'somebody')
        await insertMember(store.db, id('1'), id('2'))
        for (const character of ['d', 'e']) await insertDevice(store.db, { ...device, id: id(character) })
        await insertSession(store.db, {
          ...session,
          id: id('5'),
          domainId: id('1'),
          userId: id('2'),
          deviceId: id('d'),
        })
      })

      const approve = (now: number, deviceId = id('d')) => {
        const outcome = { state: 'approved', factor: 'push' } as const
        const answer = { id: id('5'), deviceId, decision: 'approve', number: null, outcome, browser: null } as const
        return settleSession(store.db, answer, now)
      }
      const read = () => sessionOf(store.db, { organizationId: id('0'), domainId: id('1'), sessionId: id('5') })

      it('the store settles a pending session once', async () => {
        expect([await approve(50), await approve(50)]).toEqual([true, false])
        expect(await read()).toMatchObject({ state: 'approved', settledAt: 50 })
      })

      it('the store does not settle a session when its time is over', async () => {
        expect([await approve(100), await approve(99)]).toEqual([false, true])
      })

      it('the store does not settle a session for another device', async () => {
        expect(await approve(50, id('e'))).toBe(false)
      })

      it('the store does not settle a session for a revoked device', async () => {
        await store.db.updateTable('device').set({ revokedAt: 1 }).execute()

        expect(await approve(50)).toBe(false)
      })

      it('the store does not settle a session for a user who has left the domain', async () => {
        await store.db.deleteFrom('membership').execute()

        expect(await approve(50)).toBe(false)
      })

      it('the store records an expired session as settled at the time when it was due', async () => {
        await expireSessions(store.db, 99, 10)
        const before = await read()
        await expireSessions(store.db, 5000, 10)

        expect(before?.state).toBe('pending')
        expect(await read()).toMatchObject({ state: 'expired', reason: 'timeout', settledAt: 100 })
      })
    })

    describeInFullRun('opened twice', () => {
      let other: Store

      beforeEach(async () => {
        other = await open('one')
      })
      afterEach(() => other.close())

      it('a store opened twice loses no change of transactions that read and then write', async () => {
        await organization()
        await insertDomain(store.db, { ...domain, id: id('1'), organizationId: id('0'), requestTimeout: 0 })
        const increase = (target: Store) =>
          target.db.transaction().execute(async (db) => {
            const { requestTimeout } = await db.selectFrom('domain').select('requestTimeout').executeTakeFirstOrThrow()
            await db
              .updateTable('domain')
              .set({ requestTimeout: requestTimeout + 1 })
              .execute()
          })

        await Promise.all(Array.from({ length: 50 }, (_, index) => increase(index % 2 === 0 ? store : other)))

        const row = await other.db.selectFrom('domain').select('requestTimeout').executeTakeFirstOrThrow()
        expect(row.requestTimeout).toBe(50)
      })

      it('a store opened twice notices what the other changes, and not what it changes itself', async () => {
        const heard: StoreChange[] = []
        const noticed = new Promise<void>((resolve) => {
          const stop = store.watchOtherProcesses((change) => {
            heard.push(change)
            stop()
            resolve()
          })
        })

        await organization()
        store.notifyOtherProcesses(['own'])
        await insertOrganization(other.db, { id: id('9'), name: 'P', createdAt: 1 })
        other.notifyOtherProcesses(['thing'])
        await noticed

        // One of the engines says what.
        expect([['something'], [['thing']]]).toContainEqual(heard)
      })

      it('a store opened twice counts attempts made at once one by one', async () => {
        const take = (target: Store) =>
          target.db.transaction().execute((db) => takeAttempt(db, [{ scope: 's', limit: 5, window: 100 }], 1))

        const waits = await Promise.all(Array.from({ length: 40 }, (_, index) => take(index % 2 === 0 ? store : other)))

        expect(waits.filter((wait) => wait === 0)).toHaveLength(5)
        expect(await store.db.selectFrom('attempt').selectAll().execute()).toHaveLength(5)
      })
    })

    inFullRun('the store is migrated to the current schema once when many open it at once', async () => {
      const stores = await Promise.all(Array.from({ length: 8 }, () => open('fresh')))

      const ids = await Promise.all(stores.map((fresh, index) => serviceId(fresh.db, id(String(index)))))

      expect(new Set(ids).size).toBe(1)
      await Promise.all(stores.map((fresh) => fresh.close()))
    })
  })
}

const domain = domainRow

const device = {
  tokenId: 't',
  domainId: 'd',
  userId: 'u',
  name: 'x',
  keyX: 'x',
  keyY: 'y',
  createdAt: 1,
  revokedAt: null,
}

const session = { state: 'pending', nonce: 'n', attributes: '[]', createdAt: 10, expiresAt: 100 } as const
