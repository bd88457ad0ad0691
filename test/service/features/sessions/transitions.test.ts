import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { previewCode } from '../../../support/device-signer.ts'
import { hardwareToken, holder, member, otherThan, unique } from '../codes/code-holder.ts'
import { activateDevice, newUser, read, startService } from '../../start-service.ts'
import type { Answer, Running } from '../../start-service.ts'
import { inFullRun } from '../../../support/full-run.ts'

/** The state transition tables of the interface document, row by row. */
let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const domain = () => `/domains/${running.domain.id}`

describe('a user domain token', () => {
  const tokenOf = (userId: string) => `${domain()}/users/${userId}/token`

  async function issued() {
    const { id, path, username } = await member(running)
    const { json } = await running.call('PUT', tokenOf(id))
    return { id, path, username, token: tokenOf(id), code: json.code as string }
  }

  async function activated() {
    const person = await issued()
    return { ...person, ...(await activateDevice(running.origin, running.clock, person.code)) }
  }

  const codeIsAnnulled = async (code: string) => (await read(await previewCode(running.origin, code))).code
  const signInWith = (userId: string) =>
    running.call('POST', `${domain()}/sessions`, { body: { user: { id: userId } } })

  it('PUT token creates a pending token and returns its activation code', async () => {
    const { id } = await member(running)

    const answer = await running.call('PUT', tokenOf(id))

    expect(answer.json).toEqual({ state: 'pending', code: expect.stringMatching(/^[a-hj-km-np-z2-9]{10}$/) })
  })

  it('a pending token becomes active when its code is entered on a device, and no longer returns the code', async () => {
    const { token, code } = await issued()

    await activateDevice(running.origin, running.clock, code)

    const { state, code: shownCode } = (await running.call('GET', token)).json
    expect([state, shownCode]).toEqual(['active', undefined])
    expect(await codeIsAnnulled(code)).toBe('api.error.notfound.activationcode')
  })

  it('DELETE token revokes a pending token and invalidates its code', async () => {
    const { token, code } = await issued()

    await running.call('DELETE', token)

    expect((await running.call('GET', token)).code).toBe('api.error.notfound.token')
    expect(await codeIsAnnulled(code)).toBe('api.error.notfound.activationcode')
  })

  inFullRun('DELETE token revokes an active token and prevents sign-ins of that user and domain', async () => {
    const { id, token, device } = await activated()
    const { json: session } = await signInWith(id)

    await running.call('DELETE', token)

    expect((await read(await device.inbox())).code).toBe('api.error.device.revoked')
    expect((await running.call('GET', `${domain()}/sessions/${session.id}`)).json.state).toBe('cancelled')
    expect((await signInWith(id)).code).toBe('api.error.notfound.token')
  })

  const removals: [string, (person: { id: string; path: string }) => Promise<Answer>][] = [
    ['DELETE user from the domain', ({ id }) => running.call('DELETE', `${domain()}/users/${id}`)],
    ['DELETE user', ({ path }) => running.call('DELETE', path)],
    [
      'PUT users of the domain, without this one',
      () => running.call('PUT', `${domain()}/users`, { body: [newUser(unique())] }),
    ],
  ]

  inFullRun.each(removals)(
    'a pending token is revoked, and its code is invalid, after %s',
    async (_trigger, remove) => {
      const person = await issued()

      const answer = await remove(person)

      expect([answer.status, answer.text]).toEqual([200, ''])
      expect(await codeIsAnnulled(person.code)).toBe('api.error.notfound.activationcode')
      expect((await running.call('GET', person.token)).code).toBe('api.error.notfound.user')
    },
  )

  inFullRun.each(removals)(
    'an active token is revoked, and its pending sessions are canceled, after %s',
    async (_trigger, remove) => {
      const person = await activated()
      const { json: session } = await signInWith(person.id)

      await remove(person)

      expect((await read(await person.device.inbox())).code).toBe('api.error.device.revoked')
      expect((await running.call('GET', `${domain()}/sessions/${session.id}`)).json.state).toBe('cancelled')
      expect((await signInWith(person.id)).code).toBe('api.error.notfound.user')
    },
  )
})

describe('a session', () => {
  async function pending() {
    const person = await running.enroll(unique())
    const { id } = await person.ask()
    const [request] = await person.pending()
    const decide = (decision: string) => person.device.answer(id, { nonce: request?.nonce, decision })
    return { ...person, id, decide }
  }

  const inBoth = async (path: string) => {
    const current = await running.call('GET', path)
    const old = await running.call('GET', path, { headers: { accept: '*/*' } })
    return [current.json.state, old.json.state]
  }

  it('a session that is created without a code is pending, and the device gets a request', async () => {
    const person = await running.enroll(unique())

    const session = await person.ask()

    expect(session.state).toBe('pending')
    expect((await person.pending()).map(({ id }) => id)).toEqual([session.id])
  })

  it('a session that is created with a valid code is approved at once, and the device gets no request', async () => {
    const person = await running.enroll(unique())
    const token = await hardwareToken(running)
    await running.call('PUT', `/users/${person.user.id}/hardware/${token.id}`)

    const session = await person.ask({ otp: token.code() })

    expect(session).toMatchObject({ state: 'approved', factor: 'otp' })
    expect(await person.pending()).toEqual([])
  })

  it('a session that is created with a wrong code is denied at once', async () => {
    const person = await holder(running)
    const wrong = otherThan(...[-1, 0, 1].map((stepsAhead) => person.token.code(stepsAhead)))

    const session = await person.signIn({ otp: wrong })

    expect(session).toMatchObject({ state: 'denied', reason: 'wrong_code' })
  })

  it('a pending session is approved when the user approves', async () => {
    const { sessions, id, decide } = await pending()

    await decide('approve')

    expect(await inBoth(`${sessions}/${id}`)).toEqual(['approved', 'approved'])
  })

  it('a pending session is denied when the user denies', async () => {
    const { sessions, id, decide } = await pending()

    await decide('deny')

    expect(await inBoth(`${sessions}/${id}`)).toEqual(['denied', 'denied'])
  })

  it('DELETE cancels a pending session, which callers of 1.3 see as denied, and clears it from the device', async () => {
    const { sessions, id, ...person } = await pending()

    await running.call('DELETE', `${sessions}/${id}`)

    expect(await inBoth(`${sessions}/${id}`)).toEqual(['cancelled', 'denied'])
    expect(await person.pending()).toEqual([])
  })

  inFullRun('a pending session expires when its time is over, which callers of 1.3 see as denied', async () => {
    const { sessions, id } = await pending()

    await running.clock.advance(90)

    expect(await inBoth(`${sessions}/${id}`)).toEqual(['expired', 'denied'])
  })

  inFullRun.each(['approve', 'deny'])(
    'a settled session does not change when the user tries to %s afterwards',
    async (decision) => {
      const { sessions, id, decide } = await pending()
      await running.call('DELETE', `${sessions}/${id}`)

      const late = await decide(decision)

      expect(late.status).toBe(409)
      expect(await inBoth(`${sessions}/${id}`)).toEqual(['cancelled', 'denied'])
    },
  )
})

describe('a hardware token', () => {
  it('a new hardware token was never used and belongs to no user', async () => {
    const token = await hardwareToken(running)

    expect(await token.show()).toMatchObject({ syncState: 'Never Used', user: '' })
  })

  it('a hardware token that was never used is synchronized by a valid code', async () => {
    const { token, signIn } = await holder(running)

    await signIn({ otp: token.code() })

    expect((await token.show()).syncState).toBe('Synchronized')
  })

  it('a code from a clock that is far off is denied and puts the hardware token out of sync', async () => {
    const { token, signIn } = await holder(running)
    await signIn({ otp: token.code() })

    const session = await signIn({ otp: token.code(5) })

    expect(session.state).toBe('denied')
    expect((await token.show()).syncState).toBe('Out of Sync')
  })

  it('the next code from a clock that is far off is approved and synchronizes the hardware token again', async () => {
    const { token, signIn } = await holder(running)
    await signIn({ otp: token.code(5) })

    const session = await signIn({ otp: token.code(6) })

    expect(session.state).toBe('approved')
    expect((await token.show()).syncState).toBe('Synchronized')
  })

  it('a hardware token belongs to the user that PUT names, and to none after DELETE', async () => {
    const person = await member(running)
    const token = await hardwareToken(running)

    await running.call('PUT', `${person.path}/hardware/${token.id}`)
    const during = [(await token.show()).user, (await person.show()).hardware]
    await running.call('DELETE', `${person.path}/hardware`)
    const after = [(await token.show()).user, (await person.show()).hardware]

    expect(during).toEqual([person.id, token.id])
    expect(after).toEqual(['', ''])
  })
})
