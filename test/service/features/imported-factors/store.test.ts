import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { ImportedCode } from '../../../../src/contract/imported-factors.ts'
import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { storeImported } from '../../../../src/service/features/imported-factors/store.ts'
import { resetUser } from '../../../../src/service/features/people/reset.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { rotateKeys } from '../../../../src/service/upkeep/rotation.ts'
import { settleRestored } from '../../../../src/service/upkeep/restored.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import { keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { bypassCodeOf, member, otherThan } from '../codes/code-holder.ts'
import { inFullRun } from '../../../support/full-run.ts'

let folder: string
let running: Running
let node: OpenedService

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-imported-'))
  const database = join(folder, 'mfa.sqlite')
  running = await startService({ database }, { bypassEnabled: true })
  node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
})
afterAll(async () => {
  await node.close()
  await running.close()
  rmSync(folder, { recursive: true })
})

/** A member who brings an app, and these codes. */
async function mover(recovery: readonly ImportedCode[] = []) {
  const person = await member(running)
  const app = { seed: Buffer.from(person.username.padEnd(10)).toString('hex'), digits: 8, period: 60 } as const
  const factors = { app: { ...app, algorithm: 'SHA256' } as const, recovery: [...recovery] }
  const place = { organizationId: running.organization.id, domainId: running.domain.id }
  const people = [{ ...factors, userId: person.id }]
  const store = () => node.ctx.store.db.transaction().execute((db) => storeImported(db, node.ctx, place, people))
  const code = () => codeAt(factors.app, stepAt(running.clock.now(), 60))
  return { ...person, store, code }
}

const sha256 = (text: string) => ({ sha256: createHash('sha256').update(text).digest('hex') })
const sha512 = (text: string) => ({ sha512: createHash('sha512').update(text).digest('hex').toUpperCase() })

describe('factors of another system that were stored', () => {
  inFullRun('the codes of the app are accepted as the other system makes them, each once', async () => {
    const { store, code, signIn, show } = await mover()

    await store()

    const shown = code()
    expect(await signIn({ otp: shown })).toMatchObject({ state: 'approved', factor: 'otp' })
    expect(await signIn({ otp: shown })).toMatchObject({ state: 'denied' })
    expect(await show()).toMatchObject({ everEnrolled: true, importState: 'closed', factors: ['otp'] })
  })

  it.each<[description: string, code: ImportedCode, typed: string]>([
    ['of letters in one case, whatever the case that is typed', 'QX7P-Z4M2', 'qx7pz4m2'],
    ['in both cases, only as it is', 'aB3dE-5fGh1', 'aB3dE5fGh1'],
    ['of eight digits, like a code of an app', '12345678', '1234 5678'],
    ['of nine digits, like one of ours', '123456789', '123456789'],
    ['that is hashed by SHA-256', sha256('abcde-12345'), 'abcde-12345'],
    ['that is hashed by SHA-512 with the hyphen in its middle', sha512('ABCDE-12345'), 'abcde12345'],
  ])('a recovery code %s is accepted once', async (_description, code, typed) => {
    const { store, signIn, show } = await mover([code])
    await store()
    expect(await show()).toMatchObject({ importedCodes: true, factors: ['otp', 'bypass'] })

    expect(await signIn({ otp: typed })).toMatchObject({ state: 'approved', factor: 'bypass' })
    expect(await signIn({ otp: typed })).toMatchObject({ state: 'denied' })
    expect((await show()).importedCodes).toBeUndefined()
  })

  it('a recovery code in both cases is refused in another case', async () => {
    const { store, signIn } = await mover(['aB3dE-5fGh1'])
    await store()

    expect(await signIn({ otp: 'ab3de-5fgh1' })).toMatchObject({ state: 'denied' })
  })

  inFullRun('wrong codes of such users count in the ordinary budget', async () => {
    const { store, signIn, code } = await mover(['QX7P-Z4M2'])
    await store()

    for (let tries = 0; tries < 10; tries += 1) await signIn({ otp: 'wrong-code' })

    expect(await signIn({ otp: code() })).toMatchObject({ errors: [{ code: 'api.error.locked' }] })
  })

  it('the recovery code of another person is refused', async () => {
    const [owner, other] = [await mover(['owner-of-it']), await mover(['other-code'])]
    await owner.store()
    await other.store()

    expect(await other.signIn({ otp: 'owner-of-it' })).toMatchObject({ state: 'denied' })
  })

  it('imported recovery codes are never shown, and leave room for five others', async () => {
    const { store, id, path } = await mover(Array.from({ length: 20 }, (_, index) => `imported-${100 + index}`))
    await store()

    const { json: codes } = await running.call('GET', `${path}/bypasscodes`)
    for (let made = 0; made < 5; made += 1) await bypassCodeOf(running, id)

    expect(codes).toHaveLength(20)
    expect(codes[0]).toEqual({
      id: expect.any(String),
      usesAllowed: 1,
      usesRemaining: 1,
      dtExpiry: '9999-12-31T23:59:59+0000',
      user: id,
    })
    const sixth = await running.call('POST', `${path}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 60 } })
    expect(sixth.json).toMatchObject({ errors: [{ code: 'api.error.limit.bypasscodes' }] })
  })

  it('nothing is stored for a person who has a factor', async () => {
    const { store, id, code, signIn } = await mover()
    await bypassCodeOf(running, id)

    expect(await store()).toEqual(new Map())
    expect(await signIn({ otp: code() })).toMatchObject({ state: 'denied' })
  })

  inFullRun('the keys can be rotated: recovery codes and codes of the app stay good', async () => {
    const { store, code, signIn } = await mover(['QX7P-Z4M2', sha256('hashed-code')])
    await store()

    await rotateKeys(node.ctx, { waiting: () => void setImmediate(() => void running.clock.advance(60)) })

    expect(await signIn({ otp: code() })).toMatchObject({ state: 'approved' })
    expect(await signIn({ otp: 'qx7p-z4m2' })).toMatchObject({ state: 'approved' })
    expect(await signIn({ otp: 'hashed-code' })).toMatchObject({ state: 'approved' })
  })

  inFullRun('a reset removes them, and says that they must not be imported again', async () => {
    const { store, id, code, signIn, show } = await mover(['QX7P-Z4M2'])
    await store()

    await resetUser(node.ctx, { organizationId: running.organization.id, userId: id })

    expect(await signIn({ otp: code() })).toMatchObject({ state: 'denied' })
    expect(await signIn({ otp: 'QX7P-Z4M2' })).toMatchObject({ state: 'denied' })
    expect(await show()).toMatchObject({ everEnrolled: false, importState: 'closed', factors: [] })
  })

  it('a reset says that they must not be imported again, also of people who had none', async () => {
    const { id, show } = await mover()

    await resetUser(node.ctx, { organizationId: running.organization.id, userId: id })

    expect(await show()).toMatchObject({ importState: 'closed' })
  })

  it('after a restore, people whose factors were not imported are marked: a reset may have been lost', async () => {
    const [waiting, moved] = [await mover(), await mover(['QX7P-Z4M2'])]
    await moved.store()

    await settleRestored(node.ctx, [])

    expect(await waiting.show()).toMatchObject({ importState: 'restored' })
    expect(await moved.show()).toMatchObject({ importState: 'closed' })
    expect(await moved.signIn({ otp: 'QX7P-Z4M2' })).toMatchObject({ state: 'denied' })
  })
})

it('a code of none of the forms is wrong for people without imported codes', async () => {
  const { store, code, signIn } = await mover()
  await store()

  expect(await signIn({ otp: otherThan(code()) })).toMatchObject({ state: 'denied' })
  expect(await signIn({ otp: 'QX7P-Z4M2' })).toMatchObject({ state: 'denied' })
})
