import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { withinBudget } from '../../../src/service/codes/code-budget.ts'
import { ServiceOptions } from '../../../src/service/options.ts'
import { openService } from '../../../src/service/service.ts'
import type { OpenedService } from '../../../src/service/service.ts'
import { readCommitted } from '../../../src/service/store/transaction-ends.ts'
import { engines, useEngine } from '../../support/engines.ts'
import { keysFor } from '../start-service.ts'

describe.each(engines)('the code of a user who was deleted after it was found, on %s,', (engine) => {
  const newDatabase = useEngine(engine)
  let opened: OpenedService

  beforeAll(async () => {
    const database = await newDatabase()
    opened = await openService(ServiceOptions.parse({ database, ...keysFor(database) }), undefined, { create: true })
  })
  afterAll(() => opened.close())

  it.each(['known', 'other'] as const)('is not checked, and the user is not found (budget: %s)', async (budget) => {
    const { ctx } = opened
    const call = { ...ctx, organizationId: '0'.repeat(40) }
    const trying = { userId: '1'.repeat(40), domainId: '2'.repeat(40), budget, challenge: undefined }
    const check = vi.fn<() => Promise<'right'>>(() => Promise.resolve('right'))

    const tried = readCommitted(ctx.store.db).execute((db) => withinBudget(call, db, trying, check))

    await expect(tried).rejects.toMatchObject({ code: 'api.error.notfound.user' })
    expect(check).not.toHaveBeenCalled()
  })
})
