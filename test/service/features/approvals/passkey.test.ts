import { createHash, createPublicKey, verify } from 'node:crypto'

import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ApprovalPasskeyAnswer, passkeyChallengeLabel } from '../../../../src/contract/approval-content.ts'
import type { Approval } from '../../../../src/contract/approvals.ts'
import type { Algorithm, Lies } from '../../../../src/testing/software-authenticator.ts'
import { random128 } from '../../../support/device-signer.ts'
import { passkeyHolder, rp } from '../passkeys/passkey-holder.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { approvalsOf } from './approving.ts'

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

describe('an action that is approved with a passkey', () => {
  let running: Running
  let app: ReturnType<typeof approvalsOf>

  beforeAll(async () => {
    running = await startService()
    app = approvalsOf(running)
  })
  afterAll(() => running.close())

  async function holder(algorithm?: Algorithm) {
    const person = await passkeyHolder(running, algorithm === undefined ? {} : { algorithm })
    const user = { id: person.id }
    const start = (id: string, more: object = {}) =>
      running.call('POST', `${app.path}/${id}/passkey/options`, { body: { user, rp, ...more } })
    const finish = (id: string, passkey: unknown, more: object = {}) =>
      running.call('POST', `${app.path}/${id}/passkey`, { body: { user, rp, passkey, ...more } })
    const approve = async (id: string, lies: Lies = {}) => {
      const { json: options } = await start(id)
      return finish(id, person.authenticator.use(options, lies))
    }
    const ask = async (more: object = {}): Promise<Approval> => (await app.ask({ user, ...more })).json
    return { ...person, user, start, finish, approve, ask }
  }

  it.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'the proof of a %s passkey is verified with node:crypto by what is documented',
    async (algorithm) => {
      const { ask, approve, passkey } = await holder(algorithm)
      const { id } = await ask()

      expect((await approve(id)).json.state).toBe('approved')

      const settled = await app.get(id)
      const { answer, receipt } = settled.approvers[0]!.proof!
      const claims = decodeJwt(receipt) as { key: object; [claim: string]: unknown }
      expect(claims).toMatchObject({
        shownBy: 'app',
        decision: 'approve',
        passkey: passkey.id,
        rpId: rp.id,
        approval: id,
      })
      expect(claims['answer']).toBe(sha256(answer).toString('base64url'))
      const signed = ApprovalPasskeyAnswer.parse(JSON.parse(answer))
      expect(signed.content).toBe(settled.content)
      const clientData = Buffer.from(signed.clientData, 'base64url')
      const challenge = sha256(
        `${passkeyChallengeLabel}\0`,
        Buffer.from(id, 'hex'),
        Buffer.from(signed.nonce, 'base64url'),
        sha256(signed.content),
      )
      expect(JSON.parse(clientData.toString())).toMatchObject({
        type: 'webauthn.get',
        challenge: challenge.toString('base64url'),
      })
      const data = Buffer.concat([Buffer.from(signed.authenticatorData, 'base64url'), sha256(clientData)])
      const key = createPublicKey({ key: claims.key, format: 'jwk' })
      const isRight = verify(
        algorithm === 'EdDSA' ? null : 'sha256',
        data,
        key,
        Buffer.from(signed.signature, 'base64url'),
      )
      expect(isRight).toBe(true)
    },
  )

  it('a person without a device is asked if they have a passkey', async () => {
    const { ask } = await holder()

    expect(await ask()).toMatchObject({ state: 'pending' })
  })

  it('equal contents have different challenges, and a second start replaces the first', async () => {
    const { ask, start, finish, authenticator } = await holder()
    const { id } = await ask()
    const first = await start(id)
    const second = await start(id)

    expect(first.json.challenge).not.toBe(second.json.challenge)
    expect((await finish(id, authenticator.use(first.json))).code).toBe('api.error.invalid.passkey')
    expect((await app.get(id)).state).toBe('pending')
  })

  it('an answer is used up by a wrong one, and approves once', async () => {
    const { ask, start, finish, authenticator } = await holder()
    const { id } = await ask()
    const { json: options } = await start(id)
    await finish(id, authenticator.use({ ...options, challenge: random128() }))
    expect((await finish(id, authenticator.use(options))).code).toBe('api.error.conflict.state')

    const { json: again } = await start(id)
    const answers = await Promise.all([1, 2, 3].map(() => finish(id, authenticator.use(again))))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  })

  it('a challenge of a sign-in approves no action', async () => {
    const { ask, start, startUse, finish, authenticator } = await holder()
    const { id } = await ask()
    await start(id)
    const { json: signIn } = await startUse()

    expect((await finish(id, authenticator.use(signIn))).code).toBe('api.error.invalid.passkey')
    expect((await app.get(id)).state).toBe('pending')
  })

  it('the challenge of an approval signs nobody in', async () => {
    const { ask, start, finishUse, authenticator } = await holder()
    const { id } = await ask()
    const { json: options } = await start(id)

    const session = await finishUse({ challenge: random128(), passkey: authenticator.use(options) })

    expect(session.json).toMatchObject({ state: 'denied', reason: 'wrong_passkey' })
  })

  it('the challenge of one approval is no challenge of another', async () => {
    const { ask, start, finish, authenticator } = await holder()
    const [first, second] = [await ask(), await ask()]
    const { json: options } = await start(first.id)
    await start(second.id)

    expect((await finish(second.id, authenticator.use(options))).code).toBe('api.error.invalid.passkey')
    expect((await app.get(second.id)).state).toBe('pending')
  })

  it('a page of another origin gets no approval', async () => {
    const { ask, approve } = await holder()
    const { id } = await ask()

    expect((await approve(id, { origin: 'https://evil.example' })).code).toBe('api.error.invalid.passkey')
    expect((await app.get(id)).state).toBe('pending')
  })

  it('the passkey of another person does not approve', async () => {
    const { ask, start, finish } = await holder()
    const mallory = await holder()
    const { id } = await ask()
    const { json: options } = await start(id)

    const allowCredentials = [{ id: mallory.passkey.credentialId, type: 'public-key' }]

    const foreign = mallory.authenticator.use({ ...options, allowCredentials })

    expect((await finish(id, foreign)).code).toBe('api.error.invalid.passkey')
    expect((await app.get(id)).state).toBe('pending')
    expect((await mallory.start(id)).code).toBe('api.error.notfound.user')
  })

  it('a passkey that was removed meanwhile does not approve', async () => {
    const { ask, start, finish, authenticator, passkey, passkeys } = await holder()
    const { id } = await ask()
    const { json: options } = await start(id)
    await running.call('DELETE', `${passkeys}/${passkey.id}`)

    expect((await finish(id, authenticator.use(options))).code).toBe('api.error.invalid.passkey')
    expect((await app.get(id)).state).toBe('pending')
  })

  it('a settled approval is not started again', async () => {
    const { ask, start, approve } = await holder()
    const { id } = await ask()
    await approve(id)

    expect((await start(id)).code).toBe('api.error.conflict.state')
  })
})
