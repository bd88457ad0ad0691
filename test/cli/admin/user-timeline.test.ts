import { afterEach, describe, expect, it } from 'vitest'

import { systemClock } from '../../../src/ground/clock.ts'
import { withService } from '../../../src/cli/admin/local-service.ts'
import { createSession } from '../../../src/contract/sessions.ts'
import { listen } from '../../../src/service/engine/http/listen.ts'
import { createService } from '../../../src/service/index.ts'
import { activateDevice } from '../../service/start-service.ts'
import { inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { place, admin, json } = useDatabase()

let close: () => Promise<void> = () => Promise.resolve()
afterEach(() => close())

const createAlice = () =>
  json('user', 'create', 'alice', '--name', 'Alice', '--email', 'a@example.com', '--domain', 'Intranet')

/** Alice signs in, by a recovery code or else by a request to her device. */
const signIn = (id: string, bypasscode?: string) =>
  withService({ database: place.database }, async ({ call }) => {
    const attributes = [{ key: 'Browser', value: 'Firefox' }]
    const body = { user: { id }, attributes, ipAddress: '203.0.113.7', ...(bypasscode && { bypasscode }) }
    await call(createSession, { params: { domainId: place.domainId }, body })
  })

async function enrollAlice() {
  const service = await createService({ database: place.database })
  const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
  close = async () => {
    await listening.close()
    await service.close()
  }
  const { code } = await json('token', 'issue', 'alice', '--domain', 'Intranet')
  await activateDevice(`http://127.0.0.1:${listening.port}`, systemClock, code)
}

const eventsIn = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/)[1])

describe('second-factor user timeline', () => {
  inFullRun('second-factor user timeline lists sign-ins and changes, newest first, or one of the two', async () => {
    const { id } = await createAlice()
    const { code } = await json('bypass', 'create', 'alice')
    await signIn(id, code)
    await admin('user', 'unlock', 'alice')

    const { stdout } = await admin('user', 'timeline', 'alice')
    const signIns = await admin('user', 'timeline', 'alice', '--sign-ins')
    const changes = await admin('user', 'timeline', 'alice', '--changes')

    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(/^Time +Event +Domain +Actor +Details$/)
    expect(eventsIn(stdout)).toEqual([
      'push.unlocked',
      'codes.unlocked',
      'session.approved',
      'bypass.created',
      'membership.added',
      'user.created',
    ])
    expect(lines[3]).toMatch(/ Intranet +cli +factor=bypass address=203\.0\.113\.7 known-browser=no Browser=Firefox$/)
    expect(eventsIn(signIns.stdout)).toEqual(['session.approved'])
    expect(eventsIn(changes.stdout)).toEqual(eventsIn(stdout).filter((event) => event !== 'session.approved'))
  })

  inFullRun('second-factor user timeline begins with the sign-ins that wait for an answer', async () => {
    const { id } = await createAlice()
    await enrollAlice()
    await signIn(id)

    const { stdout } = await admin('user', 'timeline', 'alice', '--sign-ins')
    const changes = await json('user', 'timeline', 'alice', '--changes')

    expect(stdout).toMatch(/^2\S+ +waiting +Intranet +- +address=203\.0\.113\.7 known-browser=no Browser=Firefox$/m)
    expect(changes.waiting).toEqual([])
  })

  inFullRun('second-factor user timeline reads as many entries as requested, and names domains', async () => {
    await createAlice()
    for (let times = 0; times < 12; times += 1) await admin('user', 'unlock', 'alice')

    const limitedEvents = await json('user', 'timeline', 'alice', '--limit', '21')
    const allEvents = await json('user', 'timeline', 'alice')

    expect([limitedEvents.entries.length, allEvents.entries.length]).toEqual([21, 26])
    expect(limitedEvents.entries).toEqual(allEvents.entries.slice(0, 21))
    expect(allEvents.names).toEqual({ [place.domainId]: 'Intranet' })
  })

  it('second-factor user timeline says what to do about an unknown user, and about options that exclude each other', async () => {
    const unknown = await admin('user', 'timeline', 'alice')
    const bothOptions = await admin('user', 'timeline', 'alice', '--sign-ins', '--changes')

    expect([unknown.code, unknown.stderr]).toEqual([1, 'No user "alice". See: second-factor user list\n'])
    expect([bothOptions.code, bothOptions.stderr]).toEqual([2, expect.stringContaining('--changes')])
  })
})
