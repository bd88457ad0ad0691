import { hash } from 'node:crypto'

import { clockSkew } from '../../../ground/clock.ts'
import { ceremonyLifetime } from '../../../contract/passkeys.ts'
import type { AdminCreationOptions, AdminRequestOptions, AdminPasskey } from '../../../admin-contract/sign-in.ts'
import type { ConsoleCall } from '../../engine/context/caller.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import { newSignedChallenge, signedChallengeEnd } from '../passkeys/signed-challenge.ts'
import { loadWebAuthn } from '../passkeys/webauthn.ts'
import type { AuthenticationAnswer, MadeCredential, RegistrationAnswer } from '../passkeys/webauthn.ts'
import { algorithms, readClientData } from '../passkeys/rules.ts'
import type { ClientData } from '../passkeys/rules.ts'
import { insertUsedAdministratorChallenge } from './ceremony-statements.ts'
import { openAdministratorKey } from './passkey-statements.ts'
import type { AdministratorPasskeyRow } from './passkey-statements.ts'
import { hashOfChallenge } from '../passkeys/ceremony-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { UnsealError } from '../../engine/secrets/sealing.ts'
import { descriptorOf } from '../passkeys/view.ts'
import { consoleOf } from './call.ts'

/** The purpose and the owner of a ceremony of the console. An answer counts only for both. */
export interface CeremonyPurpose {
  readonly kind: 'register' | 'sign_in' | 'confirm' | 'add'
  /** The id of the invitation, or the hash of the session; empty for a sign-in, which belongs to no one yet. */
  readonly subject: string
}

/** Begins a ceremony, and stores nothing. @returns the challenge that the authenticator signs, base64url. */
export const beginCeremony = (call: Call, purpose: CeremonyPurpose): string =>
  newSignedChallenge(call, challengePurpose(call, purpose), call.clock.now())

const challengePurpose = (call: Call, { kind, subject }: CeremonyPurpose) => [
  'console',
  kind,
  consoleOf(call).rpId,
  subject,
]

/** A ceremony of ours that has not ended. Whether it was answered before, only `useCeremony` says. */
export interface OpenCeremony {
  readonly challenge: string
  /** The time until which it takes an answer, Unix seconds. */
  readonly end: number
}

/**
 * Uses a ceremony up: of several right answers at once, only one gets it. In the transaction of what the answer does.
 * @returns false if it was used up before.
 */
export function useCeremony(db: Queryable, { clock }: Call, { challenge, end }: OpenCeremony): Promise<boolean> {
  // Kept until no node takes the challenge anymore. A later end would be removed as one from a clock that was ahead.
  const expiresAt = Math.min(end, clock.now() + ceremonyLifetime) + clockSkew
  return insertUsedAdministratorChallenge(db, { challengeHash: hashOfChallenge(challenge), expiresAt })
}

/** The user handle of a new administrator (WebAuthn section 5.4.3): random, because the challenge is, and stored nowhere before. */
export const userHandleOf = (challenge: string): string => hash('sha256', `administrator ${challenge}`, 'base64url')

/** Milliseconds. */
const timeout = ceremonyLifetime * 1000

/** Options for `navigator.credentials.create()`. */
export function creationOptions(
  { rpId }: ConsoleCall,
  challenge: string,
  person: { readonly userHandle: string; readonly name: string; readonly email: string },
  passkeys: readonly AdministratorPasskeyRow[],
): AdminCreationOptions {
  return {
    challenge,
    rp: { id: rpId, name: rpId },
    user: { id: person.userHandle, name: person.email, displayName: person.name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg }) as const),
    timeout,
    attestation: 'none',
    excludeCredentials: passkeys.filter((row) => row.rpId === rpId).map((row) => descriptorOf(row)),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  }
}

/** Options for `navigator.credentials.get()`. Without passkeys, the person chooses one of those that the authenticator stores. */
export function requestOptions(
  { rpId }: ConsoleCall,
  challenge: string,
  allowed: readonly AdministratorPasskeyRow[] = [],
): AdminRequestOptions {
  return {
    challenge,
    rpId,
    timeout,
    userVerification: 'required',
    allowCredentials: allowed.filter((row) => row.rpId === rpId).map((row) => descriptorOf(row)),
  }
}

/**
 * Verifies a new passkey. The transaction that stores it uses the ceremony up.
 * @throws {ApiProblem} `api.error.conflict.state` for a ceremony that has ended; `api.error.invalid.response`
 */
export async function verifyMade(
  call: Call,
  response: RegistrationAnswer,
  purpose: CeremonyPurpose,
): Promise<{ readonly credential: MadeCredential; readonly ceremony: OpenCeremony }> {
  const webauthn = await loadWebAuthn(call)
  const { clientData, ceremony } = openCeremony(call, response.response.clientDataJSON, purpose)
  if (!ceremony) throw ceremonyEnded()
  const credential = clientData && (await webauthn.verifyRegistration(response, expectedOf(call, clientData)))
  if (!credential) throw wrongAnswer()
  return { credential, ceremony }
}

export const ceremonyEnded = () =>
  new ApiProblem('api.error.conflict.state', 'The challenge has expired, or was used up.')

/**
 * Verifies the use of a passkey. The transaction that accepts it uses the ceremony up.
 * @returns undefined for a wrong answer.
 */
export async function verifyUse(
  call: Call,
  {
    response,
    passkey,
  }: { readonly response: AuthenticationAnswer; readonly passkey: AdministratorPasskeyRow | undefined },
  purpose: CeremonyPurpose,
) {
  const webauthn = await loadWebAuthn(call)
  const { clientData, ceremony } = openCeremony(call, response.response.clientDataJSON, purpose)
  const publicKey = passkey && publicKeyOf(call, passkey)
  if (!ceremony || !clientData || !publicKey) return undefined
  const assertion = await webauthn.verifyAuthentication(response, { ...expectedOf(call, clientData), publicKey })
  return assertion && { ...assertion, ceremony }
}

function openCeremony(call: Call, clientDataJSON: string, purpose: CeremonyPurpose) {
  const clientData = readClientData(clientDataJSON)
  if (!clientData)
    throw new ApiProblem('api.error.invalid.response', 'response: clientDataJSON: expected client data as JSON')
  const { challenge } = clientData
  const end = signedChallengeEnd(call, challenge, challengePurpose(call, purpose), call.clock.now())
  const ceremony: OpenCeremony | undefined = end === undefined ? undefined : { challenge, end }
  // In a frame of another origin, the page around it may have tricked the person.
  return { ceremony, clientData: clientData.crossOrigin ? undefined : clientData }
}

function expectedOf(call: Call, { challenge }: ClientData) {
  const { rpId, origin } = consoleOf(call)
  return { webauthnChallenge: challenge, rpId, origins: [origin], verifiesPerson: true }
}

/** @returns undefined for a passkey that was changed, or given to this administrator, in the database. */
function publicKeyOf({ secrets }: Call, passkey: AdministratorPasskeyRow) {
  try {
    return openAdministratorKey(secrets, passkey)
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

export const wrongAnswer = () => new ApiProblem('api.error.invalid.response', 'response: the passkey was not accepted')

/** A passkey as the console shows it. */
export function passkeyView(row: Omit<AdministratorPasskeyRow, 'sequence'>): AdminPasskey {
  const { id, name, syncable, synced, createdAt, lastUsedAt } = row
  const used = lastUsedAt === null ? {} : { lastUsedAt }
  return { id, name, syncable: syncable === 1, synced: synced === 1, createdAt, ...used }
}
