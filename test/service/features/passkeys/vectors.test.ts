import { decodeAttestationObject } from '@simplewebauthn/server/helpers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { systemRandom } from '../../../../src/service/engine/base/random.ts'
import { random128 } from '../../../support/device-signer.ts'
import { noneAttestation } from '../../../../src/testing/software-authenticator.ts'
import { member } from '../codes/code-holder.ts'
import { startService } from '../../start-service.ts'
import type { Answer, Running } from '../../start-service.ts'
import { vectors } from './webauthn-vectors.ts'
import type { Vector } from './webauthn-vectors.ts'
import { inFullRun } from '../../../support/full-run.ts'

const rp = { id: 'example.org', origins: ['https://example.org'] }
const bytes = (hexadecimal: string) => new Uint8Array(Buffer.from(hexadecimal, 'hex'))
const text = (hexadecimal: string) => Buffer.from(hexadecimal, 'hex').toString('base64url')

let running: Running
/** The next challenge, in place of a random one. */
let challenge: Uint8Array | undefined

beforeAll(async () => {
  const random = (size: number) => {
    const nextChallenge = size === 32 ? challenge : undefined
    if (nextChallenge) challenge = undefined
    return nextChallenge ?? systemRandom(size)
  }
  running = await startService({ random })
})
afterAll(() => running.close())

const authDataOf = ({ registration }: Vector) =>
  decodeAttestationObject(bytes(registration.attestationObject)).get('authData')

/** The credential id of attested credential data: after 37 bytes, an AAGUID of 16 and its size. */
function credentialIdOf(vector: Vector): string {
  const authData = Buffer.from(authDataOf(vector))
  return authData.subarray(55, 55 + authData.readUInt16BE(53)).toString('base64url')
}

const named = (id: string) => ({ id, rawId: id, type: 'public-key' })

/** @param attestationObject By default, that of the vector. */
async function register(path: string, vector: Vector, attestationObject = text(vector.registration.attestationObject)) {
  const ceremony = { challenge: random128(), first: true }
  challenge = bytes(vector.registration.challenge)
  await running.call('POST', `${path}/passkeys/registration`, { body: { ...ceremony, rp: { ...rp, name: 'Example' } } })
  const clientDataJSON = text(vector.registration.clientDataJSON)
  const response = { ...named(credentialIdOf(vector)), response: { clientDataJSON, attestationObject } }
  return running.call('POST', `${path}/passkeys`, { body: { ...ceremony, name: 'Vector', response } })
}

async function authenticate(user: { id: string; memberPath: string }, vector: Vector): Promise<Answer> {
  const ceremony = { challenge: random128() }
  challenge = bytes(vector.authentication.challenge)
  await running.call('POST', `${user.memberPath}/passkeys/authentication`, { body: { ...ceremony, rp } })
  const { clientDataJSON, authenticatorData, signature } = vector.authentication
  const response = {
    clientDataJSON: text(clientDataJSON),
    authenticatorData: text(authenticatorData),
    signature: text(signature),
  }
  const passkey = { ...named(credentialIdOf(vector)), response }
  const body = { ...ceremony, user: { id: user.id }, passkey }
  return running.call('POST', `/domains/${running.domain.id}/sessions`, { body })
}

const { 'none-es256-crossOrigin': inFrame, 'none-es256-topOrigin': inNamedFrame, ...ofPages } = vectors

describe('the test vectors of WebAuthn', () => {
  inFullRun.each(['none-es256', 'none-es256-long-credential-id'] as const)(
    'the WebAuthn test vector %s can be registered and signs in',
    async (name) => {
      const user = await member(running)

      const registered = await register(user.memberPath, vectors[name])
      const { json: session } = await authenticate(user, vectors[name])

      expect(registered.json).toMatchObject({ rpId: 'example.org', credentialId: credentialIdOf(vectors[name]) })
      expect(session).toMatchObject({ state: 'approved', factor: 'passkey', factorId: registered.json.id })
    },
  )

  it.each(['packed-self-es256', 'packed-rs256', 'packed-eddsa'] as const)(
    'the WebAuthn test vector %s is refused with attestation',
    async (name) => {
      const user = await member(running)

      const { code, json } = await register(user.memberPath, vectors[name])

      expect(code).toBe('api.error.invalid.response')
      expect(json.errors[0].message).toBe('response: must come without attestation')
      expect(await user.show()).toMatchObject({ passkeys: [], everEnrolled: false })
    },
  )

  inFullRun.each(['packed-self-es256', 'packed-rs256', 'packed-eddsa'] as const)(
    'the WebAuthn test vector %s signs in after a registration without attestation',
    async (name) => {
      const user = await member(running)

      const registered = await register(user.memberPath, vectors[name], noneAttestation(authDataOf(vectors[name])))
      const { json: session } = await authenticate(user, vectors[name])

      expect(registered.status).toBe(200)
      expect(session).toMatchObject({ state: 'approved', factorId: registered.json.id })
    },
  )

  it.each([
    ['crossOrigin', inFrame],
    ['topOrigin', inNamedFrame],
  ] as const)(
    'the WebAuthn test vector %s is refused because it comes from a frame of another origin',
    async (_, vector) => {
      const user = await member(running)

      const { code } = await register(user.memberPath, vector)

      expect(code).toBe('api.error.invalid.response')
    },
  )

  it.each(Object.entries(ofPages))(
    'the WebAuthn test vector %s does not sign in when one bit of the signature is different',
    async (_, vector) => {
      const user = await member(running)
      await register(user.memberPath, vector, noneAttestation(authDataOf(vector)))
      const signature = Buffer.from(vector.authentication.signature, 'hex')
      signature[signature.length - 1]! ^= 1

      const authentication = { ...vector.authentication, signature: signature.toString('hex') }
      const { json } = await authenticate(user, { ...vector, authentication })

      expect(json).toMatchObject({ state: 'denied', reason: 'wrong_passkey' })
    },
  )
})
