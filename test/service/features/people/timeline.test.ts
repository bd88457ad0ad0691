import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { TimelineEntry } from '../../../../src/admin-contract/timeline.ts'
import { unlockUser } from '../../../../src/service/features/people/unlock.ts'
import { pruneAudit } from '../../../../src/service/engine/audit/retention.ts'
import { countSignIns } from '../../../../src/service/features/sessions/count-sign-ins.ts'
import { sweep } from '../../../../src/service/upkeep/sweep.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { personWithDevice } from '../callers/phone-caller.ts'
import type { Person } from '../callers/phone-caller.ts'
import { activateDevice } from '../../start-service.ts'

type Administrator = Awaited<ReturnType<typeof administrator>>

describe.each(mainEngines)('the timeline of a person, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let helpdesk: Administrator
  let owner: Administrator
  let person: Person

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    running.clock.skip(600)
    helpdesk = await administrator(running, { role: 'helpdesk', domains: [running.domain.id] })
    owner = await administrator(running, { role: 'owner' })
    person = await personWithDevice(running)
  })

  const read = async (by = helpdesk, query = '') =>
    (await by.call('GET', `/people/${person.id}/timeline${query}`)).json as {
      waiting: { id: string }[]
      entries: TimelineEntry[]
      names: Record<string, string>
      next?: string
    }
  const eventsOf = ({ entries }: { entries: readonly TimelineEntry[] }) => entries.map(({ event }) => event)
  const ask = async (domainId = running.domain.id) =>
    (
      await running.call('POST', `/domains/${domainId}/sessions`, {
        body: {
          user: { id: person.id },
          attributes: [{ key: 'Browser', value: 'Firefox' }],
          ipAddress: '203.0.113.7',
        },
      })
    ).json
  async function approve() {
    const { id } = await ask()
    const request = (await person.pending()).find((each) => each.id === id)!
    await person.device.answer(request.id, { nonce: request.nonce, decision: 'approve' })
    return id as string
  }
  const wrongCode = (domainId = running.domain.id) =>
    running.call('POST', `/domains/${domainId}/sessions`, {
      body: { user: { id: person.id }, bypasscode: '000000000' },
    })
  const createCode = () =>
    owner.call('POST', `/people/${person.id}/bypass-codes`, {
      body: { because: 'lost_device', usesAllowed: 1, expirationTime: 60 },
    })
  /** A sweep removes the sessions that are no longer kept. */
  async function pass(seconds: number) {
    running.clock.skip(seconds)
    await sweep(running.ctx)
  }
  /** In days, as the audit trail counts them. */
  const prune = () => pruneAudit(running.ctx, running.clock.now() + 1)
  const stored = async () => {
    const { db } = running.ctx.store
    return db
      .selectFrom('timelineEntry')
      .innerJoin('user', 'user.sequence', 'timelineEntry.userSequence')
      .select('timelineEntry.position')
      .where('user.id', '=', person.id)
      .execute()
  }

  inFullRun('the timeline of a person comes in pages, with each entry once', async () => {
    for (let count = 0; count < 25; count++) {
      await wrongCode()
      const subject = { organizationId: running.organization.id, userId: person.id, domainIds: [running.domain.id] }
      await unlockUser(running.ctx, subject)
    }

    const first = await read(helpdesk, '?kind=sign_ins')
    const second = await read(helpdesk, `?kind=sign_ins&before=${first.next}`)

    const positions = [...first.entries, ...second.entries].map(({ position }) => position)
    expect([first.entries.length, second.entries.length, second.next]).toEqual([20, 5, undefined])
    expect(new Set(positions).size).toBe(25)
  })

  inFullRun('the timeline of a person has each entry once when two processes record it at the same time', async () => {
    await approve()

    await Promise.all([countSignIns(running.ctx), countSignIns(running.ctx)])

    expect(eventsOf(await read(helpdesk, '?kind=sign_ins'))).toEqual(['session.approved'])
  })

  it('timeline entries are removed with the audit trail, and with the person', async () => {
    await approve()
    await countSignIns(running.ctx)
    const before = await stored()
    await prune()
    const afterPruning = await stored()
    await approve()
    await countSignIns(running.ctx)
    const entriesLater = await stored()
    await running.call('DELETE', `/users/${person.id}`)
    const { db } = running.ctx.store
    const remainingEntries = await db
      .selectFrom('timelineEntry')
      .select('position')
      .where('position', '=', entriesLater[0]!.position)
      .execute()

    expect(before.length).toBeGreaterThan(2)
    expect([afterPruning.length, entriesLater.length, remainingEntries]).toEqual([0, 1, []])
  })

  inFullRun(
    'the timeline shows sign-ins and changes together, newest first, each with who did it and why',
    async () => {
      const session = await approve()
      await createCode()

      const { entries, names } = await read()

      const created = entries.find(({ event }) => event === 'bypass.created')
      expect(eventsOf({ entries }).slice(0, 4).toSorted()).toEqual([
        'bypass.created',
        'codes.unlocked',
        'push.unlocked',
        'session.approved',
      ])
      expect(created).toMatchObject({
        actor: { kind: 'administrator', id: owner.id },
        facts: { because: 'lost_device' },
      })
      expect(names[owner.id]).toBe('Olivia Owner')
      expect(entries[3]?.signIn).toMatchObject({
        id: session,
        state: 'approved',
        factor: 'push',
        address: '203.0.113.7',
        knownBrowser: false,
      })
    },
  )

  inFullRun('the timeline of a person still has sign-ins after a day, also those of a replaced device', async () => {
    const session = await approve()
    await wrongCode()
    await owner.call('POST', `/people/${person.id}/domains/${running.domain.id}/token/revoke`, {
      body: { because: 'lost_device' },
    })
    await pass(26 * 60 * 60)
    helpdesk = await administrator(running, { role: 'helpdesk', domains: [running.domain.id] })

    const { entries } = await read(helpdesk, '?kind=sign_ins')

    expect(entries.map(({ signIn }) => signIn?.state)).toEqual(['denied', 'approved'])
    expect(entries[1]?.signIn).toMatchObject({ id: session, domain: running.domain.id, factor: 'push' })
  })

  inFullRun(
    'the timeline says for more than a day where sign-ins answered by the current device came from',
    async () => {
      await approve()
      await pass(26 * 60 * 60)
      helpdesk = await administrator(running, { role: 'helpdesk', domains: [running.domain.id] })

      const { entries } = await read(helpdesk, '?kind=sign_ins')

      expect(entries).toMatchObject([
        { signIn: { address: '203.0.113.7', attributes: [{ key: 'Browser', value: 'Firefox' }] } },
      ])
    },
  )

  inFullRun('the timeline of a person can be filtered by sign-ins and by changes', async () => {
    await approve()
    await createCode()

    const [signIns, changes] = [await read(helpdesk, '?kind=sign_ins'), await read(helpdesk, '?kind=changes')]

    expect(eventsOf(signIns)).toEqual(['session.approved'])
    expect(eventsOf(changes)).toContain('bypass.created')
    expect(eventsOf(changes).some((event) => event.startsWith('session.'))).toBe(false)
  })

  inFullRun('the timeline of a person says on its first page which sign-ins wait for an answer', async () => {
    const { id } = await ask()

    const [all, changes] = [await read(), await read(helpdesk, '?kind=changes')]

    expect([all.waiting.map((each) => each.id), changes.waiting]).toEqual([[id], []])
  })

  inFullRun(
    'the timeline shows pending sign-ins only in the administrator’s domains, until their time is over',
    async () => {
      const { administration } = running.service
      const other = await administration.createDomain(running.organization.id, { name: `Waiting ${person.id}` })
      await running.call('PUT', `/domains/${other.id}/users/${person.id}`)
      const { json: token } = await running.call('PUT', `/domains/${other.id}/users/${person.id}/token`)
      await activateDevice(running.origin, running.clock, token.code)
      const [here, there] = [await ask(), await ask(other.id)]

      const [limited, all] = [await read(), await read(owner)]
      running.clock.skip(91)
      const later = await read(owner)

      const idsOf = ({ waiting }: typeof all) => new Set(waiting.map(({ id }) => id))
      expect([idsOf(limited), idsOf(all), idsOf(later)]).toEqual([
        new Set([here.id]),
        new Set([here.id, there.id]),
        new Set(),
      ])
    },
  )

  it('the timeline of a person has no entries about other people', async () => {
    const another = await personWithDevice(running)
    await createCode()

    const mine = await read()
    person = another
    const theirs = await read()

    expect(eventsOf(mine)).toContain('bypass.created')
    expect(eventsOf(theirs)).not.toContain('bypass.created')
  })

  it('the timeline of a person shows an administrator of some domains nothing about other domains', async () => {
    const { administration } = running.service
    const other = await administration.createDomain(running.organization.id, { name: `Other ${person.id}` })
    await running.call('PUT', `/domains/${other.id}/users/${person.id}`)
    await wrongCode(other.id)

    const [limited, all] = [await read(), await read(owner)]

    const domainsOf = ({ entries }: typeof limited) => new Set(entries.map(({ facts }) => facts['domain']))
    expect(domainsOf(limited)).not.toContain(other.id)
    expect(domainsOf(all)).toContain(other.id)
    expect(JSON.stringify(limited)).not.toContain(other.id)
  })

  it('changes in the timeline name no address, and no id of a key, device, session or factor', async () => {
    const sessionId = await approve()
    await createCode()
    const { json: user } = await running.call('GET', `/users/${person.id}`)

    const { entries } = await read(owner, '?kind=changes')

    const text = JSON.stringify(entries)
    expect(entries.map(({ event }) => event)).toEqual(expect.arrayContaining(['bypass.created', 'activation.used']))
    for (const id of [user.bypasscodes[0], person.signer.id, sessionId]) expect(text).not.toContain(id)
    expect(text).not.toContain('"address"')
    expect(entries.filter(({ actor }) => actor.kind !== 'administrator').map(({ actor }) => actor.id)).toEqual(
      entries.filter(({ actor }) => actor.kind !== 'administrator').map(() => ''),
    )
  })
})
