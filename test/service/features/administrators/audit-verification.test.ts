import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { audit } from '../../../../src/service/engine/audit/audit.ts'
import { createVerifications } from '../../../../src/service/engine/audit/verifications.ts'
import { verifyOrganization } from '../../../../src/service/engine/audit/verify-organization.ts'
import { pruneAudit } from '../../../../src/service/engine/audit/retention.ts'
import {
  auditVerificationOf,
  beatAuditVerification,
  requestAuditVerification,
  takeAuditVerification,
} from '../../../../src/service/engine/audit/verification-statements.ts'
import type { AuditRow } from '../../../../src/service/engine/audit/statements.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { createTenant } from '../../start-service.ts'
import { administrator, startConsole } from './console-holder.ts'
import type { Console } from './console-holder.ts'
import { inFullRun } from '../../../support/full-run.ts'

describe.each(mainEngines)('the verification of the audit trail in the console on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let other: string

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
    other = (await createTenant(running.service, running.origin)).organization.id
  })
  afterAll(() => running.close())
  // Ceremonies are limited by address.
  beforeEach(() => running.clock.skip(600))

  const owner = () => administrator(running, { role: 'owner' })
  const mine = () => running.organization.id
  const database = () => running.ctx.store.db
  const never = new AbortController().signal
  const verify = (organizationId = mine()) =>
    verifyOrganization(database(), organizationId, { onStep: () => Promise.resolve(), signal: never })

  /** Entries of some organizations in one chain, in this order. */
  async function record(...organizations: readonly (string | null)[]): Promise<AuditRow[]> {
    const entries = organizations.map(
      (organizationId) => ({ event: 'codes.unlocked', organizationId, facts: { user: 'ab'.repeat(20) } }) as const,
    )
    await database()
      .transaction()
      .execute((db) => audit(db, running.ctx, ...entries))
    const rows = await database()
      .selectFrom('audit')
      .selectAll()
      .orderBy('position', 'desc')
      .limit(entries.length)
      .execute()
    return rows.toReversed()
  }

  /** What an attacker does who can write to the database, until it is undone. */
  async function tampered<T>(attack: () => Promise<unknown>, row: AuditRow, look: () => Promise<T>): Promise<T> {
    await attack()
    const result = await look()
    await database().deleteFrom('audit').where('position', '=', row.position).execute()
    await database().insertInto('audit').values(row).execute()
    return result
  }
  const change = (row: AuditRow, changes: Partial<AuditRow>) => () =>
    database().updateTable('audit').set(changes).where('position', '=', row.position).execute()
  const remove = (row: AuditRow) => () => database().deleteFrom('audit').where('position', '=', row.position).execute()

  async function finished(by: Awaited<ReturnType<typeof owner>>) {
    await vi.waitFor(async () => expect((await by.call('GET', '/audit/verification')).json.percent).toBeNull())
    return (await by.call('GET', '/audit/verification')).json
  }

  it('the audit verification counts the entries of the organization alone', async () => {
    const before = await verify()
    await record(mine(), other, null, mine())

    const after = await verify()

    expect([after.entries - before.entries, after.findings]).toEqual([2, 0])
  })

  it('the audit verification finds an entry of the organization that was changed, and says which', async () => {
    const [, row] = await record(other, mine(), mine())

    const result = await tampered(change(row!, { facts: '{"user":"cd"}' }), row!, () => verify())

    expect(result).toMatchObject({ findings: 1, first: { kind: 'changed', position: row!.position, at: row!.at } })
  })

  it('the audit verification finds that an entry is missing, and says after which', async () => {
    const [first, second] = await record(mine(), mine(), other)

    const result = await tampered(remove(second!), second!, () => verify())

    expect(result).toMatchObject({ findings: 1, first: { kind: 'missing', position: first!.position } })
  })

  it('the audit verification finds an entry that was moved to another organization', async () => {
    const [row] = await record(mine(), mine())

    const result = await tampered(change(row!, { organizationId: other }), row!, () => verify())

    expect(result).toMatchObject({ findings: 1, first: { kind: 'unattributed', position: null, at: null } })
  })

  it('the audit verification finds that the end of a chain was cut off', async () => {
    const [, row] = await record(mine(), mine())
    const { writer, sequence, hash } = row!
    await database().updateTable('auditWriter').set({ sequence, hash }).where('id', '=', writer).execute()

    const result = await tampered(remove(row!), row!, () => verify())

    expect(result.first).toMatchObject({ kind: 'cut_off' })
  })

  it('the audit verification does not reveal where another organization was attacked', async () => {
    const [, row] = await record(mine(), other, mine())

    const result = await tampered(change(row!, { address: '192.0.2.66' }), row!, () => verify())

    expect(result).toMatchObject({ findings: 1, first: { kind: 'unattributed', position: null, at: null } })
  })

  it('the audit verification does not mistake retention for an attack', async () => {
    await record(mine(), other, mine())
    await pruneAudit(running.ctx, running.clock.now() + 1)
    await record(mine())

    expect((await verify()).findings).toBe(0)
  })

  inFullRun(
    'the audit verification runs in the background, shows its result to those who come later, and is in the trail',
    async () => {
      const [starter, reader] = [await owner(), await administrator(running, { role: 'auditor' })]

      const started = await starter.call('POST', '/audit/verification')
      const { last } = await finished(reader)

      expect([started.status, typeof started.json.percent]).toEqual([200, 'number'])
      expect(last).toMatchObject({ at: running.clock.now(), by: starter.id, name: 'Olivia Owner', findings: 0 })
      running.clock.skip(2)
      const { json } = await reader.call('GET', '/audit?event=audit.verified')
      expect(json.entries[0]).toMatchObject({ actor: { id: starter.id }, facts: { count: last.entries, findings: 0 } })
    },
  )

  inFullRun('auditors can start the audit verification too, because it changes nothing', async () => {
    const auditor = await administrator(running, { role: 'auditor' })

    const { status } = await auditor.call('POST', '/audit/verification')
    const { last } = await finished(auditor)

    expect([status, last.by]).toEqual([200, auditor.id])
  })

  it('the audit verification is for administrators of the whole organization', async () => {
    const auditor = await administrator(running, { role: 'auditor', domains: [running.domain.id] })

    const answers = [
      await auditor.call('GET', '/audit/verification'),
      await auditor.call('POST', '/audit/verification'),
    ]

    expect(answers.map(({ code }) => code)).toEqual(['api.error.forbidden', 'api.error.forbidden'])
  })

  describe('of several organizations', () => {
    const request = (organizationId: string) =>
      requestAuditVerification(database(), {
        organizationId,
        requestedAt: running.clock.now(),
        requestedBy: 'f'.repeat(40),
      })
    const take = () => takeAuditVerification(database(), running.clock.now(), running.clock.now() - 60)

    beforeEach(async () => {
      await database().deleteFrom('auditVerification').execute()
    })

    it('audit verifications of several organizations run one at a time, in the order of the requests', async () => {
      await request(mine())
      running.clock.skip(1)
      await request(other)
      expect(await request(other)).toBe(false)

      const taken = [await take(), await take()]

      expect(taken.map((each) => each?.organizationId)).toEqual([mine(), undefined])
    })

    it('the audit verification shows nothing of one that runs for another organization', async () => {
      const by = await owner()
      await request(other)
      await take()

      await by.call('POST', '/audit/verification')

      expect((await by.call('GET', '/audit/verification')).json).toEqual({ percent: 0 })
    })

    it('an audit verification is taken over from a process that is gone, and finished once', async () => {
      await request(mine())
      const lost = await take()
      expect(await take()).toBeUndefined()
      running.clock.skip(61)

      const verifications = createVerifications(running.ctx)
      verifications.wake()
      await vi.waitFor(async () =>
        expect(await auditVerificationOf(database(), mine())).toMatchObject({ state: 'done' }),
      )
      await verifications.close()

      expect(await beatAuditVerification(database(), lost!, running.clock.now(), 50)).toBe(false)
    })

    it('audit verifications go on after the clock of the process that has crashed was set back', async () => {
      await request(mine())
      await takeAuditVerification(database(), running.clock.now() + 86_400, 0)
      running.clock.skip(1)
      await request(other)

      const taken = await take()

      expect(taken?.organizationId).toBe(mine())
    })

    it('an audit verification is left to the next process when this one closes', async () => {
      await request(mine())
      const verifications = createVerifications(running.ctx)

      verifications.wake()
      await verifications.close()
      const interrupted = await auditVerificationOf(database(), mine())
      const next = createVerifications(running.ctx)
      next.wake()
      await vi.waitFor(async () =>
        expect(await auditVerificationOf(database(), mine())).toMatchObject({ state: 'done' }),
      )
      await next.close()

      expect(interrupted?.state).not.toBe('running')
    })
  })
})
