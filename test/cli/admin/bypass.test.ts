import { beforeEach, describe, expect, it } from 'vitest'

import { inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { admin, json } = useDatabase()

beforeEach(async () => {
  const alice = ['alice', '--name', 'Alice Doe', '--email', 'alice@example.com']
  await admin('user', 'create', ...alice, '--domain', 'Intranet')
})

describe('second-factor bypass', () => {
  it('second-factor bypass creates a code that works once for a day, or as the options say', async () => {
    const plain = await json('bypass', 'create', 'alice')
    const other = await json('bypass', 'create', 'alice', '--uses', '1000', '--expires', '365d')
    const forever = await admin('bypass', 'create', 'alice', '--expires', 'never')

    expect(plain).toMatchObject({ code: expect.stringMatching(/^\d{9}$/), usesAllowed: 1, usesRemaining: 1 })
    expect(Date.parse(plain.dtExpiry) - Date.now()).toBeGreaterThan(86_000_000)
    expect(Date.parse(plain.dtExpiry) - Date.now()).toBeLessThan(86_402_000)
    expect(other.usesAllowed).toBe(1000)
    expect(forever.stdout).toMatch(/^Valid until +never$/m)
  })

  inFullRun.each([
    ['--uses', '0'],
    ['--uses', '1001'],
    ['--uses', 'many'],
    ['--expires', '0'],
    ['--expires', '366d'],
    ['--expires', '1w'],
    ['--expires', '-5'],
  ])('second-factor bypass create rejects %s %s', async (option, value) => {
    expect((await admin('bypass', 'create', 'alice', option, value)).code).toBe(2)
    expect(await json('bypass', 'list', 'alice')).toEqual([])
  })

  inFullRun('second-factor bypass create notes when no domain of the user allows bypass codes', async () => {
    const somewhere = await admin('bypass', 'create', 'alice')
    await admin('domain', 'set', 'Intranet', '--bypass-enabled', 'off')
    const nowhere = await admin('bypass', 'create', 'alice')

    expect(nowhere.stdout).toMatch(/^Note +no domain of this user allows bypass codes/m)
    expect(somewhere.stdout).not.toContain('Note')
  })

  inFullRun('second-factor bypass creates at most 5 codes, and then says what to do', async () => {
    for (let each = 0; each < 5; each += 1) await admin('bypass', 'create', 'alice')

    const { stderr, code } = await admin('bypass', 'create', 'alice')

    expect(code).toBe(1)
    expect(stderr).toBe('The user already has the maximum of 5 bypass codes. Delete some first.\n')
  })

  inFullRun('second-factor bypass deletes one code or all codes, only with confirmation', async () => {
    const { id } = await json('bypass', 'create', 'alice')
    await admin('bypass', 'create', 'alice')
    await admin('bypass', 'create', 'alice')

    const unasked = await admin('bypass', 'delete', 'alice')
    const singleDeletion = await json('bypass', 'delete', 'alice', '--id', id.slice(0, 8), '--yes')
    const remainingCodes = await json('bypass', 'list', 'alice')
    const fullDeletion = await admin('bypass', 'delete', 'alice', '--yes')

    expect([unasked.code, fullDeletion.code]).toEqual([2, 0])
    expect(singleDeletion.deleted).toEqual([id])
    expect(remainingCodes).toHaveLength(2)
    expect(await json('bypass', 'list', 'alice')).toEqual([])
  })
})
