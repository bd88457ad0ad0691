import { expect, it } from 'vitest'

import type { ImportedUser } from '../../../../src/contract/factor-import.ts'
import { createCall, newUser } from '../../start-service.ts'
import { operation } from '../../operation.ts'
import type { Subject } from '../../operation.ts'
import { holder, member, unique } from '../codes/code-holder.ts'
import { appOfElsewhere } from './app-of-elsewhere.ts'

operation('POST /domains/{domainId}/factors/import', (subject) => {
  const importing = (users: readonly ImportedUser[], more: object = {}) =>
    subject().call('POST', `/domains/${subject().domain.id}/factors/import`, { body: { users, ...more } })
  const outcomes = async (users: readonly ImportedUser[], more: object = {}) =>
    (await importing(users, more)).json.users

  it.each([
    { algorithm: 'SHA1', digits: 6, period: 30 },
    { algorithm: 'SHA256', digits: 8, period: 60 },
    { algorithm: 'SHA512', digits: 7, period: 15 },
  ] as const)('an imported app signs its user in: $algorithm, $digits digits, $period s', async (parameters) => {
    const person = await member(subject())
    const { app, codeAt } = appOfElsewhere(parameters)

    const { json } = await importing([{ username: person.username, app }])

    expect(json).toEqual({ users: [{ outcome: 'stored' }], shortSeeds: 0 })
    expect(await person.signIn({ otp: codeAt(subject().clock.now()) })).toMatchObject({
      state: 'approved',
      factor: 'otp',
    })
    expect(await person.show()).toMatchObject({ factors: ['otp'], everEnrolled: true, importState: 'closed' })
  })

  it('imported recovery codes sign their user in once', async () => {
    const person = await member(subject())

    await importing([{ username: person.username, app: appOfElsewhere().app, recovery: ['4fgh-82kq', 'QX7PZ4M2'] }])

    expect(await person.signIn({ otp: '4FGH82KQ' })).toMatchObject({ state: 'approved', factor: 'bypass' })
    expect(await person.signIn({ otp: '4fgh-82kq' })).toMatchObject({ state: 'denied' })
    expect(await person.signIn({ otp: 'qx7pz4m2' })).toMatchObject({ state: 'approved' })
  })

  it('an import of the same app changes nothing, and a code that was used stays used', async () => {
    const person = await member(subject())
    const { app, codeAt } = appOfElsewhere()
    const users = [{ username: person.username, app }]
    await importing(users)
    const otp = codeAt(subject().clock.now())
    await person.signIn({ otp })

    const again = await outcomes(users)

    expect(again).toEqual([{ outcome: 'unchanged' }])
    expect(await person.signIn({ otp })).toMatchObject({ state: 'denied' })
  })

  it.each<[string, () => Promise<{ username: string }>]>([
    ['a hardware token', () => holder(subject())],
    ['another imported app', async () => imported(subject())],
    [
      'a factor that was removed',
      async () => {
        const person = await holder(subject())
        await subject().call('DELETE', `${person.path}/hardware`)
        return person
      },
    ],
  ])('an import rejects a user with %s', async (_factor, person) => {
    const { username } = await person()

    expect(await outcomes([{ username, app: appOfElsewhere().app }])).toEqual([
      { outcome: 'rejected', reason: 'enrolled' },
    ])
  })

  it('an import rejects the same seed with other parameters', async () => {
    const { username, app } = await imported(subject())

    expect(await outcomes([{ username, app: { ...app, digits: 8 } }])).toEqual([
      { outcome: 'rejected', reason: 'enrolled' },
    ])
  })

  it('an import rejects the seed of a token that counts, which shows other codes', async () => {
    const { id, username } = await member(subject())
    const { app } = appOfElsewhere()
    const body = { serialNumber: unique(), seed: app.seed, digits: 6, counter: 0 }
    const { json: token } = await subject().call('POST', '/hardware', { body })
    await subject().call('PUT', `/users/${id}/hardware/${token.id}`)

    expect(token.counter).toBe(0)
    expect(await outcomes([{ username, app }])).toEqual([{ outcome: 'rejected', reason: 'enrolled' }])
  })

  it('an import adds users only if it says so, to the organization and to the domain', async () => {
    const username = unique()
    const { json: outsider } = await subject().call('POST', '/users', {
      body: newUser(unique()),
    })
    const users = [
      { username, name: 'Alice', email: 'alice@example.com', app: appOfElsewhere().app },
      { username: outsider.username, app: appOfElsewhere().app },
    ]

    const refused = await outcomes(users)
    const stored = await outcomes(users, { addUsers: true })

    expect(refused.map(({ reason }: { reason: string }) => reason)).toEqual(['unknown_user', 'not_member'])
    expect(stored).toEqual([{ outcome: 'stored' }, { outcome: 'stored' }])
    expect((await subject().call('GET', `/users?username=${username}`)).json).toMatchObject({
      name: 'Alice',
      email: 'alice@example.com',
      domains: [subject().domain.id],
      factors: ['otp'],
    })
  })

  it('an import rejects both of two entries for one user', async () => {
    const { username, show } = await member(subject())
    const users = [appOfElsewhere(), appOfElsewhere()].map(({ app }) => ({ username, app }))

    expect(await outcomes(users)).toEqual(users.map(() => ({ outcome: 'rejected', reason: 'repeated' })))
    expect(await show()).toMatchObject({ everEnrolled: false })
  })

  it('an import with a serial number gives the user a hardware token, which stays when the user leaves', async () => {
    const [person, other] = [await member(subject()), await member(subject())]
    const serialNumber = unique()
    await importing([{ username: person.username, app: appOfElsewhere().app, serialNumber }])

    const { json: token } = await subject().call('GET', `${person.path}/hardware`)
    const taken = await outcomes([{ username: other.username, app: appOfElsewhere().app, serialNumber }])
    await subject().call('DELETE', person.path)

    expect(token).toMatchObject({ serialNumber, user: person.id })
    expect(token.selfEnrolled).toBeUndefined()
    expect(taken).toEqual([{ outcome: 'rejected', reason: 'serial_number' }])
    expect((await subject().call('GET', `/hardware/${token.id}`)).json.user).toBe('')
  })

  it('a dry run of an import says the same, and changes nothing', async () => {
    const [person, other] = [await member(subject()), await holder(subject())]
    const users = [person, other].map(({ username }) => ({
      username,
      app: appOfElsewhere({ seed: '0f'.repeat(10) }).app,
    }))

    const { json } = await importing(users, { dryRun: true })

    expect(json).toEqual({ users: [{ outcome: 'stored' }, { outcome: 'rejected', reason: 'enrolled' }], shortSeeds: 1 })
    expect(await person.show()).toMatchObject({ everEnrolled: false })
  })

  it.each([
    ['no users', { users: [] }, 'api.error.invalid.users'],
    [
      '101 users',
      { users: Array.from({ length: 101 }, (_, index) => ({ username: `u${index}`, app: appOfElsewhere().app })) },
      'api.error.invalid.users',
    ],
    [
      'a seed of 72 bits',
      { users: [{ username: 'a', app: { ...appOfElsewhere().app, seed: '0f'.repeat(9) } }] },
      'api.error.invalid.users',
    ],
    [
      'an app without its parameters',
      { users: [{ username: 'a', app: { seed: '0f'.repeat(20) } }] },
      'api.error.invalid.users',
    ],
  ])('an import rejects a request with %s, without quoting it', async (_what, body, code) => {
    const answer = await subject().call('POST', `/domains/${subject().domain.id}/factors/import`, { body })

    expect([answer.status, answer.code]).toEqual([400, code])
    expect(answer.text).not.toContain('0f0f')
  })

  it('only keys of administrators import factors', async () => {
    const { service, organization, domain, origin, call } = subject()
    const key = await service.administration.createApiKey(organization.id, { role: 'auth' })
    const { username } = await member(subject())
    const body = { users: [{ username, app: appOfElsewhere().app }] }

    const refused = await createCall(origin, key)('POST', `/domains/${domain.id}/factors/import`, { body })
    const old = await call('POST', `/domains/${domain.id}/factors/import`, {
      body,
      headers: { accept: 'application/vnd.service.v1+json' },
    })

    expect([refused.status, old.status]).toEqual([403, 404])
  })
})

/** A user whose app was imported. */
async function imported(subject: Subject) {
  const person = await member(subject)
  const { app } = appOfElsewhere()
  const body = { users: [{ username: person.username, app }] }
  await subject.call('POST', `/domains/${subject.domain.id}/factors/import`, { body })
  return { ...person, app }
}
