import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { endUserSessions } from '../../../../src/service/features/people/end-sessions.ts'
import { unlockUser } from '../../../../src/service/features/people/unlock.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { unique } from '../codes/code-holder.ts'
import { read } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console, ConsoleBrowser, Invited } from '../administrators/console-holder.ts'
import { askedCaller, personWithDevice } from '../callers/phone-caller.ts'
import type { Person } from '../callers/phone-caller.ts'

const because = 'locked_out'
const day = 24 * 60 * 60

describe.each(mainEngines)('limits of a person that administrators lift, on %s,', (engine) => {
  const newDatabase = useEngine(engine)
  let mail: MailServer
  let running: Console
  let otherDomain: string

  beforeAll(async () => {
    mail = await startMailServer()
    const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
    running = await startConsole(await newDatabase(), { smtp, authenticatorUrl: 'https://mfa.example' })
    otherDomain = (await running.service.administration.createDomain(running.organization.id, { name: unique() })).id
  })
  afterAll(async () => {
    await running.close()
    await mail.close()
  })
  beforeEach(() => running.clock.skip(day))

  const signedIn = (invited: Invited) => administrator(running, { email: `${unique()}@example.org`, ...invited })
  const owner = () => signedIn({ role: 'owner' })
  const helpdesk = () => signedIn({ role: 'helpdesk', domains: [running.domain.id] })
  const unlock = ({ call }: ConsoleBrowser, { id }: Pick<Person, 'id'>) =>
    call('POST', `/people/${id}/unlock`, { body: { because } })
  const endSessions = ({ call }: ConsoleBrowser, { id }: Pick<Person, 'id'>) =>
    call('POST', `/people/${id}/end-sessions`, { body: { because } })
  const makeCode = ({ call }: ConsoleBrowser, { id }: Pick<Person, 'id'>) =>
    call('POST', `/people/${id}/bypass-codes`, { body: { usesAllowed: 1, expirationTime: 60, because } })
  /** Types a wrong code. @returns whether it was checked. */
  async function guess({ id }: Pick<Person, 'id'>): Promise<boolean> {
    const body = { user: { id }, otp: '000000' }
    return (await running.call('POST', `/domains/${running.domain.id}/sessions`, { body })).status === 200
  }
  /** The command line is beside the service. */
  const unlockAtCommandLine = ({ id: userId }: Pick<Person, 'id'>) =>
    unlockUser(running.ctx, { organizationId: running.organization.id, userId, domainIds: [running.domain.id] })
  const outcome = ({ status, code }: { status: number; code?: string | undefined }) => code ?? status
  const limited = 'api.error.toomanyrequests'

  it('lifting a person’s limits is counted exactly when many requests do it at once', async () => {
    const [olivia, person] = [await owner(), await personWithDevice(running)]

    const answers = await Promise.all(Array.from({ length: 8 }, () => endSessions(olivia, person)))

    expect(answers.map((answer) => String(outcome(answer))).toSorted()).toEqual([
      ...Array(5).fill('200'),
      ...Array(3).fill(limited),
    ])
  })

  /** The help desk with a caller whom it has verified, which counts for ten minutes. */
  async function verified(person: Person) {
    const hal = await helpdesk()
    await (await askedCaller(hal, person)).confirm()
    return hal
  }

  it('the help desk needs a verified caller or a consent to lift a person’s limits', async () => {
    const person = await personWithDevice(running)
    const hal = await helpdesk()
    await guess(person)

    const alone = [await unlock(hal, person), await endSessions(hal, person)]
    await (await askedCaller(hal, person)).confirm()
    const afterwards = [await unlock(hal, person), await endSessions(hal, person)]

    expect(alone.map(outcome)).toEqual(Array(2).fill('api.error.forbidden.guarded'))
    expect(afterwards.map(outcome)).toEqual([200, 200])
  })

  it('an attacker with the help desk gets at most 30 more codes a day by unlocking and recovery codes', async () => {
    const person = await personWithDevice(running)
    const hal = await verified(person)
    let checked = 0
    const answers: (string | number)[] = []
    for (let round = 0; round < 6; round += 1) {
      while (await guess(person)) checked += 1
      answers.push(outcome(await (round % 2 === 0 ? unlock : makeCode)(hal, person)))
    }

    expect(answers).toEqual([200, 200, 200, limited, limited, limited])
    expect(checked).toBe(40)
  })

  it('an owner and the command line can lift limits after the help desk has used up its times', async () => {
    const person = await personWithDevice(running)
    const [hal, olivia] = [await verified(person), await owner()]
    const answers: (string | number)[] = []
    for (const by of [hal, hal, hal, hal, olivia, olivia, olivia]) {
      await guess(person)
      answers.push(outcome(await unlock(by, person)))
    }
    for (let times = 0; times < 10; times += 1) await guess(person)
    const locked = await guess(person)
    await unlockAtCommandLine(person)

    expect(answers).toEqual([200, 200, 200, limited, 200, 200, limited])
    expect([locked, await guess(person)]).toEqual([false, true])
  })

  inFullRun('the help desk can lift a person’s limits again a day after it has used up its times', async () => {
    const person = await personWithDevice(running)
    const hal = await verified(person)
    for (let times = 0; times < 3; times += 1) {
      await guess(person)
      await unlock(hal, person)
    }
    await guess(person)
    const before = await unlock(hal, person)
    running.clock.skip(day)

    expect([outcome(before), outcome(await unlock(await verified(person), person))]).toEqual([limited, 200])
  })

  inFullRun('lifting a person’s limits is not counted where there is nothing to lift', async () => {
    const person = await personWithDevice(running)
    const hal = await verified(person)

    const answers = []
    for (let times = 0; times < 5; times += 1) answers.push(outcome(await unlock(hal, person)))

    expect(answers).toEqual(Array(5).fill(200))
  })

  it('an administrator of one domain cannot lift the limits of a person who is in another domain too', async () => {
    const person = await personWithDevice(running)
    await running.call('PUT', `/domains/${otherDomain}/users/${person.id}`)
    const [ada, hal] = [await signedIn({ role: 'admin', domains: [running.domain.id] }), await verified(person)]
    await guess(person)

    const answers = [
      await unlock(ada, person),
      await endSessions(ada, person),
      await unlock(hal, person),
      await endSessions(hal, person),
    ]
    const { json } = await ada.call('POST', '/bulk-jobs', { body: { action: 'unlock', because, people: [person.id] } })

    expect(answers.map(outcome)).toEqual(Array(4).fill('api.error.forbidden.elsewhere'))
    expect(json).toMatchObject({ people: 0, leftOut: [{ reason: 'elsewhere', people: 1 }] })
  })

  it('only admins and owners lift limits for many people at once, and for no one too often', async () => {
    const person = await personWithDevice(running)
    const [olivia, hal] = [await owner(), await helpdesk()]
    for (let times = 0; times < 5; times += 1) {
      await guess(person)
      await unlock(olivia, person)
    }
    const prepare = ({ call }: ConsoleBrowser) =>
      call('POST', '/bulk-jobs', { body: { action: 'unlock', because, people: [person.id] } })

    expect((await prepare(olivia)).json).toMatchObject({ people: 0, leftOut: [{ reason: 'limit', people: 1 }] })
    expect((await prepare(hal)).code).toBe('api.error.forbidden')
  })

  it('the help desk can end a person’s web sessions three times a day, and an owner twice more', async () => {
    const person = await personWithDevice(running)
    const [hal, olivia] = [await verified(person), await owner()]
    const answers: (string | number)[] = []
    for (const by of [hal, hal, hal, hal, olivia, olivia, olivia]) answers.push(outcome(await endSessions(by, person)))
    await endUserSessions(running.ctx, { organizationId: running.organization.id, userId: person.id })

    expect(answers).toEqual([200, 200, 200, limited, 200, 200, limited])
  })

  it('a person is notified of lifted limits by mail and on the device', async () => {
    const person = await personWithDevice(running)
    const email = `${unique()}@example.com`
    await running.call('PUT', `/users/${person.id}`, { body: { email } })
    const hal = await verified(person)
    await guess(person)
    await unlock(hal, person)
    await endSessions(hal, person)
    const subjects = () =>
      mail.mails.filter(({ to }) => to.includes(email)).map(({ headers }) => headers.get('subject'))
    await vi.waitFor(() => expect(subjects()).toHaveLength(2), { timeout: 5_000 })
    const { json } = await read(await person.device.inbox())

    const { name } = running.organization
    expect(new Set(subjects())).toEqual(
      new Set([
        `You were signed out of all apps at ${name}`,
        `Your codes and sign-in requests were unlocked at ${name}`,
      ]),
    )
    expect(json.accessNotices.map(({ kind }: { kind: string }) => kind)).toEqual(['signed_out', 'unlocked'])
    // Older authenticators accept no other kind there.
    expect(json.notices ?? []).not.toContainEqual(expect.objectContaining({ kind: 'unlocked' }))
  })

  it('the owners are notified when one administrator has acted on more than 100 people in 24 hours', async () => {
    const email = `${unique()}@example.org`
    await signedIn({ role: 'owner', email })
    const ada = await signedIn({ role: 'owner', name: 'Ada' })
    const [first, second] = [await personWithDevice(running), await personWithDevice(running)]
    const alertTexts = () => mail.mails.filter(({ to }) => to.includes(email)).map(({ text }) => text)
    const now = running.clock.now()
    await running.ctx.store.db
      .insertInto('tally')
      .values({ scope: `changed ${ada.id}`, at: now, count: 99 })
      .execute()

    await endSessions(ada, first)
    await endSessions(ada, first)
    const before = alertTexts()
    await endSessions(ada, second)
    await vi.waitFor(() => expect(alertTexts()).toHaveLength(1), { timeout: 5_000 })

    expect(before).toEqual([])
    expect(alertTexts()[0]).toContain('In 24 hours, Ada has acted on 101 users.')
  })
})
