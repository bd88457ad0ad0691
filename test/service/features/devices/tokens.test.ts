import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { previewCode } from '../../../support/device-signer.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { newUser, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const day = 24 * 60 * 60

async function member(username: string) {
  const { json: user } = await running.call('POST', '/users', { body: newUser(username) })
  const membership = `/domains/${running.domain.id}/users/${user.id}`
  await running.call('PUT', membership)
  return { user, membership, path: `${membership}/token` }
}

describe('a token', () => {
  inFullRun('a token is issued as pending with an activation code, and returned unchanged from then on', async () => {
    const { path } = await member('issued')

    const missing = await running.call('GET', path)
    const issued = await running.call('PUT', path)
    const reissued = await running.call('PUT', path)
    const current = await running.call('GET', path)

    expect(missing.code).toBe('api.error.notfound.token')
    expect(issued.json).toEqual({ state: 'pending', code: expect.stringMatching(/^[a-hj-km-np-z2-9]{10}$/) })
    expect([reissued.json, current.json]).toEqual([issued.json, issued.json])
  })

  it('a token is issued once when many requests arrive at once', async () => {
    const { path } = await member('at once')

    const answers = await Promise.all(Array.from({ length: 16 }, () => running.call('PUT', path)))

    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  })

  it('a token has a device instead of a code once it is active', async () => {
    const { user, signer } = await running.enroll('active')
    const path = `/domains/${running.domain.id}/users/${user.id}/token`

    const current = await running.call('GET', path)
    const reissued = await running.call('PUT', path)

    const active = { state: 'active', device: { id: signer.id, name: 'Test', createdAt: running.clock.now() } }
    expect([current.json, reissued.json]).toEqual([active, active])
  })

  it('a token that was not activated in time reads as none and is reissued with another code', async () => {
    const { path } = await member('too late')
    const { json: first } = await running.call('PUT', path)
    running.clock.skip(7 * day)

    const expired = await running.call('GET', path)
    const { json: second } = await running.call('PUT', path)

    expect(expired.code).toBe('api.error.notfound.token')
    expect(second.state).toBe('pending')
    expect(second.code).not.toBe(first.code)
  })

  it('a token is issued only to members of the domain', async () => {
    const { json: stranger } = await running.call('POST', '/users', { body: newUser('stranger') })

    const answer = await running.call('PUT', `/domains/${running.domain.id}/users/${stranger.id}/token`)

    expect(answer.code).toBe('api.error.notfound.user')
  })

  it('a token counts as a factor while it is active, and as enrollment forever', async () => {
    const { user } = await running.enroll('enrolled')
    const facts = async () => (await running.call('GET', `/users/${user.id}`)).json

    const before = await facts()
    await running.call('DELETE', `/domains/${running.domain.id}/users/${user.id}/token`)
    const after = await facts()

    expect([before.factors, before.everEnrolled]).toEqual([['push', 'otp'], true])
    expect([after.factors, after.everEnrolled]).toEqual([[], true])
  })
})

describe('withdrawing a token', () => {
  const token = (user: { id: string }) => `/domains/${running.domain.id}/users/${user.id}/token`

  const ways: [string, (user: { id: string }) => string][] = [
    ['by revoking it', token],
    ['by removing the member', (user) => `/domains/${running.domain.id}/users/${user.id}`],
    ['by deleting the user', (user) => `/users/${user.id}`],
  ]

  inFullRun.each(ways)(
    'withdrawing a token %s cancels pending sessions and notifies waiting callers',
    async (way, path) => {
      const { user, ask, held } = await running.enroll(way)
      const session = await ask()
      const waiting = running.clock.timerSet(25)
      const answer = held(session.id, 25)
      await waiting

      const taken = await running.call('DELETE', path(user))

      expect(taken.status).toBe(200)
      expect((await answer).json).toMatchObject({ state: 'cancelled', reason: 'cancelled' })
    },
  )

  it.each(ways)('withdrawing a token %s rejects its device, even during a held call', async (way, path) => {
    const { user, ask, pending, device } = await running.enroll(`${way}, device`)
    const { id } = await ask()
    const [request] = await pending()
    const etag = (await device.inbox()).headers.get('etag') ?? ''
    const waiting = running.clock.timerSet(20)
    const heldInbox = device.inbox({ 'if-none-match': etag, prefer: 'wait=20' })
    await waiting

    await running.call('DELETE', path(user))

    const approval = { nonce: request!.nonce, decision: 'approve' }
    const responses = [await heldInbox, await device.inbox(), await device.answer(id, approval), await device.remove()]
    const answers = await Promise.all(responses.map(read))
    expect(answers.map((answer) => [answer.status, answer.code])).toEqual(
      responses.map(() => [403, 'api.error.device.revoked']),
    )
  })

  it('withdrawing a token invalidates an approval that was not redeemed yet', async () => {
    const { user, ask, pending, device, sessions } = await running.enroll('approved and revoked')
    const challenge = 'A'.repeat(22)
    const session = await ask({ challenge })
    await device.answer(session.id, { nonce: (await pending())[0]!.nonce, decision: 'approve' })

    await running.call('DELETE', token(user))

    const redeemed = await running.call('POST', `${sessions}/${session.id}/redeem`, { body: { challenge } })
    expect(redeemed.code).toBe('api.error.conflict.state')
  })

  it('withdrawing a token does not affect the tokens of other users', async () => {
    const { user } = await running.enroll('going')
    const { ask, session } = await running.enroll('staying')
    const { id } = await ask()

    await running.call('DELETE', token(user))

    expect((await session(id)).state).toBe('pending')
  })

  it('withdrawing a token invalidates its activation code', async () => {
    const { path } = await member('annulled')
    const { json: issued } = await running.call('PUT', path)
    await running.call('DELETE', path)

    const preview = await read(await previewCode(running.origin, issued.code))

    expect(preview.code).toBe('api.error.notfound.activationcode')
  })

  it('withdrawing a token returns 404 if there is none', async () => {
    const { path } = await member('none')

    expect((await running.call('DELETE', path)).code).toBe('api.error.notfound.token')
  })

  it('withdrawing a token allows a new one, which the old device cannot use', async () => {
    const { user, device } = await running.enroll('again')
    await running.call('DELETE', token(user))

    const { json: issued } = await running.call('PUT', token(user))

    expect(issued.state).toBe('pending')
    expect((await device.inbox()).status).toBe(403)
  })
})
