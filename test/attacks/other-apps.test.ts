import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { adminOperations } from '../../src/admin-contract/operations.ts'
import { mayCall } from '../../src/contract/roles.ts'
import type { AdminRole } from '../../src/contract/roles.ts'
import { hardwareToken, unique } from '../service/features/codes/code-holder.ts'
import { administrator, inviteAt, startConsole } from '../service/features/administrators/console-holder.ts'
import type { Console } from '../service/features/administrators/console-holder.ts'
import { askCaller, personWithDevice } from '../service/features/callers/phone-caller.ts'
import { activateDevice } from '../service/start-service.ts'
import { useEngine } from '../support/engines.ts'

const reads = adminOperations.filter(({ endpoint }) => endpoint.method === 'GET' && endpoint.admin?.role !== 'none')
const roles = ['admin', 'helpdesk', 'auditor'] as const

let running: Console
/** Of the attacker's app, and what only another app has. */
let ids: Record<string, readonly string[]>
const foreign = new Map<string, string>()
const attackers = new Map<AdminRole, Awaited<ReturnType<typeof administrator>>>()

const newDatabase = useEngine('SQLite')

beforeAll(async () => {
  running = await startConsole(await newDatabase())
  const { call, domain, organization, service } = running
  const note = (label: string, value: string) => void foreign.set(label, value)
  const created = await service.administration.createDomain(organization.id, { name: 'Secretwiki' })
  note('domain', created.id)
  note('name of the domain', 'Secretwiki')
  const person = await personWithDevice(running, created.id, { name: 'Foreigncomputer' })
  note('person', person.id)
  note('name of a device', 'Foreigncomputer')
  // A person of both apps, with a device in the other one only.
  const shared = await personWithDevice(running, created.id, { name: 'Wombatphone ~~' })
  note('name of a device of a shared person', 'Wombatphone')
  await call('PUT', `/domains/${domain.id}/users/${shared.id}`)
  const ownPerson = await personWithDevice(running, domain.id, { name: 'Ownphone' })
  const { id: hardware } = await hardwareToken(running)
  await call('PUT', `/users/${person.id}/hardware/${hardware}`)
  note('hardware token', hardware)
  const limited = { role: 'helpdesk', domains: [created.id] } as const
  const colleague = await administrator(running, { ...limited, name: 'Foreign Agent', email: 'agent@foreign.example' })
  note('administrator', colleague.id)
  note('name of the administrator', 'Foreign Agent')
  note('address of the administrator', 'agent@foreign.example')
  await inviteAt(running, { ...limited, name: 'Foreign Guest', email: 'guest@foreign.example' })
  note('name of the invited', 'Foreign Guest')
  note('address of the invited', 'guest@foreign.example')
  // An auditor of both apps, whose record says so.
  const auditorOptions = { role: 'auditor', domains: [domain.id, created.id], email: 'both@example.net' } as const
  const auditor = await administrator(running, auditorOptions)
  running.clock.skip(600)
  const owner = await administrator(running, { role: 'owner', email: 'owner@example.net' })
  const { json: key } = await owner.call('POST', '/api-keys', { body: { role: 'auth', domain: created.id } })
  note('API key', key.id)
  const { json: callerQuestion } = await askCaller(owner, shared)
  note('question to a caller', callerQuestion.id)
  const job = { action: 'remove_member', because: 'left', domain: created.id, people: [shared.id] }
  const { json: client } = await owner.call('POST', `/domains/${created.id}/oidc-clients`, {
    body: { name: 'Foreign client', kind: 'sign-in', redirectUris: ['https://foreign.example/callback'] },
  })
  note('client', client.id)
  note('redirect address', 'https://foreign.example/callback')
  const { json: prepared } = await owner.call('POST', '/bulk-jobs', { body: job })
  await owner.call('POST', `/bulk-jobs/${prepared.id}/start`, { body: { people: 0 } })
  note('job', prepared.id)
  const invitations = (await owner.call('GET', '/invitations')).json as { id: string; email: string }[]
  const invitation = invitations.find(({ email }) => email === 'guest@foreign.example')!
  note('invitation', invitation.id)
  for (const role of roles) {
    running.clock.skip(600)
    attackers.set(role, await administrator(running, { role, domains: [domain.id], email: `${role}@example.net` }))
  }
  running.clock.skip(3)
  ids = {
    domainId: [domain.id, created.id],
    userId: [ownPerson.id, shared.id, person.id],
    administratorId: [owner.id, auditor.id, colleague.id, ...[...attackers.values()].map(({ id }) => id)],
    bulkJobId: [prepared.id],
    callerVerificationId: [callerQuestion.id],
    hardwareTokenId: [hardware],
    invitationId: [invitation.id],
    apiKeyId: [key.id],
    oidcClientId: [client.id],
    passkeyId: [ownPerson.id],
  }
})
afterAll(() => running.close())

/** The path with each of the ids that fit. */
function pathsOf(path: string): string[] {
  const [, name] = /:(\w+)/.exec(path) ?? []
  if (name === undefined) return [path.replace(/^\/admin/, '')]
  return (ids[name] ?? []).flatMap((id) => pathsOf(path.replace(`:${name}`, id)))
}

describe('an administrator of one app', () => {
  it.each(reads.map(({ name, endpoint }) => [name, endpoint] as const))(
    'an administrator of one app reads nothing of another app by %s',
    async (_name, endpoint) => {
      const paths = pathsOf(endpoint.path)
      const searches = 'q' in (endpoint.query?.shape ?? {}) ? ['', '?q=phone', '?q=example.com'] : ['']
      const leaks: string[] = []
      let answerCount = 0

      for (const role of roles.filter((candidate) => mayCall(candidate, endpoint as never))) {
        const { call } = attackers.get(role)!
        for (const path of paths.flatMap((base) => searches.map((search) => `${base}${search}`))) {
          const { status, text } = await call('GET', path)
          answerCount += status < 500 ? 1 : 0
          for (const [label, value] of foreign) {
            if (text.includes(value)) leaks.push(`${role} reads the ${label} at ${path}`)
          }
        }
      }

      expect(paths).not.toEqual([])
      expect(answerCount).toBeGreaterThan(0)
      expect(leaks).toEqual([])
    },
  )

  it('an administrator does not find people by the name of a device in another app, however they search', async () => {
    const { call } = attackers.get('helpdesk')!
    // The help desk unlocks nobody in bulk.
    const admin = attackers.get('admin')!
    await admin.confirm()
    const find = async (q: string) => (await call('GET', `/people?q=${encodeURIComponent(q)}`)).json.people.length
    const prepare = async (q: string) =>
      (await admin.call('POST', '/bulk-jobs', { body: { action: 'unlock', because: 'test', search: { q } } })).json
        .people

    expect(await find('ownphone')).toBe(1)
    const texts = ['wombatphone', 'person wombat', 'person ~~', '~~']
    expect(await Promise.all(texts.map(find))).toEqual([0, 0, 0, 0])
    expect([await prepare('ownphone'), await prepare('wombatphone')]).toEqual([1, 0])
    for (const q of ['wombatphone', 'example.com wombat']) {
      const { text } = await call('GET', `/exports/people.jsonl?q=${encodeURIComponent(q)}`)
      expect(text).toBe('')
    }
  })

  it('an administrator does not find hardware tokens by the name of a device in another app', async () => {
    const user = await personWithDevice(running, foreign.get('domain'), { name: 'Quokkatablet' })
    await running.call('PUT', `/domains/${running.domain.id}/users/${user.id}`)
    const { id, show } = await hardwareToken(running)
    await running.call('PUT', `/users/${user.id}/hardware/${id}`)
    const { serialNumber } = await show()
    const { call } = attackers.get('helpdesk')!
    const find = async (q: string) =>
      (await call('GET', `/stock?q=${q}`)).json.tokens.map((token: { serialNumber: string }) => token.serialNumber)

    expect([await find('quokkatablet'), await find(serialNumber)]).toEqual([[], [serialNumber]])
  })

  it('an administrator does not see administrators and invitations of another app', async () => {
    const { call } = attackers.get('auditor')!
    const [colleague, invitation] = [foreign.get('administrator')!, foreign.get('invitation')!]

    const listed = (await call('GET', '/administrators')).json.map(({ id }: { id: string }) => id)
    const answers = await Promise.all(
      ['', '/sessions'].map((part) => call('GET', `/administrators/${colleague}${part}`)),
    )

    expect(answers.map(({ code }) => code)).toEqual(Array.from({ length: 2 }, () => 'api.error.notfound.administrator'))
    expect(listed).toContain(attackers.get('admin')!.id)
    expect((await call('GET', '/invitations')).text).not.toContain(invitation)
  })

  it('an administrator does not learn of people in another app from colleagues with the same e-mail address', async () => {
    const ownerAdmin = await administrator(running, { role: 'owner', email: `${unique()}@example.com` })
    const { id: colleague } = attackers.get('admin')!
    const [stranger, known] = [foreign.get('person')!, (await personWithDevice(running)).id]
    for (const user of [stranger, known])
      await ownerAdmin.call('PUT', `/administrators/${colleague}/record`, { body: { user, own: false } })
    const { call } = attackers.get('auditor')!

    const { json } = await call('GET', `/administrators/${colleague}`)

    expect((await ownerAdmin.call('GET', `/administrators/${colleague}`)).json.namesakes.toSorted()).toEqual(
      [stranger, known].toSorted(),
    )
    expect(json.namesakes).toEqual([known])
  })

  it('an administrator does not learn of people in another app from their own e-mail address and record', async () => {
    const ownerAdmin = await administrator(running, { role: 'owner', email: `${unique()}@example.com` })
    const helpdeskAdmin = await administrator(running, { role: 'helpdesk', domains: [running.domain.id] })
    const [stranger, known] = [foreign.get('person')!, (await personWithDevice(running)).id]
    const decide = (user: string, isOwn: boolean) =>
      ownerAdmin.call('PUT', `/administrators/${helpdeskAdmin.id}/record`, { body: { user, own: isOwn } })
    const read = async () => (await helpdeskAdmin.call('GET', '/session')).json.administrator
    for (const user of [stranger, known]) await decide(user, false)

    const ownRecord = await read()
    await decide(stranger, true)

    expect(ownRecord.namesakes).toEqual([known])
    expect((await ownerAdmin.call('GET', `/administrators/${helpdeskAdmin.id}`)).json.user).toBe(stranger)
    expect((await read()).user).toBeNull()
  })

  it('an administrator does not see that a person has a device in another app', async () => {
    const user = await personWithDevice(running, foreign.get('domain'), { name: unique() })
    const path = `/domains/${running.domain.id}/users/${user.id}`
    await running.call('PUT', path)
    const { call } = attackers.get('helpdesk')!

    const factorsBefore = (await call('GET', `/people/${user.id}`)).json.factors
    const { json: token } = await running.call('PUT', `${path}/token`)
    await activateDevice(running.origin, running.clock, token.code)
    const factorsAfter = (await call('GET', `/people/${user.id}`)).json.factors

    expect([factorsBefore, factorsAfter]).toEqual([[], expect.arrayContaining(['push'])])
  })

  it.each(['____', '%%%%', '__', '%', '___________'])(
    'an administrator who searches for %s lists neither people nor hardware tokens',
    async (q) => {
      await hardwareToken(running)
      const { call } = attackers.get('helpdesk')!

      const people = (await call('GET', `/people?q=${encodeURIComponent(q)}`)).json.people
      const { tokens } = (await call('GET', `/stock?q=${encodeURIComponent(q)}`)).json

      expect([people, tokens]).toEqual([[], []])
    },
  )
})
