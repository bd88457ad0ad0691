import { expect, it } from 'vitest'

import type { ImportedUser } from '../../../../src/contract/factor-import.ts'
import type { ImportedApp, ImportedFactors } from '../../../../src/contract/imported-factors.ts'
import { codeAt as codeOfStep, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { random128 } from '../../../support/device-signer.ts'
import { operation } from '../../operation.ts'
import type { Subject } from '../../operation.ts'
import { createCall, newUser } from '../../start-service.ts'
import { bypassCodeOf, holder, member, otherThan, unique } from '../codes/code-holder.ts'
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

/** A member who has an app of another system, and recovery codes. */
async function mover(subject: Subject, more: Partial<ImportedApp> = {}, recovery: ImportedFactors['recovery'] = []) {
  const person = await member(subject)
  const seed = Buffer.from(crypto.getRandomValues(new Uint8Array(10))).toString('hex')
  const app: ImportedApp = { seed, algorithm: 'SHA1', digits: 6, period: 30, ...more }
  const path = `/domains/${subject.domain.id}/sessions/import`
  const code = (steps = 0) => codeOfStep(app, stepAt(subject.clock.now(), app.period) + steps)
  const bring = (fields: object) =>
    subject.call('POST', path, { body: { user: { id: person.id }, factors: { app, recovery }, ...fields } })
  return { ...person, app, code, wrong: () => otherThan(code(-1), code(), code(1)), bring }
}

operation('POST /domains/{domainId}/sessions/import', (subject) => {
  it.each<Partial<ImportedApp>>([
    {},
    { algorithm: 'SHA256', digits: 8 },
    { algorithm: 'SHA512', digits: 7, period: 60 },
    { seed: '3132333435363738393031323334353637383930'.repeat(3), period: 15 },
  ])('a correct code of the app that another system made stores the app and signs in: %j', async (parameters) => {
    const { bring, code, show, signIn } = await mover(subject(), parameters)
    const challenge = random128()

    const { status, json } = await bring({ otp: code(), challenge, redeem: { browser: {} } })

    expect(status).toBe(200)
    expect(json).toMatchObject({ state: 'approved', factor: 'otp', purpose: 'sign_in', epoch: expect.any(String) })
    expect(json.browser.id).toEqual(expect.any(String))
    expect(await show()).toMatchObject({ everEnrolled: true, importState: 'closed', hardware: json.factorId })
    expect(await signIn({ otp: code(1) })).toMatchObject({ state: 'approved', factorId: json.factorId })
  })

  it('a code that signed in with the import is used up', async () => {
    const { bring, code, signIn } = await mover(subject())
    const used = code()
    await bring({ otp: used })

    expect(await signIn({ otp: used })).toMatchObject({ state: 'denied', reason: 'wrong_code' })
    expect((await bring({ otp: used })).json).toMatchObject({ state: 'denied', reason: 'wrong_code' })
    expect((await bring({ otp: code(1) })).json).toMatchObject({ state: 'approved' })
  })

  it('a recovery code of the other system stores everything and is used up', async () => {
    const { bring, code, signIn, show } = await mover(subject(), {}, ['QX7P-Z4M2', 'other-code-1'])

    const { json } = await bring({ otp: 'qx7pz4m2' })

    expect(json).toMatchObject({ state: 'approved', factor: 'bypass' })
    expect(await show()).toMatchObject({ importedCodes: true, factors: ['otp', 'bypass'] })
    expect(await signIn({ otp: 'QX7P-Z4M2' })).toMatchObject({ state: 'denied' })
    expect(await signIn({ otp: 'other-code-1' })).toMatchObject({ state: 'approved', factor: 'bypass' })
    expect(await signIn({ otp: code() })).toMatchObject({ state: 'approved', factor: 'otp' })
  })

  it('a wrong code stores nothing and counts like every wrong code', async () => {
    const { bring, wrong, code, show, signIn } = await mover(subject())
    const challenge = random128()

    const answers = []
    for (let tries = 0; tries < 6; tries += 1) answers.push((await bring({ otp: wrong(), challenge })).json)

    expect(answers.map(({ triesLeft }) => triesLeft)).toEqual([4, 3, 2, 1, 0, undefined])
    expect(answers.map(({ reason }) => reason).slice(0, 5)).toEqual(Array(5).fill('wrong_code'))
    expect(answers[5]).toMatchObject({ errors: [{ code: 'api.error.limit.codes' }] })
    for (let tries = 0; tries < 5; tries += 1) await signIn({ otp: wrong() })
    expect((await bring({ otp: code() })).json).toMatchObject({ errors: [{ code: 'api.error.locked' }] })
    expect(await show()).toMatchObject({ everEnrolled: false, importState: 'open', hardware: '', factors: [] })
  })

  it('a code that is too old for a phone is wrong', async () => {
    const { bring, code } = await mover(subject())

    expect((await bring({ otp: code(-2) })).json).toMatchObject({ state: 'denied' })
    expect((await bring({ otp: code(-1) })).json).toMatchObject({ state: 'approved' })
  })

  it('nothing is imported for users who have a factor of this service', async () => {
    const { bring, code, enrollApp, show } = await mover(subject())
    const own = await enrollApp()

    const { status, json } = await bring({ otp: code() })

    expect([status, json.errors[0].code]).toEqual([409, 'api.error.conflict.enrolled'])
    expect((await show()).hardware).toBe(own.answer.json.id)
  })

  it('nothing is imported while an administrator hands over an activation code', async () => {
    const { bring, code, memberPath, show } = await mover(subject())
    await subject().call('PUT', `${memberPath}/token`)

    const { status, json } = await bring({ otp: code() })

    expect([status, json.errors[0].code]).toEqual([409, 'api.error.conflict.state'])
    expect(await show()).toMatchObject({ everEnrolled: false })
  })

  it('nothing is imported where only a passkey counts, and the code is neither checked nor counted', async () => {
    const { bring, code, show } = await mover(subject())

    const { json } = await bring({ otp: code(), challenge: random128(), phishingResistant: 'require' })

    expect(json).toMatchObject({ state: 'denied', reason: 'phishing_resistance_required' })
    expect(json.triesLeft).toBeUndefined()
    expect(await show()).toMatchObject({ everEnrolled: false })
  })

  it('nothing is imported for a user outside the domain', async () => {
    const { bring, code, memberPath } = await mover(subject())
    await subject().call('DELETE', memberPath)

    const { status, json } = await bring({ otp: code() })

    expect([status, json.errors[0].code]).toEqual([404, 'api.error.notfound.user'])
  })

  it('of two imports at once with correct codes, one is stored, and the code of the other is used', async () => {
    const { bring, code, id } = await mover(subject())

    const answers = await Promise.all([1, 2, 3].map(() => bring({ otp: code() })))

    expect(answers.filter(({ json }) => json.state === 'approved')).toHaveLength(1)
    expect(answers.filter(({ json }) => json.reason === 'wrong_code')).toHaveLength(2)
    expect((await subject().call('GET', `/users/${id}/hardware`)).json.selfEnrolled).toBe(true)
  })

  it('a recovery code is refused as the first code where the domain accepts none', async () => {
    const { id, app, show } = await mover(subject())
    const { service, organization } = subject()
    const other = await service.administration.createDomain(organization.id, { name: 'Other', bypassEnabled: false })
    await subject().call('PUT', `/domains/${other.id}/users/${id}`)
    const body = { user: { id }, otp: 'QX7P-Z4M2', factors: { app, recovery: ['QX7P-Z4M2'] } }

    const { json } = await subject().call('POST', `/domains/${other.id}/sessions/import`, { body })

    expect(json).toMatchObject({ state: 'denied', reason: 'wrong_code' })
    expect(await show()).toMatchObject({ everEnrolled: false })
  })

  it.each([
    ['a seed below 80 bits', { seed: '00'.repeat(9) }],
    ['another number of digits', { digits: 10 }],
    ['a hash that codes do not use', { algorithm: 'MD5' }],
    ['a period that codes do not have', { period: 5 }],
  ])('an import with %s is refused', async (_what, parameters) => {
    const { bring } = await mover(subject(), parameters as Partial<ImportedApp>)

    const { status, json } = await bring({ otp: '123456' })

    expect([status, json.errors[0].code]).toEqual([400, 'api.error.invalid.factors'])
  })

  it('an import with slow hashes of recovery codes is refused', async () => {
    const bcrypt = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
    const { bring, code } = await mover(subject(), {}, [bcrypt])

    const { status, text } = await bring({ otp: code() })

    expect(status).toBe(400)
    expect(text).not.toContain(bcrypt)
  })

  it('an import without a code is refused', async () => {
    const { bring } = await mover(subject())

    expect((await bring({})).json).toMatchObject({ errors: [{ code: 'api.error.invalid.otp' }] })
  })

  it('a key of role auth may import, as it may enroll a first factor, and the answer contains no seed', async () => {
    const { origin, service, organization, domain } = subject()
    const { id, app, code } = await mover(subject())
    const call = createCall(origin, await service.administration.createApiKey(organization.id, { role: 'auth' }))
    const body = { user: { id }, otp: code(), factors: { app } }

    const { text, json } = await call('POST', `/domains/${domain.id}/sessions/import`, { body })

    expect(json).toMatchObject({ state: 'approved' })
    expect(text).not.toContain(app.seed)
  })

  it('users whose administrator gave them a recovery code use that one', async () => {
    const { bring, code, id, signIn } = await mover(subject())
    const { code: given } = await bypassCodeOf(subject(), id)

    expect((await bring({ otp: code() })).json).toMatchObject({ errors: [{ code: 'api.error.conflict.enrolled' }] })
    expect(await signIn({ otp: given })).toMatchObject({ state: 'approved', factor: 'bypass' })
  })
})
