import { ceremonyLifetime } from '../../contract/passkeys.ts'
import type { AdminCreationOptions, AdminRequestOptions } from '../../contract/admin/sign-in.ts'
import type { AdminPasskey } from '../../contract/admin/sign-in.ts'
import type { ConsoleCall } from '../context/caller.ts'
import { ApiProblem, tooManyRequests } from '../ground/problem.ts'
import type { Call } from '../http/route.ts'
import { loadWebAuthn } from '../passkeys/webauthn.ts'
import type { AuthenticationAnswer, MadeCredential, RegistrationAnswer } from '../passkeys/webauthn.ts'
import { networkOf } from '../rules/network.ts'
import { algorithms, ceremonyLimit, readClientData } from '../rules/passkeys.ts'
import type { ClientData } from '../rules/passkeys.ts'
import { insertAdministratorCeremony, useAdministratorCeremony } from '../store/administrator-ceremonies.ts'
import type { AdministratorCeremonyOf, AdministratorCeremonyRow } from '../store/administrator-ceremonies.ts'
import { openAdministratorKey } from '../store/administrator-passkeys.ts'
import type { AdministratorPasskeyRow } from '../store/administrator-passkeys.ts'
import { takeAttempt } from '../store/attempts.ts'
import { hashOfChallenge } from '../store/passkey-ceremonies.ts'
import type { Queryable } from '../store/schema.ts'
import { UnsealError } from '../sealing/sealing.ts'
import { descriptorOf } from '../views/views.ts'
import { consoleOf } from './call.ts'

/** What a ceremony of the console is for. */
type Purpose = Pick<AdministratorCeremonyRow, 'kind' | 'subject' | 'userHandle'>

/** Begins a ceremony. In a transaction. @returns the challenge that the authenticator signs, base64url. */
export async function beginCeremony(db: Queryable, call: Call, purpose: Purpose): Promise<string> {
  const now = call.clock.now()
  const scope = `console ${networkOf(call.address ?? undefined)}`
  const wait = await takeAttempt(db, [{ scope, ...ceremonyLimit }], now)
  if (wait > 0) throw tooManyRequests({ limit: limitWords, wait, now })
  const challenge = Buffer.from(call.random(32)).toString('base64url')
  const expiresAt = now + ceremonyLifetime
  await insertAdministratorCeremony(db, { ...purpose, challengeHash: hashOfChallenge(challenge), expiresAt })
  return challenge
}

const limitWords = `at most ${ceremonyLimit.limit} passkey ceremonies in 10 minutes for each address`

/** Milliseconds. */
const timeout = ceremonyLifetime * 1000

/** For `navigator.credentials.create()`. */
export function creationOptions(
  { rpId }: ConsoleCall,
  challenge: string,
  person: { readonly userHandle: string; readonly name: string; readonly email: string },
  present: readonly AdministratorPasskeyRow[],
): AdminCreationOptions {
  return {
    challenge,
    rp: { id: rpId, name: rpId },
    user: { id: person.userHandle, name: person.email, displayName: person.name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg }) as const),
    timeout,
    attestation: 'none',
    excludeCredentials: present.filter((row) => row.rpId === rpId).map((row) => descriptorOf(row)),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  }
}

/** For `navigator.credentials.get()`. Without passkeys, the person chooses one of those that the authenticator stores. */
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
 * Verifies a new passkey, and uses the ceremony up, whether the answer is right or wrong.
 * @throws {ApiProblem} `api.error.conflict.state` for a ceremony that has ended; `api.error.invalid.response`
 */
export async function verifyMade(
  call: Call,
  response: RegistrationAnswer,
  of: Pick<AdministratorCeremonyOf, 'kind' | 'subject'>,
): Promise<{ readonly made: MadeCredential; readonly userHandle: string }> {
  const webauthn = await loadWebAuthn(call)
  const { clientData, ceremony } = await useNamed(call, response.response.clientDataJSON, of)
  if (!ceremony) throw new ApiProblem('api.error.conflict.state', 'The challenge has expired, or was used up.')
  const made = clientData && (await webauthn.verifyRegistration(response, expectedOf(call, clientData)))
  if (!made) throw wrongAnswer()
  return { made, userHandle: ceremony.userHandle }
}

/**
 * Verifies the use of a passkey, and uses the ceremony up, whether the answer is right or wrong.
 * @returns undefined for a wrong answer.
 */
export async function verifyUse(
  call: Call,
  {
    response,
    passkey,
  }: { readonly response: AuthenticationAnswer; readonly passkey: AdministratorPasskeyRow | undefined },
  of: Pick<AdministratorCeremonyOf, 'kind' | 'subject'>,
) {
  const webauthn = await loadWebAuthn(call)
  const { clientData, ceremony } = await useNamed(call, response.response.clientDataJSON, of)
  const publicKey = passkey && publicKeyOf(call, passkey)
  if (!ceremony || !clientData || !publicKey) return undefined
  return webauthn.verifyAuthentication(response, { ...expectedOf(call, clientData), publicKey })
}

async function useNamed(call: Call, clientDataJSON: string, of: Pick<AdministratorCeremonyOf, 'kind' | 'subject'>) {
  const clientData = readClientData(clientDataJSON)
  if (!clientData)
    throw new ApiProblem('api.error.invalid.response', 'response: clientDataJSON: expected client data as JSON')
  const challengeHash = hashOfChallenge(clientData.challenge)
  const ceremony = await useAdministratorCeremony(call.store.db, { ...of, challengeHash }, call.clock.now())
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

/** What the console shows of a passkey. */
export function passkeyView(row: Omit<AdministratorPasskeyRow, 'sequence'>): AdminPasskey {
  const { id, name, syncable, synced, createdAt, lastUsedAt } = row
  const used = lastUsedAt === null ? {} : { lastUsedAt }
  return { id, name, syncable: syncable === 1, synced: synced === 1, createdAt, ...used }
}
