import { describe, expect, it } from 'vitest'

import type { Account } from '../../src/device/account.ts'
import { fromBase32, toBase32 } from '../../src/ground/base32.ts'
import { createDevice } from '../../src/device/device.ts'
import { currentCode, exportCodeSecret, importCodeSecret } from '../../src/device/offline-code.ts'
import { inFullRun } from '../support/full-run.ts'
import { startService } from '../support/running-service.ts'
import { deviceAt } from './scripted-service.ts'

/** The secret of RFC 6238 appendix B, SHA-1. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

async function accountWithCodes(): Promise<Account> {
  const { account, close } = await deviceAt({})
  close()
  return { ...account, codeSecret: await importCodeSecret({ secret }, false) }
}

describe('the offline code', () => {
  // RFC 6238 appendix B, SHA-1, of which six digits are shown.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('the offline code at Unix time %i is %s', async (now, code) => {
    expect((await currentCode(await accountWithCodes(), now))?.code).toBe(code)
  })

  it('the offline code reports when the next one starts, by the clock of the device', async () => {
    const account = await accountWithCodes()
    account.clockOffset = 40

    const currentOfflineCode = await currentCode(account, 19)

    expect(currentOfflineCode).toEqual({ code: '287082', expiresAt: 20 })
  })

  it('the offline code is undefined for an old account without codes', async () => {
    const { codeSecret: _, ...account } = await accountWithCodes()

    expect(await currentCode(account, 59)).toBeUndefined()
  })

  it('the offline code comes from a non-extractable key, unless the device saves files', async () => {
    const exportableKey = await importCodeSecret({ secret }, true)
    const { codeSecret } = await accountWithCodes()

    expect(await exportCodeSecret(exportableKey)).toBe(secret)
    await expect(exportCodeSecret(codeSecret!)).rejects.toMatchObject({ name: 'InvalidAccessError' })
  })

  it('the offline code signs its owner in once', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const account = await createDevice().activate(service.url, code, { name: 'Test' })

    const { code: otp = '' } = (await currentCode(account, Math.floor(Date.now() / 1000))) ?? {}
    const first = await service.ask('alice', { otp })
    const replay = await service.ask('alice', { otp })

    expect(first).toMatchObject({ state: 'approved', factor: 'otp' })
    expect(replay).toMatchObject({ state: 'denied', reason: 'wrong_code' })
  })

  inFullRun('the offline code stops working when its device is revoked', async () => {
    const service = await startService()
    const { userId, code } = await service.enroll('alice')
    const account = await createDevice().activate(service.url, code, { name: 'Test' })
    await service.client.tokens.revoke(service.domainId, userId)

    const { code: otp = '' } = (await currentCode(account, Math.floor(Date.now() / 1000))) ?? {}

    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'denied', reason: 'wrong_code' })
  })
})

describe('base32', () => {
  // RFC 4648 section 10.
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('the text %j is %s in base32, and back', (text, encoded) => {
    const bytes = new TextEncoder().encode(text)

    expect(toBase32(bytes)).toBe(encoded)
    expect(fromBase32(encoded)).toEqual(bytes)
    expect(fromBase32(encoded.padEnd(Math.ceil(encoded.length / 8) * 8, '='))).toEqual(bytes)
  })

  it('the base32 decoder rejects text that is not base32', () => {
    expect(() => fromBase32('MZXW0')).toThrow(TypeError)
  })
})
