import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

import { expect, it } from 'vitest'

import { startMailServer } from '../../../support/mail-server.ts'
import { bypassCodeOf, member, unique } from '../codes/code-holder.ts'
import { createCall, startService, unknownId } from '../../start-service.ts'
import { operation } from '../../operation.ts'

const challenge = 'q83vEjRWeJCrze8SNFZ4kA'

operation('POST /domains/{domainId}/sessions', (subject) => {
  it('creating a session sends a request to the device, and returns two members in 1.3', async () => {
    const { user, sessions, pending } = await subject().enroll(unique())

    const { text, json } = await subject().call13('POST', sessions, { body: { user: { id: user.id } } })

    expect(text).toBe(`{"id":"${json.id}","state":"pending"}`)
    expect((await pending()).map(({ id }) => id)).toEqual([json.id])
  })

  it('creating a session returns the name of the device, but not to keys of role auth', async () => {
    const { organization, service, origin } = subject()
    const { user, sessions, session } = await subject().enroll(unique())
    const key = await service.administration.createApiKey(organization.id, { role: 'auth' })
    const body = { user: { id: user.id } }

    const answers = [
      await subject().call('POST', sessions, { body }),
      await createCall(origin, key)('POST', sessions, { body }),
    ]

    expect(answers.map(({ json }) => json.deviceName)).toEqual(['Test', undefined])
    expect(await session(answers[0]?.json.id)).not.toHaveProperty('deviceName')
  })

  it('creating a session with a code settles it at once', async () => {
    const { id } = await member(subject())

    const { json } = await subject().call('POST', `/domains/${subject().domain.id}/sessions`, {
      body: { user: { id }, otp: '000000' },
    })

    expect(json).toMatchObject({ state: 'denied', reason: 'wrong_code' })
  })

  it('creating a session with a code can redeem the approval in the same call', async () => {
    const { id, signIn } = await member(subject())
    const { code } = await bypassCodeOf(subject(), id)

    const passed = await signIn({ otp: code, challenge, redeem: { browser: { rememberDays: 30 } } })
    const secondRedemption = await subject().call(
      'POST',
      `/domains/${subject().domain.id}/sessions/${passed.id}/redeem`,
      {
        body: { challenge },
      },
    )

    const browser = { id: expect.any(String), rememberedUntil: expect.any(Number) }
    expect(passed).toMatchObject({ state: 'approved', factor: 'bypass', epoch: expect.any(String), browser })
    expect(passed.factorId).toBeDefined()
    expect(secondRedemption.code).toBe('api.error.conflict.state')
  })

  it('creating a session with a wrong code that was to be redeemed denies it', async () => {
    const { signIn } = await member(subject())

    const denied = await signIn({ otp: '000000', challenge, redeem: {} })

    expect(denied).toMatchObject({ state: 'denied', reason: 'wrong_code', triesLeft: expect.any(Number) })
    expect(denied.epoch).toBeUndefined()
  })

  it('creating a session refuses to redeem a request to the device, and a code without a challenge', async () => {
    const { user, sessions, pending } = await subject().enroll(unique())
    const { code } = await bypassCodeOf(subject(), user.id)
    const ask = (more: object) => subject().call('POST', sessions, { body: { user: { id: user.id }, ...more } })

    expect((await ask({ challenge, redeem: {} })).code).toBe('api.error.invalid.redeem')
    expect((await ask({ otp: code, redeem: {} })).code).toBe('api.error.invalid.redeem')
    expect(await pending()).toEqual([])
    expect((await ask({ otp: code, challenge })).json).toMatchObject({ state: 'approved' })
  })

  it('creating a session ignores redeem in 1.3', async () => {
    const { id } = await member(subject())
    const { code } = await bypassCodeOf(subject(), id)
    const body = { user: { id }, otp: code, challenge, redeem: {} }

    const { text, json } = await subject().call13('POST', `/domains/${subject().domain.id}/sessions`, { body })

    expect(text).toBe(`{"id":"${json.id}","state":"approved"}`)
  })
})

operation('GET /domains/{domainId}/sessions/{sessionId}', (subject) => {
  it('reading a session returns its state', async () => {
    const { ask, sessions } = await subject().enroll(unique())
    const { deviceName, ...session } = await ask()

    const old = await subject().call13('GET', `${sessions}/${session.id}`)
    const current = await subject().call('GET', `${sessions}/${session.id}`)

    expect(old.text).toBe(`{"id":"${session.id}","state":"pending"}`)
    expect(current.json).toEqual(session)
    expect(deviceName).toBe('Test')
  })

  it('reading a session is held if the caller prefers to wait', async () => {
    const { ask, sessions } = await subject().enroll(unique())
    const { id } = await ask()
    const timer = subject().clock.timerSet(25)

    const answer = subject().call('GET', `${sessions}/${id}`, { headers: { prefer: 'wait=25' } })
    await timer
    await subject().call('DELETE', `${sessions}/${id}`)
    const { json, headers } = await answer

    expect(json.state).toBe('cancelled')
    expect(headers.get('preference-applied')).toBe('wait=25')
  })
})

operation('GET /domains/{domainId}/users/{userId}/sessions', (subject) => {
  it('listing pending sessions returns those that wait, newest first, without numbers and secrets', async () => {
    const { ask, user } = await subject().enroll(unique())
    const attributes = [{ key: 'Gateway', value: 'vpn1' }]
    const older = await ask({ challenge, numberMatching: true, attributes })
    const newer = await ask({ purpose: 'change_devices', challenge })

    const { json } = await subject().call('GET', `/domains/${subject().domain.id}/users/${user.id}/sessions`)

    const { createdAt, expiresAt } = older
    expect(older.number).toBeDefined()
    expect(json).toEqual([
      { id: newer.id, purpose: 'change_devices', attributes: [], createdAt, expiresAt },
      { id: older.id, purpose: 'sign_in', attributes, createdAt, expiresAt },
    ])
  })

  it('listing pending sessions returns none that is settled, expired, or of another domain or user', async () => {
    const { service, organization, domain, clock } = subject()
    const other = await service.administration.createDomain(organization.id, { name: unique() })
    const [person, bystander] = [await subject().enroll(unique()), await subject().enroll(unique())]
    await subject().call('PUT', `/domains/${other.id}/users/${person.user.id}`)
    const list = async (domainId: string, userId: string) =>
      (await subject().call('GET', `/domains/${domainId}/users/${userId}/sessions`)).json
    const [cancelled, waiting] = [await person.ask(), await person.ask()]
    await subject().call('DELETE', `/domains/${domain.id}/sessions/${cancelled.id}`)

    expect(await list(domain.id, person.user.id)).toEqual([expect.objectContaining({ id: waiting.id })])
    expect(await list(other.id, person.user.id)).toEqual([])
    expect(await list(domain.id, bystander.user.id)).toEqual([])
    await clock.advance(90)
    expect(await list(domain.id, person.user.id)).toEqual([])
  })

  it('listing pending sessions is allowed to keys of role auth, and does not exist in 1.3', async () => {
    const { organization, service, origin, domain } = subject()
    const { ask, user } = await subject().enroll(unique())
    const { id } = await ask()
    const key = await service.administration.createApiKey(organization.id, { role: 'auth' })
    const path = `/domains/${domain.id}/users/${user.id}/sessions`

    expect((await createCall(origin, key)('GET', path)).json).toEqual([expect.objectContaining({ id })])
    expect((await subject().call13('GET', path)).code).toBe('api.error.notfound.operation')
  })

  it('listing pending sessions finds no user outside of the domain', async () => {
    const { json } = await subject().call('POST', '/users', {
      body: { username: unique(), name: 'Name', email: 'n@example.com' },
    })
    const answer = await subject().call('GET', `/domains/${subject().domain.id}/users/${json.id}/sessions`)

    expect(answer.code).toBe('api.error.notfound.user')
  })
})

operation('DELETE /domains/{domainId}/sessions/{sessionId}', (subject) => {
  it('deleting a session cancels a pending one, and leaves a settled one unchanged', async () => {
    const { ask, sessions, session } = await subject().enroll(unique())
    const { id } = await ask()

    const answers = [
      await subject().call('DELETE', `${sessions}/${id}`),
      await subject().call('DELETE', `${sessions}/${id}`),
    ]

    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [200, ''],
      [200, ''],
    ])
    expect((await session(id)).state).toBe('cancelled')
  })

  it('deleting an unknown session finds none', async () => {
    const answer = await subject().call('DELETE', `/domains/${subject().domain.id}/sessions/${unknownId}`)

    expect(answer.code).toBe('api.error.notfound.session')
  })
})

operation('POST /domains/{domainId}/sessions/{sessionId}/redeem', (subject) => {
  it('an approval can be redeemed once', async () => {
    const { ask, sessions, pending, device } = await subject().enroll(unique())
    const { id } = await ask({ challenge })
    const [request] = await pending()
    await device.answer(id, { nonce: request?.nonce, decision: 'approve' })

    const first = await subject().call('POST', `${sessions}/${id}/redeem`, { body: { challenge } })
    const second = await subject().call('POST', `${sessions}/${id}/redeem`, { body: { challenge } })

    expect(first.json).toMatchObject({ id, state: 'approved', factor: 'push' })
    expect(second.code).toBe('api.error.conflict.state')
  })

  it('nothing but an approval can be redeemed', async () => {
    const { ask, sessions, pending, device } = await subject().enroll(unique())
    const { id } = await ask({ challenge })
    const redeem = () => subject().call('POST', `${sessions}/${id}/redeem`, { body: { challenge } })
    const [request] = await pending()

    const open = await redeem()
    await device.answer(id, { nonce: request?.nonce, decision: 'deny' })
    const denied = await redeem()

    expect([open.code, denied.code]).toEqual(['api.error.conflict.state', 'api.error.conflict.state'])
  })
})

operation('GET /domains/{domainId}/sessions/events', (subject) => {
  it('the event stream sends an event for each session of the domain as it settles', async () => {
    const { ask, sessions } = await subject().enroll(unique())
    const { id } = await ask()
    const path = `/domains/${subject().domain.id}/sessions/events`
    // Recorded by `call`; the stream that the test reads is opened below.
    await subject()
      .call('GET', path, { signal: AbortSignal.abort() })
      .catch(() => {})
    const leave = new AbortController()
    const stream = await fetch(`${subject().origin}/api${path}`, {
      headers: { accept: 'text/event-stream', authorization: `Service key="${subject().apiKey}"` },
      signal: leave.signal,
    })

    await subject().call('DELETE', `${sessions}/${id}`)
    let text = ''
    for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) {
      text += part
      if (text.includes('data:')) break
    }
    leave.abort()

    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect(text).toContain(`data: {"id":"${id}"}\n\n`)
  })
})

operation('POST /domains/{domainId}/users/{userId}/otp', (subject) => {
  const body = { deliverableOTPType: 'EMAIL' }

  it('a request for an e-mailed code is rejected if the domain does not allow it', async () => {
    const { id } = await member(subject())

    const answer = await subject().call('POST', `/domains/${subject().domain.id}/users/${id}/otp`, { body })

    expect(answer.code).toBe('api.error.conflict.emailotpenabled')
  })

  it('the service e-mails a code that signs its recipient in', async () => {
    const mail = await startMailServer()
    const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
    const other = await startService({ smtp }, { emailOtpEnabled: true })
    const { id, signIn } = await member(other)

    const answer = await other.call('POST', `/domains/${other.domain.id}/users/${id}/otp`, { body })
    const session = await signIn({ otp: mail.mails[0]?.code })
    await other.close()
    await mail.close()

    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(session).toMatchObject({ state: 'approved', factor: 'email' })
  })

  it('a request for an e-mailed code gets 503 if no mail can be sent', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as AddressInfo
    await new Promise((resolve) => silent.close(resolve))
    const smtp = { host: '127.0.0.1', port, from: 'mfa@example.com' }
    const other = await startService({ smtp }, { emailOtpEnabled: true })
    const { id } = await member(other)

    const answer = await other.call('POST', `/domains/${other.domain.id}/users/${id}/otp`, { body })
    await other.close()

    expect([answer.status, answer.code]).toEqual([503, 'api.error.unavailable.mail'])
  })
})
