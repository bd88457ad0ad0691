import { createHash, createPublicKey, verify } from 'node:crypto'

import { compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ApprovalPasskeyAnswer, passkeyChallengeLabel, ReceiptClaims } from '../../../../src/contract/approvals.ts'
import type { Approval } from '../../../../src/contract/approvals.ts'
import { ceremonyLifetime } from '../../../../src/contract/passkeys.ts'
import type { Algorithm, Lies } from '../../../../src/testing/software-authenticator.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { random128 } from '../../../support/device-signer.ts'
import { personWithDevice } from '../callers/phone-caller.ts'
import { member } from '../codes/code-holder.ts'
import { passkeyHolder, rp } from '../passkeys/passkey-holder.ts'
import { startService, unknownId } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { approvalsOf, approver } from './approving.ts'
import { inFullRun } from '../../../support/full-run.ts'

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest()
}
const bytes = (text: string) => Buffer.from(text, 'base64url')

/** As `docs/approvals.md` describes it, and without the code of the service. */
const challengeOf = ({ approval, nonce, content }: ApprovalPasskeyAnswer) =>
  sha256(passkeyChallengeLabel, Uint8Array.of(0), Buffer.from(approval, 'hex'), bytes(nonce), sha256(content)).toString(
    'base64url',
  )

describe.each(mainEngines)('approving an action with a passkey, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let app: ReturnType<typeof approvalsOf>

  beforeAll(async () => {
    running = await startService({ database: await newDatabase() })
    app = approvalsOf(running)
  })
  afterAll(() => running.close())

  /** The owner of a passkey, and how the app lets them approve with it. */
  async function owner(algorithm: Algorithm = 'ES256') {
    const person = await passkeyHolder(running, { algorithm })
    const body = { user: { id: person.id }, rp }
    const ask = async (more: object = {}): Promise<Approval> =>
      (await app.ask({ user: { id: person.id }, ...more })).json
    const start = (id: string, more: object = {}) =>
      running.call('POST', `${app.path}/${id}/passkey/options`, { body: { ...body, ...more } })
    const finish = (id: string, passkey: object, more: object = {}) =>
      running.call('POST', `${app.path}/${id}/passkey`, { body: { ...body, passkey, ...more } })
    const sign = async (id: string, lies: Lies = {}) => person.authenticator.use((await start(id)).json, lies)
    const approve = async (id: string, lies: Lies = {}) => finish(id, await sign(id, lies))
    return { ...person, ask, start, finish, sign, approve }
  }

  const stateOf = async (id: string) => (await app.get(id)).state

  it.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'the proof of a %s passkey is verified with node:crypto by what is documented',
    async (algorithm) => {
      const anna = await owner(algorithm)
      const asked = await anna.ask()

      const { status, json: approved } = await anna.approve(asked.id)

      expect([status, approved.state, approved.content]).toEqual([200, 'approved', asked.content])
      const { answer, receipt } = approved.approvers[0].proof
      const { json: jwks } = await running.call('GET', '/approval-keys')
      const { kid } = decodeProtectedHeader(receipt)
      const receiptKey = await importJWK(jwks.keys.find((jwk: { kid: string }) => jwk.kid === kid))
      const { payload, protectedHeader } = await compactVerify(receipt, receiptKey)
      expect(protectedHeader.typ).toBe('approval-receipt+jws')
      const claims = ReceiptClaims.parse(JSON.parse(Buffer.from(payload).toString()))
      expect(claims).toMatchObject({
        approval: asked.id,
        decision: 'approve',
        shownBy: 'app',
        passkey: anna.passkey.id,
        rpId: rp.id,
        userVerified: true,
        user: { id: anna.id, username: anna.username },
        answer: sha256(answer).toString('base64url'),
      })
      const signed = ApprovalPasskeyAnswer.parse(JSON.parse(answer))
      expect(signed).toMatchObject({
        approval: asked.id,
        content: asked.content,
        credentialId: anna.passkey.credentialId,
      })
      const clientData = bytes(signed.clientData)
      expect(JSON.parse(clientData.toString())).toMatchObject({ type: 'webauthn.get', challenge: challengeOf(signed) })
      const authenticatorData = bytes(signed.authenticatorData)
      expect(authenticatorData.subarray(0, 32)).toEqual(sha256(rp.id))
      const key = createPublicKey({ key: claims.key, format: 'jwk' })
      const digest = algorithm === 'EdDSA' ? null : 'sha256'
      const message = Buffer.concat([authenticatorData, sha256(clientData)])
      expect(verify(digest, message, key, bytes(signed.signature))).toBe(true)
    },
  )

  it('a receipt says that the authenticator did not verify the person', async () => {
    const anna = await owner()
    const asked = await anna.ask()

    const { json } = await anna.approve(asked.id, { uv: false })

    const [, payload] = json.approvers[0].proof.receipt.split('.')
    expect(JSON.parse(bytes(payload).toString())).toMatchObject({ shownBy: 'app', userVerified: false })
  })

  it('the options name the passkeys of the person at this relying party, and differ each time', async () => {
    const anna = await owner()
    const { id } = await anna.ask()

    const [first, second] = [await anna.start(id), await anna.start(id)]

    expect(first.json).toEqual({
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      rpId: rp.id,
      timeout: 300_000,
      userVerification: 'preferred',
      allowCredentials: [{ id: anna.passkey.credentialId, type: 'public-key', transports: ['internal', 'hybrid'] }],
    })
    expect(second.json.challenge).not.toBe(first.json.challenge)
  })

  it('the challenge of one approval is no challenge of another', async () => {
    const anna = await owner()
    const [first, second] = [await anna.ask(), await anna.ask()]
    await anna.start(second.id)

    const answer = await anna.finish(second.id, await anna.sign(first.id))

    expect([answer.code, await stateOf(second.id)]).toEqual(['api.error.invalid.passkey', 'pending'])
  })

  it('a challenge of a sign-in approves no action', async () => {
    const anna = await owner()
    const { id } = await anna.ask()
    for (const purpose of ['sign_in', 'change_devices']) {
      await anna.start(id)
      const started = await anna.startUse({ purpose })

      const answer = await anna.finish(id, anna.authenticator.use(started.json))

      expect([answer.code, await stateOf(id)]).toEqual(['api.error.invalid.passkey', 'pending'])
    }
  })

  it('the challenge of an approval signs nobody in', async () => {
    const anna = await owner()
    const { id } = await anna.ask()
    const passkey = await anna.sign(id)
    const challenge = random128()
    const signIn = async () => [
      (await anna.finishUse({ challenge, passkey })).json.state,
      (
        await running.call('POST', `/domains/${running.domain.id}/passkeys/sessions`, {
          body: { rp, challenge, response: passkey },
        })
      ).json.state,
    ]

    const before = await signIn()
    const approved = await anna.finish(id, passkey)

    expect([before, approved.status, await signIn()]).toEqual([['denied', undefined], 200, ['denied', undefined]])
  })

  it('a page of another origin gets no approval', async () => {
    const anna = await owner()
    const { id } = await anna.ask()

    const answer = await anna.approve(id, { origin: 'https://phishing.example' })

    expect([answer.code, await stateOf(id)]).toEqual(['api.error.invalid.passkey', 'pending'])
  })

  const lies: [string, Lies][] = [
    ['from a frame of another origin', { crossOrigin: true }],
    ['for another relying party', { rpId: 'phishing.example' }],
    ['of the creation of a passkey', { type: 'webauthn.create' }],
    ['without the presence of a person', { up: false }],
    ['with the user handle of another person', { userHandle: Buffer.from(unknownId, 'hex').toString('base64url') }],
    ['with another challenge', { challenge: sha256('another').toString('base64url') }],
    ['with an unknown credential', { id: sha256('unknown').toString('base64url') }],
  ]

  it.each(lies)('an answer %s approves nothing, and uses the challenge up', async (_what, lie) => {
    const anna = await owner()
    const { id } = await anna.ask()
    const { json: options } = await anna.start(id)

    const wrong = await anna.finish(id, anna.authenticator.use(options, lie))
    const right = await anna.finish(id, anna.authenticator.use(options))

    expect([wrong.status, wrong.code]).toEqual([400, 'api.error.invalid.passkey'])
    expect([right.code, await stateOf(id)]).toEqual(['api.error.conflict.state', 'pending'])
    expect((await anna.approve(id)).json.state).toBe('approved')
  })

  it('the passkey of another person approves nothing', async () => {
    const [anna, ben] = [await owner(), await owner()]
    const { id } = await anna.ask()
    const { json } = await anna.start(id)
    const options = { ...json, allowCredentials: [] }

    const answer = await anna.finish(id, ben.authenticator.use(options))

    expect([answer.code, await stateOf(id)]).toEqual(['api.error.invalid.passkey', 'pending'])
  })

  it('a person who is not asked cannot approve with a passkey', async () => {
    const [anna, ben] = [await owner(), await owner()]
    const { id } = await anna.ask()

    const started = await ben.start(id)
    const finished = await ben.finish(id, await anna.sign(id))

    expect([started.code, finished.code]).toEqual(['api.error.notfound.user', 'api.error.notfound.user'])
    expect(await stateOf(id)).toBe('pending')
  })

  it('an answer is used up by a wrong one, and approves once', async () => {
    const anna = await owner()
    const { id } = await anna.ask()
    const { json: options } = await anna.start(id)
    await anna.finish(id, anna.authenticator.use({ ...options, challenge: random128() }))
    expect((await anna.finish(id, anna.authenticator.use(options))).code).toBe('api.error.conflict.state')

    const passkey = await anna.sign(id)

    const answers = await Promise.all([1, 2, 3].map(() => anna.finish(id, passkey)))

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  })

  inFullRun('a second start invalidates the challenge of the first one', async () => {
    const anna = await owner()
    const { id } = await anna.ask()
    const early = await anna.sign(id)
    await anna.start(id)

    const answer = await anna.finish(id, early)

    expect([answer.code, await stateOf(id)]).toEqual(['api.error.invalid.passkey', 'pending'])
  })

  inFullRun('a challenge ends after five minutes, also of an approval that waits longer', async () => {
    const anna = await owner()
    const { id } = await anna.ask({ expiresIn: 86_400 })
    const passkey = await anna.sign(id)
    running.clock.skip(ceremonyLifetime)

    const answer = await anna.finish(id, passkey)

    expect([answer.code, await stateOf(id)]).toEqual(['api.error.conflict.state', 'pending'])
  })

  it('a passkey that was removed meanwhile approves nothing', async () => {
    const anna = await owner()
    const { id } = await anna.ask()
    const passkey = await anna.sign(id)
    await running.call('DELETE', `${anna.passkeys}/${anna.passkey.id}`)

    const [finished, started] = [await anna.finish(id, passkey), await anna.start(id)]

    expect([finished.code, started.code]).toEqual(['api.error.invalid.passkey', 'api.error.notfound.passkey'])
    expect(await stateOf(id)).toBe('pending')
  })

  it('a person who left the domain cannot approve with a passkey', async () => {
    const anna = await owner()
    const { id } = await anna.ask()
    const passkey = await anna.sign(id)
    await running.call('DELETE', anna.memberPath)

    const answer = await anna.finish(id, passkey)

    expect(answer.code).toBe('api.error.notfound.user')
    expect(await app.get(id)).toMatchObject({ state: 'denied', reason: 'approver_removed' })
  })

  inFullRun('no passkey approves an action that was cancelled or has expired', async () => {
    const anna = await owner()
    const [cancelled, late] = [await anna.ask(), await anna.ask({ expiresIn: 60 })]
    const passkeys = [await anna.sign(cancelled.id), await anna.sign(late.id)]
    await app.cancel(cancelled.id)
    running.clock.skip(60)

    const answers = [
      await anna.finish(cancelled.id, passkeys[0]!),
      await anna.finish(late.id, passkeys[1]!),
      await anna.start(cancelled.id),
      await anna.start(late.id),
    ]

    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 'api.error.conflict.state'))
    expect([await stateOf(cancelled.id), await stateOf(late.id)]).toEqual(['cancelled', 'expired'])
  })

  it('a person who is asked on a device cannot approve with a passkey, which shows nothing and asks for no number', async () => {
    const anna = await owner()
    const passkey = await anna.sign((await anna.ask()).id)
    await personWithDevice(running, running.domain.id, {}, anna.id)
    const { id } = await anna.ask({ numberMatching: true })

    const [started, finished] = [await anna.start(id), await anna.finish(id, passkey)]

    expect([started.code, finished.code]).toEqual(['api.error.conflict.state', 'api.error.conflict.state'])
    expect(await stateOf(id)).toBe('pending')
  })

  inFullRun('one person approves with a passkey and another one on a device', async () => {
    const [anna, ben, cem] = [await owner(), await approver(running), await member(running)]
    const challenge = random128()
    const approvers = [{ id: anna.id }, { id: ben.id }]
    const { json: asked } = await app.ask({ approvers, needed: 2, requestedBy: cem.id, challenge })

    expect((await anna.approve(asked.id)).json.state).toBe('pending')
    expect((await anna.start(asked.id)).code).toBe('api.error.conflict.state')
    expect((await ben.decide(asked.id, 'approve')).json.state).toBe('approved')

    expect((await app.redeem(asked.id, challenge)).status).toBe(200)
  })
})
