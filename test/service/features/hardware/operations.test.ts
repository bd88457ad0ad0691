import { expect, it } from 'vitest'

import { hardwareToken, holder, member, unique } from '../codes/code-holder.ts'
import { operation } from '../../operation.ts'

const seed = '3132333435363738393031323334353637383930'

operation('POST /hardware', (subject) => {
  it('adding a hardware token generates a missing name, and never returns its seed', async () => {
    const body = { serialNumber: 'S-1', type: 'TOTP6', timeStep: '30', seed }

    const { text, json } = await subject().call13('POST', '/hardware', { body })

    expect(text).toBe(
      `{"id":"${json.id}","alias":"HW-${json.id.slice(0, 8)}","serialNumber":"S-1","type":"TOTP6","timeStep":"30s","syncState":"Never Used","user":""}`,
    )
    expect(text).not.toContain(seed)
  })
})

operation('GET /hardware', (subject) => {
  it('listing hardware tokens returns them in the order in which they were added', async () => {
    const [first, second] = [await hardwareToken(subject()), await hardwareToken(subject())]

    const { json } = await subject().call('GET', '/hardware?page=1')

    expect(json.map((token: { id: string }) => token.id)).toEqual([first.id, second.id])
  })
})

operation('GET /hardware/{hardwareTokenId}', (subject) => {
  it('reading a hardware token returns it as it was created', async () => {
    const body = { alias: 'Mine', serialNumber: unique(), type: 'TOTP8', timeStep: 60, seed }
    const { text, json } = await subject().call13('POST', '/hardware', { body })

    const read = await subject().call13('GET', `/hardware/${json.id}`)

    expect(read.text).toBe(text)
    expect(read.json).toMatchObject({ alias: 'Mine', type: 'TOTP8', timeStep: '60s' })
  })
})

operation('PUT /hardware/{hardwareTokenId}', (subject) => {
  it('updating a hardware token changes the alias and nothing else', async () => {
    const { id, show } = await hardwareToken(subject())
    const before = await show()

    const { json } = await subject().call('PUT', `/hardware/${id}`, { body: { alias: 'Renamed', type: 'TOTP8' } })

    expect(json).toEqual({ ...before, alias: 'Renamed' })
  })

  it.each([{}, { alias: null }])('updating a hardware token changes nothing if no alias is given: %j', async (body) => {
    const { id, show } = await hardwareToken(subject())
    const before = await show()

    const { json } = await subject().call('PUT', `/hardware/${id}`, { body })

    expect(json).toEqual(before)
  })
})

operation('DELETE /hardware/{hardwareTokenId}', (subject) => {
  it('deleting a hardware token makes its codes stop working', async () => {
    const { token, signIn, show } = await holder(subject())

    const answer = await subject().call('DELETE', `/hardware/${token.id}`)

    expect([answer.status, answer.text]).toEqual([200, ''])
    expect((await signIn({ otp: token.code() })).state).toBe('denied')
    expect((await show()).hardware).toBe('')
  })
})

operation('PUT /users/{userId}/hardware/{hardwareTokenId}', (subject) => {
  it('assigning a hardware token gives it to the user, and then to no other', async () => {
    const [first, second] = [await member(subject()), await member(subject())]
    const { id } = await hardwareToken(subject())

    const assigned = await subject().call('PUT', `${first.path}/hardware/${id}`)
    const taken = await subject().call('PUT', `${second.path}/hardware/${id}`)

    expect([assigned.status, assigned.text]).toEqual([200, ''])
    expect(taken.code).toBe('api.error.conflict.hardware')
  })
})

operation('GET /users/{userId}/hardware', (subject) => {
  it('reading the hardware token of a user returns it, if there is one', async () => {
    const owner = await holder(subject())
    const other = await member(subject())

    const assigned = await subject().call('GET', `${owner.path}/hardware`)
    const missing = await subject().call('GET', `${other.path}/hardware`)

    expect(assigned.json).toMatchObject({ id: owner.token.id, user: owner.id })
    expect(missing.code).toBe('api.error.notfound.hardware')
  })
})

operation('DELETE /users/{userId}/hardware', (subject) => {
  it('releasing the hardware token of a user keeps it in the organization', async () => {
    const { path, token } = await holder(subject())

    const answer = await subject().call('DELETE', `${path}/hardware`)

    expect([answer.status, answer.text]).toEqual([200, ''])
    expect((await token.show()).user).toBe('')
  })
})

operation('POST /domains/{domainId}/users/{userId}/hardware', (subject) => {
  it('enrolling an authenticator app adds it for the user and uses up the code that confirmed it', async () => {
    const person = await member(subject())

    const { answer, code } = await person.enrollApp()
    const replayed = await person.signIn({ otp: code() })
    await subject().clock.advance(30)
    const next = await person.signIn({ otp: code() })

    expect(answer.json).toMatchObject({ user: person.id, alias: 'Authenticator app', selfEnrolled: true })
    expect(await person.show()).toMatchObject({ hardware: answer.json.id, factors: ['otp'], everEnrolled: true })
    expect([replayed.state, next.state]).toEqual(['denied', 'approved'])
  })

  it('enrolling an authenticator app with a wrong code adds nothing', async () => {
    const person = await member(subject())

    const { answer } = await person.enrollApp({ otp: '000000' })

    expect([answer.status, answer.code]).toEqual([400, 'api.error.invalid.otp'])
    expect(await person.show()).toMatchObject({ hardware: '', factors: [], everEnrolled: false })
  })
})
