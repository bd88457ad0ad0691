import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { systemRandom } from '../../../../src/service/engine/base/random.ts'
import { insertBypassCode, useBypassCode } from '../../../../src/service/features/bypass-codes/statements.ts'
import { bypassCodesOfUsers } from '../../../../src/service/features/users/belongings.ts'
import {
  insertCodeGenerator,
  rememberCounter,
  rememberStep,
  resynchronizeCounter,
  useCounter,
  useStep,
} from '../../../../src/service/features/codes/statements.ts'
import { insertDomain } from '../../../../src/service/features/domains/statements.ts'
import {
  countWrongSentCode,
  removeSentCodes,
  replaceSentCode,
  useSentCode,
} from '../../../../src/service/features/sent-codes/statements.ts'
import { giveHardwareToken, insertHardwareToken } from '../../../../src/service/features/hardware/statements.ts'
import { hardwareTokenOfUser } from '../../../../src/service/features/factors/possessions.ts'
import { insertOrganization } from '../../../../src/service/features/domains/organization-statements.ts'
import { bypassCodes as bypassCodesFeature } from '../../../../src/service/features/bypass-codes/feature.ts'
import { sentCodes as sentCodesFeature } from '../../../../src/service/features/sent-codes/feature.ts'
import type { Store } from '../../../../src/service/engine/database/store.ts'
import { createSecrets } from '../../../../src/service/engine/secrets/secrets.ts'
import { insertUser, lockUser, userById, updateUser } from '../../../../src/service/features/users/statements.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { ringOf } from '../secrets/key-holders.ts'
import { domainRow } from '../../../support/many-users.ts'

/** What every engine has to do with codes; outside of transactions, where only the statements themselves decide. */
export function describeCodeStore(engine: string, open: (name: string) => Promise<Store>): void {
  describe(`codes in the store on ${engine}`, () => {
    let store: Store
    const id = (character: string) => character.repeat(40)
    const owner = { domainId: id('1'), userId: id('2') }

    beforeEach(async () => {
      store = await open('codes')
      await insertOrganization(store.db, { id: id('0'), name: 'O', createdAt: 1 })
      await insertDomain(store.db, { ...domain, id: id('1'), organizationId: id('0') })
      for (const character of ['2', '3']) {
        await insertUser(store.db, { ...user, id: id(character), organizationId: id('0'), username: character })
      }
    })
    afterEach(() => store.close())

    const times = <T>(count: number, act: () => Promise<T>) => Promise.all(Array.from({ length: count }, act))
    const wins = (outcomes: boolean[]) => outcomes.filter(Boolean).length

    describeInFullRun('a time step', () => {
      beforeEach(() =>
        insertCodeGenerator(store.db, { id: id('a'), seed: 's', algorithm: 'SHA1', digits: 6, period: 30 }),
      )

      const generator = () => store.db.selectFrom('codeGenerator').selectAll().executeTakeFirstOrThrow()

      it('a time step is used once, and ends all before it', async () => {
        const outcomes = await times(16, () => useStep(store.db, id('a'), { step: 7, drift: 1 }))
        const otherOutcomes = [
          await useStep(store.db, id('a'), { step: 6, drift: 0 }),
          await useStep(store.db, id('a'), { step: 8, drift: 2 }),
        ]

        expect([wins(outcomes), otherOutcomes]).toEqual([1, [false, true]])
        expect(await generator()).toMatchObject({ lastStep: 8, drift: 2, syncState: 'Synchronized' })
      })

      it('a time step seen out of sync is remembered until one is used, unless it is over', async () => {
        await rememberStep(store.db, id('a'), { step: 9, at: 100 })
        const unsynchronized = await generator()
        await useStep(store.db, id('a'), { step: 10, drift: 0 })
        await rememberStep(store.db, id('a'), { step: 9, at: 200 })

        expect(unsynchronized).toMatchObject({ seenStep: 9, seenAt: 100, syncState: 'Out of Sync', lastStep: -1 })
        expect(await generator()).toMatchObject({ seenStep: null, seenAt: null, syncState: 'Synchronized' })
      })
    })

    describeInFullRun('a counter', () => {
      beforeEach(() =>
        insertCodeGenerator(store.db, { id: id('a'), seed: 's', algorithm: 'SHA1', digits: 6, period: 30, counter: 5 }),
      )

      const generator = () => store.db.selectFrom('codeGenerator').selectAll().executeTakeFirstOrThrow()
      const use = (next: number) => useCounter(store.db, id('a'), { next, at: 100 })

      it('a counter is used once, and ends all before it', async () => {
        const outcomes = await times(16, () => use(8))
        const otherOutcomes = [await use(7), await use(9)]

        expect([wins(outcomes), otherOutcomes]).toEqual([1, [false, true]])
        expect(await generator()).toMatchObject({ counter: 9, usedAt: 100, syncState: 'Synchronized', lastStep: -1 })
      })

      it('a counter that is too far ahead is remembered until one is used, unless it is over', async () => {
        await rememberCounter(store.db, id('a'), { seen: 20, at: 100 })
        const unsynchronized = await generator()
        await use(22)
        await rememberCounter(store.db, id('a'), { seen: 21, at: 200 })

        expect(unsynchronized).toMatchObject({ seenCounter: 20, seenAt: 100, syncState: 'Out of Sync', counter: 5 })
        expect(await generator()).toMatchObject({ seenCounter: null, seenAt: null, syncState: 'Synchronized' })
      })

      it('a counter that is not known since a restore is used only by a resynchronization', async () => {
        await store.db.updateTable('codeGenerator').set({ needsResynchronization: 1 }).execute()
        const resynchronize = (next: number) => resynchronizeCounter(store.db, id('a'), { next, at: 100 })

        const outcomes = [await use(6), await resynchronize(5), await resynchronize(8), await use(9)]

        expect(outcomes).toEqual([false, false, true, true])
      })

      it('a generator without a counter uses none', async () => {
        await insertCodeGenerator(store.db, { id: id('b'), seed: 's', algorithm: 'SHA1', digits: 6, period: 30 })

        const outcome = await useCounter(store.db, id('b'), { next: 7, at: 100 })
        const rows = await store.db.selectFrom('codeGenerator').select(['id', 'counter']).orderBy('id').execute()

        expect([outcome, rows]).toEqual([
          false,
          [
            { id: id('a'), counter: 5 },
            { id: id('b'), counter: null },
          ],
        ])
      })
    })

    describe('a bypass code', () => {
      const insert = (more: object = {}) =>
        insertBypassCode(store.db, { ...bypassCode, id: id('b'), userId: id('2'), ...more })
      const use = (now = 50, userId = id('2')) => useBypassCode(store.db, { userId, codeLookups: ['k', 'l'] }, now)

      it('a bypass code is used as often as it says', async () => {
        await insert()

        expect((await times(16, () => use())).filter((used) => used === id('b'))).toHaveLength(3)
      })

      inFullRun('a bypass code is not used by another user, nor at its end', async () => {
        await insert()

        expect([await use(50, id('3')), await use(100), await use(99)]).toEqual([undefined, undefined, id('b')])
      })

      inFullRun('a bypass code is different from the others of its user', async () => {
        const rows = [await insert(), await insert({ id: id('c') }), await insert({ id: id('d'), userId: id('3') })]

        expect(rows.map((row) => row?.id)).toEqual([id('b'), undefined, id('d')])
      })

      inFullRun(
        'a used-up bypass code stays for 25 minutes, as the basis of a pass, and is never accepted again',
        async () => {
          await insert({ usesRemaining: 1, expiresAt: 10_000 })
          const rows = () => store.db.selectFrom('bypassCode').select(['id', 'usedAt']).execute()

          await use(50)
          await bypassCodesFeature.removals.usedUpBypassCodes.removeSome(store.db, 50 + 25 * 60 - 1)
          const keptRows = await rows()
          const secondUse = await use(60)
          await bypassCodesFeature.removals.usedUpBypassCodes.removeSome(store.db, 50 + 25 * 60)

          expect(keptRows).toEqual([{ id: id('b'), usedAt: 50 }])
          expect(secondUse).toBeUndefined()
          expect(await bypassCodesOfUsers(store.db, [id('2')], 60)).toEqual([])
          expect(await rows()).toEqual([])
        },
      )

      it('a bypass code that is used up or expired is not listed for its user, and is swept away', async () => {
        await insert({ id: id('b'), codeLookup: '1' })
        await insert({ id: id('c'), codeLookup: '2', usesRemaining: 0, createdAt: -3000, expiresAt: 10_000 })
        await insert({ id: id('d'), codeLookup: '3', expiresAt: 60 })

        const usableCodes = await bypassCodesOfUsers(store.db, [id('2')], 60)
        await bypassCodesFeature.removals.expiredBypassCodes.removeSome(store.db, 60)
        await bypassCodesFeature.removals.usedUpBypassCodes.removeSome(store.db, 60)
        const rows = await store.db.selectFrom('bypassCode').select('id').execute()

        expect(usableCodes.map((row) => row.id)).toEqual([id('b')])
        expect(rows).toEqual([{ id: id('b') }])
      })
    })

    describe('an e-mailed code', () => {
      const put = (codeLookup: string, more: object = {}) =>
        replaceSentCode(store.db, { ...owner, codeLookup, wrongTries: 0, expiresAt: 100, ...more })
      const use = (codeLookup: string, now = 50) =>
        useSentCode(store.db, { ...owner, codeLookups: ['k', codeLookup] }, now).then((used) => used === codeLookup)

      it('an e-mailed code is used once', async () => {
        await put('l')

        expect(wins(await times(16, () => use('l')))).toBe(1)
      })

      it('only the newest e-mailed code is accepted, until its end', async () => {
        await put('old')
        await put('new')

        const outcomes = [await use('old'), await use('new', 100), await use('new', 99)]

        expect(outcomes).toEqual([false, false, true])
      })

      inFullRun('an e-mailed code ends with the last wrong try, and a new one starts anew', async () => {
        await put('l')
        const wrong = () => countWrongSentCode(store.db, owner, 3)

        await Promise.all([wrong(), wrong(), wrong()])
        const dead = await use('l')
        await put('m')
        await Promise.all([wrong(), wrong()])

        expect([dead, await use('m')]).toEqual([false, true])
      })

      inFullRun(
        'an e-mailed code stays when those of another domain or user are removed, and is swept away at its end',
        async () => {
          await put('l')
          await removeSentCodes(store.db, { userIds: [id('2')], domainId: id('9') })
          await removeSentCodes(store.db, { userIds: [id('3')] })
          await sentCodesFeature.removals.expiredSentCodes.removeSome(store.db, 99)
          const before = await store.db.selectFrom('emailCode').select('codeLookup').execute()
          await sentCodesFeature.removals.expiredSentCodes.removeSome(store.db, 100)

          expect([before.length, await use('l')]).toEqual([1, false])
        },
      )
    })

    inFullRun('the store gives a hardware token to one user', async () => {
      const secrets = createSecrets(() => ringOf('k1'), systemRandom)
      const seed = secrets.seal('s', { kind: 'seed', id: id('e'), userId: null })
      const row = { id: id('e'), organizationId: id('0'), alias: 'A', serialNumber: '1', createdAt: 1 }
      await store.db
        .transaction()
        .execute((db) => insertHardwareToken(db, { ...row, seed, algorithm: 'SHA1', digits: 6, period: 30 }))

      const outcomes = await Promise.all(
        [id('2'), id('3')].map((userId) => giveHardwareToken(store.db, secrets, { id: id('e'), userId })),
      )
      const owners = await Promise.all([id('2'), id('3')].map((userId) => hardwareTokenOfUser(store.db, userId)))

      expect(wins(outcomes)).toBe(1)
      expect(owners.filter((token) => token?.id === id('e'))).toHaveLength(1)
    })

    inFullRun('the store records when an e-mail address was changed, and only then', async () => {
      const changedAt = async () => (await userById(store.db, id('0'), id('2')))?.emailChangedAt

      await updateUser(store.db, id('2'), { email: 'E', name: 'M' }, 50)
      const same = await changedAt()
      await updateUser(store.db, id('2'), { email: 'F' }, 60)

      expect([same, await changedAt()]).toEqual([null, 60])
    })

    it('lockUser() locks no user who does not exist', async () => {
      const outcomes = [
        await lockUser(store.db, id('0'), id('2')),
        await lockUser(store.db, id('0'), id('9')),
        await lockUser(store.db, id('9'), id('2')),
      ]

      expect(outcomes).toEqual([true, false, false])
    })
  })
}

const domain = { ...domainRow, bypassEnabled: 1, emailOtpEnabled: 1 } as const

const user = { name: 'N', email: 'E', everEnrolled: 0, createdAt: 1 } as const

const bypassCode = { code: 's', codeLookup: 'l', usesAllowed: 3, usesRemaining: 3, expiresAt: 100, createdAt: 1 }
