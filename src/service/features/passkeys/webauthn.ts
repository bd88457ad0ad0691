import type { z } from 'zod'

import type { AuthenticationResponse, RegistrationResponse } from '../../../contract/webauthn.ts'
import type { PasskeyKey } from '../../../contract/approval-proof.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { loadOnce } from '../../engine/base/load-once.ts'
import { isInstalled, loadOptional } from '../../engine/base/optional-package.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { algorithms } from './rules.ts'

export type RegistrationAnswer = z.output<typeof RegistrationResponse>
export type AuthenticationAnswer = z.output<typeof AuthenticationResponse>

/** The values that an answer must have. */
export interface Expected {
  /** The challenge as browsers return it, base64url. */
  readonly webauthnChallenge: string
  readonly rpId: string
  readonly origins: readonly string[]
  /** Whether the person need not have been present, because the browser made the passkey without asking. */
  readonly conditional?: boolean
  /** Whether the authenticator must have verified the person, by PIN or biometrics. */
  readonly verifiesPerson?: boolean
}

/** A key pair that an authenticator has made. */
export interface MadeCredential {
  readonly credentialId: string
  readonly publicKey: Uint8Array
  readonly counter: number
  /** How browsers reach the authenticator. */
  readonly transports: readonly string[]
  readonly syncable: boolean
  readonly synced: boolean
}

/** The values that an authenticator has signed with a passkey. */
export interface Assertion {
  readonly counter: number
  readonly userVerified: boolean
  readonly syncable: boolean
  readonly synced: boolean
}

/** Verifies answers of authenticators (WebAuthn sections 7.1 and 7.2). */
export interface WebAuthn {
  /** @returns undefined for a wrong answer. @throws {ApiProblem} `api.error.invalid.response` for a malformed one. */
  verifyRegistration(response: RegistrationAnswer, expected: Expected): Promise<MadeCredential | undefined>
  /** The counter is not compared. @returns undefined for a wrong answer. */
  verifyAuthentication(
    response: AuthenticationAnswer,
    expected: Expected & { readonly publicKey: Uint8Array<ArrayBuffer> },
  ): Promise<Assertion | undefined>
  /** A public key (COSE, RFC 9052 section 7) as a JWK (RFC 7517). */
  jwkOf(publicKey: Uint8Array<ArrayBuffer>): PasskeyKey
}

const loaded = loadOnce(load)

/**
 * Loads the library at the first ceremony, because that takes 150 ms and 27 MB. Ceremonies at once share it.
 * @throws {ApiProblem} `api.error.unavailable.passkeys`
 */
export async function loadWebAuthn({
  logger,
  logLimit,
}: Pick<ServiceContext, 'logger' | 'logLimit'>): Promise<WebAuthn> {
  try {
    return await loaded()
  } catch (cause) {
    if (logLimit.admits('webauthn') && cause instanceof Error) logger.error({}, cause.message)
    throw new ApiProblem('api.error.unavailable.passkeys', undefined, { cause })
  }
}

async function load(): Promise<WebAuthn> {
  const [server, helpers] = await loadOptional(optional, () =>
    Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')]),
  )
  return {
    async verifyRegistration(
      response,
      { webauthnChallenge, rpId, origins, conditional = false, verifiesPerson = false },
    ) {
      requireNoAttestation(() => helpers.decodeAttestationObject(bytesOf(response.response.attestationObject)))
      const { transports = [], ...attested } = response.response
      const verified = await orWrong(
        server.verifyRegistrationResponse({
          response: { ...response, response: attested, clientExtensionResults: {} },
          expectedChallenge: webauthnChallenge,
          expectedOrigin: [...origins],
          expectedRPID: rpId,
          // After a password, presence is a second factor.
          requireUserVerification: verifiesPerson,
          requireUserPresence: !conditional,
          supportedAlgorithmIDs: [...algorithms],
        }),
      )
      if (!verified?.verified) return undefined
      const { credential, credentialDeviceType, credentialBackedUp } = verified.registrationInfo
      if (credential.id !== response.id) return undefined
      const { id: credentialId, publicKey, counter } = credential
      return { credentialId, publicKey, counter, transports, ...backupOf(credentialDeviceType, credentialBackedUp) }
    },
    async verifyAuthentication(response, { webauthnChallenge, rpId, origins, publicKey, verifiesPerson = false }) {
      const { userHandle, ...signed } = response.response
      const verified = await orWrong(
        server.verifyAuthenticationResponse({
          response: {
            ...response,
            response: { ...signed, ...(userHandle && { userHandle }) },
            clientExtensionResults: {},
          },
          expectedChallenge: webauthnChallenge,
          expectedOrigin: [...origins],
          expectedRPID: rpId,
          // The library throws when a counter went backwards; from 0 it never does.
          credential: { id: response.id, publicKey, counter: 0 },
          requireUserVerification: verifiesPerson,
        }),
      )
      if (!verified?.verified) return undefined
      const { newCounter, userVerified, credentialDeviceType, credentialBackedUp } = verified.authenticationInfo
      return { counter: newCounter, userVerified, ...backupOf(credentialDeviceType, credentialBackedUp) }
    },
    jwkOf(publicKey) {
      const cose = helpers.decodeCredentialPublicKey(publicKey) as unknown as Map<number, Uint8Array>
      const member = (label: number) => Buffer.from(cose.get(label) ?? []).toString('base64url')
      const type = Number(cose.get(coseLabel.type))
      if (type === coseType.rsa) return { kty: 'RSA', n: member(coseLabel.first), e: member(coseLabel.second) }
      if (type === coseType.octetPair) return { kty: 'OKP', crv: 'Ed25519', x: member(coseLabel.second) }
      return { kty: 'EC', crv: 'P-256', x: member(coseLabel.second), y: member(coseLabel.third) }
    },
  }
}

/** Labels and types of COSE keys (RFC 9053 section 7, RFC 8230 section 4). The algorithms that are accepted have one curve each. */
const coseLabel = { type: 1, first: -1, second: -2, third: -3 } as const
const coseType = { octetPair: 1, rsa: 3 } as const

/** Whether passkeys can be verified here. The library is not loaded for that. */
export const canVerifyPasskeys = (): boolean => isInstalled(optional)

const optional = { name: '@simplewebauthn/server', purpose: 'Using passkeys', oldest: '13.0' }

/**
 * Refuses attestation before the library sees it: the answer itself says which of its verifiers runs, and they have had
 * vulnerabilities (GHSA-6hxq-p678-4hr2).
 */
function requireNoAttestation(decode: () => { get(key: 'fmt'): unknown; get(key: 'attStmt'): unknown }): void {
  const fmt = attestationFormat(decode)
  if (fmt === undefined) throw new ApiProblem('api.error.invalid.response', 'response: no attestation object')
  if (fmt !== 'none') throw new ApiProblem('api.error.invalid.response', 'response: must come without attestation')
}

function attestationFormat(decode: () => { get(key: 'fmt'): unknown }): unknown {
  try {
    return decode().get('fmt')
  } catch {
    // Not CBOR, or no map.
    return undefined
  }
}

/** The library throws for every wrong answer, with messages that contain what was sent. */
function orWrong<T>(verifying: Promise<T>): Promise<T | undefined> {
  return verifying.catch(() => undefined)
}

const backupOf = (type: 'singleDevice' | 'multiDevice', backedUp: boolean) => ({
  syncable: type === 'multiDevice',
  synced: backedUp,
})

const bytesOf = (encoded: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(encoded, 'base64url'))
