import { createPublicKey, createSign, createVerify } from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { keptAfter, newKeyDue, publishedBefore, timedKeys } from '../../../../src/service/features/oidc/key-times.ts'
import { deleteAllKeys } from '../../../../src/service/features/oidc/key-statements.ts'
import { listSigningKeys, replaceSigningKeys, rotateSigningKey } from '../../../../src/service/features/oidc/keys.ts'
import { oidcStateOf } from '../../../../src/service/oidc-state.ts'
import type { OidcKeys } from '../../../../src/service/oidc-state.ts'
import { sweep } from '../../../../src/service/upkeep/sweep.ts'
import type { ServiceContext } from '../../../../src/service/engine/context/service-context.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { contextOf } from './provider.ts'

const day = 24 * 60 * 60

describe('the times of signing keys', () => {
  const key = (generation: number, signsFrom: number, ringKey = 'k1') => ({ generation, ringKey, signsFrom })
  const statesOf = (keys: readonly ReturnType<typeof key>[], now: number) =>
    timedKeys(keys, now).map(({ key: { generation }, state }) => `${generation} ${state}`)

  it('the last signing key that has begun signs, and is the first one', () => {
    const keys = [key(1, 0), key(2, 100), key(3, 200)]

    expect(statesOf(keys, 99)).toEqual(['1 signing', '3 next', '2 next'])
    expect(statesOf(keys, 100)).toEqual(['2 signing', '3 next', '1 retired'])
    expect(statesOf(keys, 200)).toEqual(['3 signing', '2 retired', '1 retired'])
  })

  it('a retired signing key stays published for 14 days', () => {
    const keys = [key(1, 0), key(2, 100)]

    expect(statesOf(keys, 100 + keptAfter - 1)).toEqual(['2 signing', '1 retired'])
    expect(statesOf(keys, 100 + keptAfter)).toEqual(['2 signing'])
  })

  it('one signing key signs although none has begun, where a clock was wrong', () => {
    expect(statesOf([key(1, 500), key(2, 600)], 0)).toEqual(['1 signing', '2 next'])
  })

  it('the next signing key is published two days before the present one reaches its age', () => {
    const maxAge = 90 * day
    const due = (now: number, ringKey = 'k1') => newKeyDue([key(1, 0)], { now, maxAge, ringKey })

    expect(due(88 * day - 1)).toBeUndefined()
    expect(due(88 * day)).toBe(90 * day)
    expect(due(1, 'k2')).toBe(1 + publishedBefore)
  })

  it('no signing key is due while one is published that does not sign yet', () => {
    expect(newKeyDue([key(1, 0), key(2, 100)], { now: 50, maxAge: 1, ringKey: 'k2' })).toBeUndefined()
  })
})

describe.each(engines)('signing keys, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let other: Running
  let ctx: ServiceContext

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database })
    other = await startService({ database, clock: running.clock })
    ctx = await contextOf(running)
  })
  afterAll(async () => {
    await other.close()
    await running.close()
  })
  beforeEach(() => deleteAllKeys(ctx.store.db))

  const nodes = () => [oidcStateOf(running.service), oidcStateOf(other.service)] as const
  const idsOf = ({ jwks }: OidcKeys) => jwks.keys.map(({ kid }) => kid)

  inFullRun('the first signing key signs at once, and is an RS256 key that both nodes have', async () => {
    const [here, there] = nodes()

    const { jwks } = await here.keys()

    expect(jwks.keys).toEqual([expect.objectContaining({ kty: 'RSA', alg: 'RS256', use: 'sig', e: 'AQAB' })])
    expect(await there.keys()).toEqual(await here.keys())
    const [jwk] = jwks.keys as unknown as readonly [JsonWebKey]
    const signature = createSign('sha256').update('text').sign({ key: jwk, format: 'jwk' })
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    expect(createVerify('sha256').update('text').verify(publicKey, signature)).toBe(true)
  })

  it('of two nodes that make a signing key at once, one does', async () => {
    const [here, there] = nodes()

    const [first, second] = await Promise.all([here.keys(), there.keys()])

    expect(idsOf(first)).toEqual(idsOf(second))
    expect(await listSigningKeys(ctx)).toHaveLength(1)
    await Promise.all([rotateSigningKey(ctx), rotateSigningKey(ctx), rotateSigningKey(await contextOf(other))])
    expect((await listSigningKeys(ctx)).map(({ state }) => state)).toEqual(['signing', 'next'])
  })

  inFullRun(
    'a rotation publishes the next signing key two days before it signs, and the old one for 14 days after',
    async () => {
      const [here] = nodes()
      const [old] = idsOf(await here.keys())
      expect(await rotateSigningKey(ctx)).toBe(true)
      expect(await rotateSigningKey(ctx)).toBe(false)

      const published = idsOf(await here.keys())
      expect(published).toEqual([old, expect.any(String)])
      running.clock.skip(publishedBefore)
      expect(idsOf(await here.keys())).toEqual(published.toReversed())
      running.clock.skip(keptAfter)
      expect(idsOf(await here.keys())).toEqual([published[1]])

      await sweep(ctx)

      const rows = await ctx.store.db.selectFrom('oidcKey').select('id').execute()
      expect(rows).toEqual([{ id: published[1] }])
    },
  )

  inFullRun('a signing key reaches its age, and the next one takes over', async () => {
    const state = oidcStateOf(running.service, { keyAge: 7 })
    const [old] = idsOf(await state.keys())

    running.clock.skip(5 * day)
    expect(idsOf(await state.keys())).toHaveLength(2)
    running.clock.skip(2 * day)

    expect(idsOf(await state.keys())[0]).not.toBe(old)
  })

  inFullRun('replacing the signing keys ends all others at once', async () => {
    const [here] = nodes()
    await here.keys()
    await rotateSigningKey(ctx)
    const before = idsOf(await here.keys())

    expect(await replaceSigningKeys(ctx)).toBe(2)

    const after = idsOf(await here.keys())
    expect(after).toHaveLength(1)
    expect(before).not.toContain(after[0])
  })

  inFullRun('listeners hear of changed signing keys within a minute, on every node', async () => {
    const [here, there] = nodes()
    const heard: OidcKeys[] = []
    const stop = there.onKeysChanged((keys) => heard.push(keys))
    await there.keys()
    await here.keys()
    await replaceSigningKeys(ctx)

    await running.clock.advance(61)

    await expect.poll(() => heard).toEqual([await here.keys()])
    stop()
    there.close()
  })

  it('a private signing key is sealed, and opens under no other id', async () => {
    const [here] = nodes()
    const [jwk] = (await here.keys()).jwks.keys
    const { db } = ctx.store
    const [row] = await db.selectFrom('oidcKey').selectAll().execute()
    expect(JSON.stringify(row)).not.toContain(jwk!['d'])

    await db.updateTable('oidcKey').set({ id: 'another' }).execute()

    await expect(here.keys()).rejects.toThrow('belongs to another record')
  })
})
