import {
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'

import type { AdminCreationOptions, AdminRequestOptions } from '../../admin-contract/sign-in.ts'
import { PasskeyError } from './errors.ts'

export const passkeysSupported = (): boolean => 'PublicKeyCredential' in globalThis

/** @throws {PasskeyError} */
export async function usePasskey(options: AdminRequestOptions) {
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON
  return startAuthentication({ optionsJSON }).catch(fail)
}

/** @throws {PasskeyError} */
export async function createPasskey(options: AdminCreationOptions) {
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON
  return startRegistration({ optionsJSON }).catch(fail)
}

/** WebAuthn Level 3 section 5.1.3: `InvalidStateError` where the authenticator has a passkey of `excludeCredentials`. */
function fail(error: unknown): never {
  const name = error instanceof Error ? error.name : ''
  throw new PasskeyError(name === 'InvalidStateError' ? 'present' : 'canceled', error)
}
