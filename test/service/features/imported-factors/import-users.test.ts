import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inFullRun } from '../../../support/full-run.ts'
import { entriesOf, openDatabase } from '../../engine/audit/recorded.ts'
import { keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { addDomain } from '../../../../src/service/features/domains/administration.ts'
import { resetUser } from '../../../../src/service/features/people/reset.ts'
import { claim } from '../../../../src/service/features/users/synchronization-claim.ts'
import { stage } from '../../../../src/service/features/users/synchronization-stage.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { member, unique } from '../codes/code-holder.ts'
import { appOfElsewhere } from './app-of-elsewhere.ts'

describe.each(engines)('imports of factors on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let node: OpenedService

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database }, { bypassEnabled: true })
    node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
  })
  afterAll(async () => {
    await node.close()
    await running.close()
  })

  const importing = (users: readonly object[], more: object = {}) =>
    running.call('POST', `/domains/${running.domain.id}/factors/import`, { body: { users, ...more } })

  inFullRun('people who have their app join another domain with addUsers, and are rejected there without', async () => {
    const { id } = await addDomain(node.ctx, running.organization.id, { name: unique() })
    const person = { username: unique(), app: appOfElsewhere().app }
    await importing([person], { addUsers: true })
    const elsewhere = (more: object) =>
      running.call('POST', `/domains/${id}/factors/import`, { body: { users: [person], ...more } })

    const refused = await elsewhere({})
    const joined = await elsewhere({ addUsers: true })

    expect(refused.json.users).toEqual([{ outcome: 'rejected', reason: 'not_member' }])
    expect(joined.json.users).toEqual([{ outcome: 'unchanged' }])
    const { json: user } = await running.call('GET', `/users?username=${person.username}`)
    expect(user.domains).toEqual(expect.arrayContaining([id, running.domain.id]))
  })

  inFullRun(
    'an import of factors adds users whom an interrupted synchronization has staged, and not those of one that runs',
    async () => {
      const { ctx } = node
      const [staged, other] = [unique(), unique()]
      const people = [staged, other].map((username) => ({ username, app: appOfElsewhere().app }))
      const place = { organizationId: running.organization.id, domainId: running.domain.id }
      const claimed = await claim(ctx, place, () => Promise.reject(new Error('nothing was abandoned')))
      await stage(ctx, claimed, { rows: [{ username: staged, name: 'Staged', email: undefined }] })

      const meanwhile = await importing(people, { addUsers: true })
      await ctx.store.db.updateTable('synchronization').set({ beatAt: 0 }).execute()
      const later = await importing(people, { addUsers: true })

      expect(meanwhile.json.users).toEqual([{ outcome: 'rejected', reason: 'busy' }, { outcome: 'stored' }])
      expect(later.json.users).toEqual([{ outcome: 'stored' }, { outcome: 'unchanged' }])
      const { json: user } = await running.call('GET', `/users?username=${staged}`)
      expect(user).toMatchObject({ name: staged, domains: [running.domain.id] })
    },
  )

  it('two imports at once store each app once, in whatever order their users stand', async () => {
    const people = Array.from({ length: 20 }, () => ({
      username: unique(),
      app: appOfElsewhere().app,
      recovery: ['4fgh-82kq'],
    }))

    const answers = await Promise.all([
      importing(people, { addUsers: true }),
      importing(people.toReversed(), { addUsers: true }),
    ])

    const outcomes = answers.flatMap(({ json }) => json.users as { outcome: string; reason?: string }[])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(outcomes.filter(({ outcome }) => outcome === 'stored')).toHaveLength(20)
    expect(
      outcomes.filter(({ outcome, reason }) => outcome !== 'stored' && outcome !== 'unchanged' && reason !== 'busy'),
    ).toEqual([])
    expect((await importing(people)).json.users).toEqual(people.map(() => ({ outcome: 'unchanged' })))
  })

  inFullRun('of two imports with other apps of one user at once, one is stored', async () => {
    const { username, signIn } = await member(running)
    const apps = [appOfElsewhere(), appOfElsewhere()]

    const answers = await Promise.all(apps.map(({ app }) => importing([{ username, app }])))

    const stored = answers.map(({ json }) => json.users[0].outcome === 'stored')
    expect(stored.filter(Boolean)).toHaveLength(1)
    const code = apps[stored.indexOf(true)]?.codeAt(running.clock.now())
    expect(await signIn({ otp: code })).toMatchObject({ state: 'approved' })
  })

  inFullRun('an import leaves one audit entry a batch and one a user, without a name or a seed', async () => {
    const [one, other] = [await member(running), await member(running)]
    const before = await entriesOf(node.ctx.store.db)

    await importing([
      { username: one.username, app: appOfElsewhere().app, recovery: ['4fgh-82kq'] },
      { username: other.username, app: appOfElsewhere().app },
      { username: unique(), app: appOfElsewhere().app },
    ])

    const entries = (await entriesOf(node.ctx.store.db)).filter(({ hash }) =>
      before.every((entry) => entry.hash !== hash),
    )
    expect(entries.map(({ event, facts }) => [event, facts])).toEqual([
      ['factors.imported', { hardware: expect.any(String), domain: running.domain.id, user: one.id, count: 1 }],
      ['factors.imported', { hardware: expect.any(String), domain: running.domain.id, user: other.id, count: 0 }],
      ['factors.batch_imported', { domain: running.domain.id, count: 2, added: 0, skipped: 1 }],
    ])
    await importing([{ username: unique(), app: appOfElsewhere().app }])
    expect(await entriesOf(node.ctx.store.db)).toHaveLength(before.length + 3)
  })

  it('an import does not bring back the app of a user whose factors an administrator removed', async () => {
    const { id: userId, username, signIn } = await member(running)
    const { app, codeAt } = appOfElsewhere()
    await importing([{ username, app }])
    await resetUser(node.ctx, { organizationId: running.organization.id, userId })

    const { json } = await importing([{ username, app }])

    expect(json.users).toEqual([{ outcome: 'rejected', reason: 'reset' }])
    expect(await signIn({ otp: codeAt(running.clock.now()) })).toMatchObject({ state: 'denied' })
  })
})
