import { auditCall } from '../../engine/audit/audit.ts'
import type { Caller } from '../../engine/context/caller.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { SessionPurpose } from '../../../contract/sessions.ts'
import { isRegression, userHandleOf } from './rules.ts'
import { UnsealError } from '../../engine/secrets/sealing.ts'
import { openCeremony, useCeremony } from './ceremony-statements.ts'
import type { CeremonyOf, CeremonyRow } from './ceremony-statements.ts'
import { notePasskeyUse, openPublicKey, passkeyByCredential } from './statements.ts'
import { passkeyOfUser } from '../factors/possessions.ts'
import type { PasskeyRow } from '../factors/possessions.ts'
import type { Fact, Queryable } from '../../engine/database/schema/schema.ts'
import { expectedOf, namedCeremony } from './ceremonies.ts'
import type { NamedCeremony } from './ceremonies.ts'
import { loadWebAuthn } from './webauthn.ts'
import type { Assertion, AuthenticationAnswer, WebAuthn } from './webauthn.ts'

/** An answer to a ceremony, with its signature verified. Whether it counts, only `usePasskey` says. */
export interface PresentedPasskey {
  readonly ceremony: CeremonyOf
  /** Absent for a wrong answer. */
  readonly verified: VerifiedAssertion | undefined
}

/** The values that the authenticator has signed, and its passkey. */
export type VerifiedAssertion = Assertion & { readonly passkeyId: string }

/**
 * Verifies an answer, before the transaction that uses it: a transaction waits for statements only.
 * @throws {ApiProblem} `api.error.invalid.passkey` for a malformed one.
 */
export async function presentPasskey(
  caller: Caller,
  answer: AuthenticationAnswer,
  { domainId, userId }: Pick<CeremonyOf, 'domainId' | 'userId'>,
): Promise<PresentedPasskey> {
  const answered = namedCeremony(answer.response.clientDataJSON)
  if (!answered)
    throw new ApiProblem('api.error.invalid.passkey', 'passkey: clientDataJSON: expected client data as JSON')
  const webauthn = await loadWebAuthn(caller)
  const ceremonyKey = { challengeHash: answered.challengeHash, domainId, userId, kind: 'authenticate' } as const
  const ceremony = await openCeremony(caller.store.db, ceremonyKey, caller.clock.now())
  return {
    ceremony: ceremonyKey,
    verified: ceremony && (await verify(caller, webauthn, { answer, answered, ceremony })),
  }
}

interface AnsweredCeremony {
  readonly answer: AuthenticationAnswer
  readonly answered: NamedCeremony
  readonly ceremony: CeremonyRow
}

async function verify(caller: Caller, webauthn: WebAuthn, { answer, answered, ceremony }: AnsweredCeremony) {
  const { userId, rpId } = ceremony
  // In a frame of another origin, the page around it may have tricked the person.
  if (answered.clientData.crossOrigin || isOfAnotherUser(answer, userId)) return undefined
  const passkey = await passkeyByCredential(caller.store.db, { userId, rpId, credentialId: answer.id })
  const publicKey = passkey && publicKeyOf(caller, passkey)
  if (!passkey || !publicKey) return undefined
  const assertion = await webauthn.verifyAuthentication(answer, {
    ...expectedOf(caller, answered, ceremony),
    publicKey,
  })
  return assertion && { ...assertion, passkeyId: passkey.id }
}

/** WebAuthn section 7.2, step 6. Authenticators may leave the user handle out. */
function isOfAnotherUser({ response: { userHandle } }: AuthenticationAnswer, userId: string): boolean {
  return typeof userHandle === 'string' && userHandle !== userHandleOf(userId)
}

/** @returns undefined for a passkey that was changed, or given to this user, in the database. */
export function publicKeyOf({ secrets }: Caller, passkey: PasskeyRow) {
  try {
    return openPublicKey(secrets, passkey)
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

/** A passkey that was used, for the session. */
export interface RightPasskey {
  readonly factor: 'passkey'
  readonly factorId: string
  readonly userVerified: Fact
}

/**
 * Uses the ceremony up, whether the answer is right or wrong, and the passkey if it is right. In a transaction that has locked
 * the user, so that a passkey that was removed a moment ago no longer counts.
 *
 * @returns undefined for any wrong answer.
 */
export async function usePasskey(
  caller: Caller,
  db: Queryable,
  { ceremony: ceremonyKey, verified }: PresentedPasskey,
  { challenge, purpose }: { readonly challenge: string | undefined; readonly purpose: SessionPurpose },
): Promise<RightPasskey | undefined> {
  const ceremony = await useCeremony(db, ceremonyKey, caller.clock.now())
  if (!ceremony || !verified || ceremony.challenge !== challenge || ceremony.purpose !== purpose) return undefined
  return useVerified(caller, db, ceremonyKey, verified)
}

/** Uses a passkey, once its challenge is used up. @returns undefined if the passkey is gone by now, or may be a copy. */
export async function useVerified(
  caller: Caller,
  db: Queryable,
  owner: Pick<CeremonyOf, 'domainId' | 'userId'>,
  verified: VerifiedAssertion,
): Promise<RightPasskey | undefined> {
  const passkey = await passkeyOfUser(db, { id: verified.passkeyId, userId: owner.userId })
  // WebAuthn section 7.2, step 20: backup eligibility never changes.
  if (!passkey || passkey.syncable !== factOf(verified.syncable)) return undefined
  const regressed = isRegression(verified.counter, passkey.counter)
  if (regressed) {
    const facts = { passkey: passkey.id, domain: owner.domainId, user: owner.userId }
    await auditCall(db, caller, 'passkey.counter_regressed', facts)
  }
  if (regressed && caller.refuseClones) return undefined
  // The highest counter stays, so that the other one of two authenticators shows as well.
  const counter = Math.max(verified.counter, passkey.counter)
  await notePasskeyUse(db, passkey.id, { counter, synced: factOf(verified.synced) }, caller.clock.now())
  return { factor: 'passkey', factorId: passkey.id, userVerified: factOf(verified.userVerified) }
}

const factOf = (fact: boolean): Fact => (fact ? 1 : 0)
