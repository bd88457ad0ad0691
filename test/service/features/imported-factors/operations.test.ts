import { expect, it } from 'vitest'

import type { ImportedApp, ImportedFactors } from '../../../../src/contract/imported-factors.ts'
import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { random128 } from '../../../support/device-signer.ts'
import { operation } from '../../operation.ts'
import type { Subject } from '../../operation.ts'
import { createCall } from '../../start-service.ts'
import { bypassCodeOf, member, otherThan } from '../codes/code-holder.ts'

/** A member who has an app of another system, and recovery codes. */
async function mover(subject: Subject, more: Partial<ImportedApp> = {}, recovery: ImportedFactors['recovery'] = []) {
  const person = await member(subject)
  const seed = Buffer.from(crypto.getRandomValues(new Uint8Array(10))).toString('hex')
  const app: ImportedApp = { seed, algorithm: 'SHA1', digits: 6, period: 30, ...more }
  const path = `/domains/${subject.domain.id}/sessions/import`
  const code = (steps = 0) => codeAt(app, stepAt(subject.clock.now(), app.period) + steps)
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
