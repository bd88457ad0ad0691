import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { auditPage } from '../../../../src/admin-contract/audit.ts'
import { audit } from '../../../../src/service/engine/audit/audit.ts'
import type { Audited } from '../../../../src/service/engine/audit/events.ts'
import type { ApiProblem } from '../../../../src/service/engine/base/problem.ts'
import type { Call } from '../../../../src/service/engine/http/route.ts'
import { exportLines } from '../../../../src/service/features/administrators/audit.ts'
import { consoleCookie } from '../../../../src/service/features/administrators/cookie.ts'
import { findSignedIn } from '../../../../src/service/features/administrators/sessions.ts'
import { callAs } from '../../../../src/service/features/bulk-jobs/acting.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { calculatedCells, cellsOf } from '../../../support/spreadsheet.ts'
import { createTenant, newUser } from '../../start-service.ts'
import { administrator, origin, startConsole } from './console-holder.ts'
import type { Console } from './console-holder.ts'
import { inFullRun } from '../../../support/full-run.ts'

interface Item {
  readonly position: number
  readonly event: string
  readonly facts: Readonly<Record<string, unknown>>
}

describe.each(mainEngines)('the audit trail in the console on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let otherDomain: string

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
    const other = await running.service.administration.createDomain(running.organization.id, { name: 'Other' })
    otherDomain = other.id
  })
  afterAll(() => running.close())
  // Ceremonies are limited by address; entries are shown when they are two seconds old.
  beforeEach(() => running.clock.skip(600))

  const owner = () => administrator(running, { role: 'owner' })
  const limited = () => administrator(running, { role: 'auditor', domains: [running.domain.id] })

  /** Writes entries as the service does. */
  async function record(...happened: readonly Audited[]) {
    const { ctx } = running
    await ctx.store.db.transaction().execute((db) => audit(db, ctx, ...happened))
    running.clock.skip(2)
  }

  const locked = (user: string, organizationId = running.organization.id): Audited => ({
    event: 'codes.unlocked',
    organizationId,
    facts: { user },
  })
  const mailed = (domain: string, user = 'ab'.repeat(20)): Audited => ({
    event: 'email_code.sent',
    organizationId: running.organization.id,
    facts: { domain, user },
  })
  const ofUser = (user: string) => (item: Item) => item.facts['user'] === user

  it('the audit trail is shown newest first, with the names of the people that it is about', async () => {
    const mine = await owner()
    const { json: user } = await running.call('POST', '/users', { body: newUser('nora') })
    running.clock.skip(2)

    const { json } = await mine.call('GET', '/audit')

    expect(json.entries[0]).toMatchObject({ event: 'user.created', facts: { user: user.id } })
    expect(json.names[user.id]).toBe('Name of nora')
    expect(json.names[mine.id]).toBe('Olivia Owner')
    const positions = json.entries.map(({ position }: Item) => position)
    expect(positions).toEqual([...positions].sort((a, b) => b - a))
  })

  it('the audit trail is read page by page, each entry once', async () => {
    const mine = await owner()
    const user = '11'.repeat(20)
    await record(...Array.from({ length: auditPage + 3 }, () => locked(user)))

    const first = (await mine.call('GET', `/audit?user=${user}`)).json
    const second = (await mine.call('GET', `/audit?user=${user}&before=${first.next}`)).json

    expect([first.entries.length, second.entries.length]).toEqual([auditPage, 3])
    const all = [...first.entries, ...second.entries].map(({ position }: Item) => position)
    expect(new Set(all).size).toBe(auditPage + 3)
    expect(second.next).toBeUndefined()
  })

  inFullRun.each([
    ['event', 'event=codes.unlocked', ['codes.unlocked']],
    ['person', `user=${'22'.repeat(20)}`, ['email_code.sent', 'codes.unlocked']],
    ['actor', 'actor=some-actor', ['codes.unlocked']],
    ['end of a time', 'until=UNTIL&since=SINCE', []],
  ])('the audit trail is filtered by %s', async (_what, filter, expected) => {
    const mine = await owner()
    const user = '22'.repeat(20)
    const since = running.clock.now()
    await record({ ...locked(user), actor: { kind: 'cli', id: 'some-actor' } }, mailed(running.domain.id, user))
    const query = filter.replace('UNTIL', String(since)).replace('SINCE', String(since))

    const { json } = await mine.call('GET', `/audit?${query}&since=${since}`)

    expect(json.entries.map(({ event }: Item) => event)).toEqual(expected)
  })

  it('the audit trail shows an administrator who is limited to some domains only their entries', async () => {
    const mine = await limited()
    const user = '33'.repeat(20)
    await record(mailed(running.domain.id, user), mailed(otherDomain, user), locked(user))

    const { json } = await mine.call('GET', `/audit?user=${user}`)
    const { json: all } = await (await owner()).call('GET', `/audit?user=${user}`)

    expect(json.entries.map(({ facts }: Item) => facts['domain'])).toEqual([running.domain.id])
    expect(all.entries).toHaveLength(3)
  })

  it('the audit trail shows nothing to an administrator who has lost every domain', async () => {
    const mine = await administrator(running, { role: 'admin', domains: [running.domain.id] })
    await running.ctx.store.db.deleteFrom('administratorDomain').where('administratorId', '=', mine.id).execute()

    const { json } = await mine.call('GET', '/audit')

    expect([json.entries, json.names]).toEqual([[], {}])
  })

  it('the audit trail reveals nothing of another organization, nor of people outside the administrator’s domains', async () => {
    const stranger = await createTenant(running.service, running.origin)
    const { json: foreign } = await stranger.call('POST', '/users', { body: newUser('foreign') })
    const { json: outside } = await running.call('POST', '/users', { body: newUser('outside') })
    await record(mailed(running.domain.id, outside.id), mailed(running.domain.id, foreign.id))
    const [all, some] = [await owner(), await limited()]

    const wholeTrail = (await all.call('GET', '/audit')).json
    const seenBySome = (await some.call('GET', '/audit')).json

    expect(
      wholeTrail.entries.some(({ event, facts }: Item) => event === 'user.created' && facts['user'] === foreign.id),
    ).toBe(false)
    expect([wholeTrail.names[foreign.id], seenBySome.names[foreign.id]]).toEqual([undefined, undefined])
    expect([wholeTrail.names[outside.id], seenBySome.names[outside.id]]).toEqual(['Name of outside', undefined])
  })

  it('the filter of the audit trail takes no name that a database cannot hold', async () => {
    const mine = await owner()

    const refused = [await mine.call('GET', '/audit?actor=%00'), await mine.call('GET', '/audit/entries.csv?actor=%00')]

    expect(refused.map(({ status }) => status)).toEqual([400, 400])
  })

  it('the filter of the audit trail does not know domains outside the administrator’s own', async () => {
    const answer = await (await limited()).call('GET', `/audit?domain=${otherDomain}`)

    expect([answer.status, answer.code]).toEqual([404, 'api.error.notfound.domain'])
  })

  it('a held read of the audit trail returns when there are new entries', async () => {
    const mine = await owner()
    running.clock.skip(2)
    const { head } = (await mine.call('GET', '/audit')).json
    const user = '44'.repeat(20)

    const waiting = running.clock.timerSet(2)
    const heldRead = mine.call('GET', `/audit?after=${head}&user=${user}`, { headers: { prefer: 'wait=20' } })
    await waiting
    await record(locked(user))
    await running.clock.advance(2)
    const answer = await heldRead

    expect(answer.headers.get('preference-applied')).toBe('wait=20')
    expect(answer.json.entries.filter(ofUser(user))).toHaveLength(1)
    const nextRead = (await mine.call('GET', `/audit?after=${answer.json.head}&user=${user}`)).json
    expect(nextRead.entries).toEqual([])
  })

  it('a held read of the audit trail shows nothing to an administrator who has lost the access, the role or domains', async () => {
    const [mine, revoked, narrowed] = [await owner(), await owner(), await owner()]
    running.clock.skip(2)
    const { head } = (await mine.call('GET', '/audit')).json
    const hold = async ({ call }: Awaited<ReturnType<typeof owner>>) => {
      const waiting = running.clock.timerSet(2)
      const answer = call('GET', `/audit?after=${head}`, { headers: { prefer: 'wait=20' } })
      await waiting
      return { answer }
    }
    const reads = [await hold(revoked), await hold(narrowed)]

    await mine.call('DELETE', `/administrators/${revoked.id}`)
    await mine.call('PUT', `/administrators/${narrowed.id}`, {
      body: { role: 'auditor', domains: [otherDomain] },
      headers: { 'if-match': '"1"' },
    })
    await record(locked('99'.repeat(20)))
    await running.clock.advance(2)
    const answers = await Promise.all(reads.map(({ answer }) => answer))

    expect(answers.map(({ status, json }) => [status, json.entries])).toEqual([
      [401, undefined],
      [403, undefined],
    ])
  })

  it('an export ends for an administrator who has lost the access, the role or domains meanwhile', async () => {
    const [mine, revoked, narrowed] = [await owner(), await owner(), await owner()]
    const user = '7e'.repeat(20)
    await record(...Array.from({ length: 2 * auditPage + 1 }, () => locked(user)))
    const begun = async ({ state }: Awaited<ReturnType<typeof owner>>) => {
      const hash = consoleCookie(origin).read(state.cookie) ?? ''
      const signedIn = await findSignedIn(running.ctx, hash)
      if (!signedIn) throw new Error('not signed in')
      const call = callAs(running.ctx, signedIn, { id: '', because: 'other' })
      const console = { ...call.console, administrator: signedIn } as NonNullable<Call['console']>
      const { content } = await exportLines({ user }, { ...call, console })
      const parts = content[Symbol.asyncIterator]()
      return {
        first: (await parts.next()).value,
        next: () =>
          parts.next().then(
            () => 'sent',
            ({ code }: ApiProblem) => code,
          ),
      }
    }
    const exports = [await begun(mine), await begun(revoked), await begun(narrowed)]

    await mine.call('DELETE', `/administrators/${revoked.id}`)
    await mine.call('PUT', `/administrators/${narrowed.id}`, {
      body: { role: 'auditor', domains: [otherDomain] },
      headers: { 'if-match': '"1"' },
    })
    const ends: unknown[] = []
    for (const { next } of exports) ends.push(await next())

    for (const { first } of exports) expect(first).toContain(user)
    expect(ends).toEqual(['sent', 'api.error.unauthorized', 'api.error.forbidden'])
  })

  it('a reader can follow the audit trail entry after entry, however many are new', async () => {
    const mine = await owner()
    running.clock.skip(2)
    const { head } = (await mine.call('GET', '/audit')).json
    const user = '55'.repeat(20)
    await record(...Array.from({ length: auditPage + 2 }, () => locked(user)))

    const first = (await mine.call('GET', `/audit?after=${head}`)).json
    const second = (await mine.call('GET', `/audit?after=${first.head}`)).json

    const positions = [...second.entries, ...first.entries].map(({ position }: Item) => position)
    expect(positions).toHaveLength(auditPage + 2)
    expect(positions).toEqual([...positions].sort((a, b) => b - a))
  })

  it('the audit trail does not show entries that may still be overtaken by others', async () => {
    const mine = await owner()
    const user = '66'.repeat(20)
    await running.ctx.store.db.transaction().execute((db) => audit(db, running.ctx, locked(user)))

    const early = (await mine.call('GET', `/audit?user=${user}`)).json
    running.clock.skip(2)
    const late = (await mine.call('GET', `/audit?user=${user}`)).json

    expect([early.entries.length, late.entries.length]).toEqual([0, 1])
  })

  it('the audit trail is exported as CSV, in which no cell is calculated', async () => {
    const mine = await owner()
    const user = '77'.repeat(20)
    await record({ ...locked(user), actor: { kind: 'cli', id: '=cmd|"/C calc"!A0;"=1+41"' } })

    const { text, headers } = await mine.call('GET', `/audit/entries.csv?user=${user}`)

    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
    const [head, line, ...rest] = cellsOf(text, ',')
    expect(head).toEqual(['time', 'event', 'actor kind', 'actor', 'address', 'facts', 'request', 'position'])
    expect(line?.slice(1, 6)).toEqual(['codes.unlocked', 'cli', `'=cmd|"/C calc"!A0;"'=1+41"`, '', `user=${user}`])
    expect(rest).toEqual([])
    expect(calculatedCells(text)).toEqual([])
  })

  it.each([
    ['csv', 'event=session.denied&since=5', 'event=session.denied since=5'],
    ['jsonl', 'actor=some-name', 'actor='],
    ['jsonl', '', ''],
  ])('the audit trail records its export as %s that is limited to (%s)', async (format, query, filter) => {
    const mine = await owner()

    await mine.call('GET', `/audit/entries.${format}?${query}`)
    running.clock.skip(2)
    const { json } = await mine.call('GET', `/audit?event=audit.exported&actor=${mine.id}`)

    expect(json.entries).toMatchObject([{ actor: { kind: 'administrator' }, facts: { format, filter } }])
  })

  inFullRun('the audit trail is exported as JSON lines, over all pages', async () => {
    const mine = await limited()
    const user = '88'.repeat(20)
    await record(...Array.from({ length: 2 * auditPage + 1 }, () => mailed(running.domain.id, user)))
    await record(mailed(otherDomain, user))

    const { text, headers } = await mine.call('GET', `/audit/entries.jsonl?user=${user}`)

    expect(headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
    const items = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Item)
    expect(items).toHaveLength(2 * auditPage + 1)
    expect(new Set(items.map(({ facts }) => facts['domain']))).toEqual(new Set([running.domain.id]))
  })
})
