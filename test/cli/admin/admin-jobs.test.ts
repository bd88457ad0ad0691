import { describe, expect, it } from 'vitest'

import { invite } from '../../../src/service/features/administrators/invitations.ts'
import { ServiceOptions } from '../../../src/service/options.ts'
import { openService } from '../../../src/service/service.ts'
import { describeInFullRun } from '../../support/full-run.ts'
import { calculatedCells, cellsOf } from '../../support/spreadsheet.ts'
import { useDatabase } from './run-command.ts'

const { place, admin, json } = useDatabase()

/** A job of an administrator that some process works on. */
async function runningJob(): Promise<string> {
  const { ctx, close } = await openService(ServiceOptions.parse({ database: place.database }))
  const { db } = ctx.store
  const { id: organizationId } = await db.selectFrom('organization').select('id').executeTakeFirstOrThrow()
  await invite(ctx, organizationId, { name: 'Ann', email: 'ann@example.com', role: 'owner', domains: [] })
  const id = 'ad'.repeat(20)
  const now = ctx.clock.now()
  await db
    .insertInto('administrator')
    .values({
      id,
      organizationId,
      name: 'Ann',
      email: 'ann@example.com',
      role: 'owner',
      userId: null,
      userHandle: 'x',
      createdAt: now,
    })
    .execute()
  const job = { id: 'be'.repeat(20), organizationId, requestedBy: id, action: 'unlock', domainId: null } as const
  const times = { createdAt: now, startedAt: now, expiresAt: now + 1_000_000, holder: 'gone', heldUntil: now + 1_000 }
  await db
    .insertInto('bulkJob')
    .values({ ...job, because: 'test', state: 'running', people: 7, ...times })
    .execute()
  await close()
  return job.id
}

describeInFullRun('second-factor admin jobs', () => {
  it('second-factor admin jobs lists the actions on many people, and cancels one', async () => {
    const id = await runningJob()

    const listed = await admin('admin', 'jobs')
    const canceled = await json('admin', 'jobs', '--cancel', id.slice(0, 12))

    expect(listed.stdout).toMatch(/^unlock +running +0 of 7 +Ann +\d{4}-\S+ +bebebebebebe$/m)
    expect(canceled).toMatchObject({ id, state: 'cancelled' })
    expect(await json('admin', 'jobs')).toMatchObject([{ id, state: 'cancelled' }])
    expect((await admin('audit', 'list')).stdout).toContain('bulk.cancelled')
  })
})

describe('second-factor user list --csv', () => {
  it('second-factor user list --csv writes CSV in which no spreadsheet calculates a cell', async () => {
    await admin('user', 'create', 'alice', '--name', '=cmd;=1', '--email', 'alice@example.com')

    const { stdout } = await admin('user', 'list', '--csv')

    const [head, line] = cellsOf(stdout, ',')
    expect(head).toEqual(['id', 'username', 'name', 'email', 'methods'])
    expect(line).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/), 'alice', "'=cmd;'=1", 'alice@example.com', ''])
    expect(calculatedCells(stdout)).toEqual([])
  })
})
