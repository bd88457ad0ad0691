import type * as contract from '../../../contract/passkeys.ts'
import { ceremonyLifetime, maxPasskeys } from '../../../contract/passkeys.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { requirePass } from '../factors/change-pass.ts'
import { enrollUser, rejectWhileCodeIsIssued } from '../factors/enrollment.ts'
import { announceCall } from '../factors/announcements.ts'
import { lockMember } from '../users/lock-member.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { beginCeremony, expectedOf, namedCeremony } from './ceremonies.ts'
import { loadWebAuthn } from './webauthn.ts'
import type { MadeCredential } from './webauthn.ts'
import { algorithms, userHandleOf } from './rules.ts'
import { newId } from '../../engine/base/random.ts'
import { useCeremony } from './ceremony-statements.ts'
import { insertPasskey, sealPublicKey } from './statements.ts'
import { passkeysOfUser } from '../factors/possessions.ts'
import type { PasskeyRow } from '../factors/possessions.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import type { UserRow } from '../users/statements.ts'
import { descriptorOf, passkeyView } from './view.ts'
import { findDomain, findMember } from '../domains/find.ts'
import { budgetOf, namedBrowser } from '../browsers/known-browser.ts'

/** Milliseconds. */
const timeout = ceremonyLifetime * 1000

export const startRegistration: Handler<typeof contract.startPasskeyRegistration> = async (input, call) => {
  requireRole(call, input)
  await loadWebAuthn(call)
  const { rp, challenge } = input
  const domain = await findDomain(call, input.domainId)
  const start = async (db: Queryable) => {
    const user = await lockMember(db, call, domain.id, input.userId)
    const permission = await requirePermission(db, call, { ...input, domainId: domain.id, user, rpId: rp.id })
    const newCeremony = { domainId: domain.id, userId: user.id, purpose: null, budget: 'other' } as const
    const webauthnChallenge = await beginCeremony(call, db, { ...newCeremony, kind: 'register', rp, challenge })
    return {
      challenge: webauthnChallenge,
      rp: { id: rp.id, name: rp.name },
      user: { id: userHandleOf(user.id), name: user.username, displayName: user.name },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg }) as const),
      timeout,
      attestation: 'none',
      excludeCredentials: permission.filter(({ rpId }) => rpId === rp.id).map((row) => descriptorOf(row)),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    } as const
  }
  return answerOnce(call, { change: start, answer: (options) => options })
}

export const register: Handler<typeof contract.registerPasskey> = async (input, call) => {
  requireRole(call, input)
  const { first, name } = input
  const { domain } = await findMember(call, input.domainId, { id: input.userId })
  const { rpId, made: credential } = await verifyAnswer(call, { ...input, domainId: domain.id })
  const id = newId(call.random)
  const row = { ...newRow(call, credential, { id, userId: input.userId }), rpId, name }
  const insert = async (db: Queryable) => {
    const user = await lockMember(db, call, domain.id, input.userId)
    await requirePermission(db, call, { ...input, domainId: domain.id, user, rpId })
    if (!(await enrollUser(db, call, { userId: user.id, first }, call)))
      throw new ApiProblem('api.error.conflict.enrolled')
    if (!(await insertPasskey(db, row))) throw new ApiProblem('api.error.conflict.passkey')
    await auditCall(db, call, 'passkey.added', { passkey: id, domain: domain.id, user: user.id })
    await announceCall(db, call, { kind: 'passkey_added', userId: user.id, domainId: domain.id, pass: input.pass })
    return passkeyView({ ...row, lastUsedAt: null })
  }
  return answerOnce(call, { change: insert, answer: (view) => view })
}

export const startAuthentication: Handler<typeof contract.startPasskeyAuthentication> = async (input, call) => {
  const { rp, challenge, purpose, browser } = input
  await loadWebAuthn(call)
  const domain = await findDomain(call, input.domainId)
  const start = async (db: Queryable) => {
    const user = await lockMember(db, call, domain.id, input.userId)
    const usable = (await passkeysOfUser(db, user.id)).filter(({ rpId }) => rpId === rp.id)
    if (usable.length === 0) throw new ApiProblem('api.error.notfound.passkey')
    const member = { domainId: domain.id, userId: user.id }
    const budget = budgetOf(await namedBrowser(call, db, { ...member, browser }))
    return {
      challenge: await beginCeremony(call, db, { ...member, kind: 'authenticate', rp, challenge, purpose, budget }),
      rpId: rp.id,
      timeout,
      userVerification: 'preferred',
      allowCredentials: usable.map((row) => descriptorOf(row)),
    } as const
  }
  const begin = <R>(run: (db: Queryable) => Promise<R>) => readCommitted(call.store.db).execute(run)
  return answerOnce(call, { change: start, answer: (options) => options, begin })
}

/** An attacker who takes over an app and its key of role `auth` must not be able to add passkeys for users who have a factor. */
function requireRole({ role }: Call, { first }: { readonly first: boolean }): void {
  if (role === 'auth' && !first) throw new ApiProblem('api.error.forbidden')
}

interface Adding {
  readonly domainId: string
  readonly user: UserRow
  readonly rpId: string
  readonly first: boolean
  readonly pass?: string | undefined
}

/** The same at the start, so that no authenticator makes a passkey in vain, and at the end. @returns the present passkeys. */
async function requirePermission(db: Queryable, call: Call, adding: Adding): Promise<PasskeyRow[]> {
  const { domainId, user, rpId, first, pass } = adding
  if (first && user.everEnrolled === 1) throw new ApiProblem('api.error.conflict.enrolled')
  if (first) await rejectWhileCodeIsIssued(db, call, domainId, user.id)
  else await requirePass(db, call, { userId: user.id, changed: 'passkey', pass, rpId, domainId })
  const passkeys = await passkeysOfUser(db, user.id)
  if (passkeys.length >= maxPasskeys) throw new ApiProblem('api.error.limit.passkeys')
  return passkeys
}

type Answer = Pick<
  Input<typeof contract.registerPasskey>,
  'domainId' | 'userId' | 'challenge' | 'response' | 'conditional'
>

/** Uses the ceremony up, whether the answer is right or wrong, and before the transaction: that waits for statements only. */
async function verifyAnswer(call: Call, { domainId, userId, challenge, response, conditional }: Answer) {
  const answered = namedCeremony(response.response.clientDataJSON)
  if (!answered)
    throw new ApiProblem('api.error.invalid.response', 'response: clientDataJSON: expected client data as JSON')
  const webauthn = await loadWebAuthn(call)
  const { challengeHash, clientData } = answered
  const ceremonyKey = { challengeHash, domainId, userId, kind: 'register' } as const
  const ceremony = await useCeremony(call.store.db, ceremonyKey, call.clock.now())
  if (!ceremony) throw new ApiProblem('api.error.conflict.state', 'The challenge has expired, or was used up.')
  const isOurs = ceremony.challenge === challenge && !clientData.crossOrigin
  const expected = { ...expectedOf(call, answered, ceremony), conditional }
  const credential = isOurs && (await webauthn.verifyRegistration(response, expected))
  if (!credential) throw new ApiProblem('api.error.invalid.response', 'response: does not match the challenge')
  return { rpId: ceremony.rpId, made: credential }
}

function newRow(call: Call, credential: MadeCredential, row: Pick<PasskeyRow, 'id' | 'userId'>) {
  return {
    ...row,
    organizationId: call.organizationId,
    credentialId: credential.credentialId,
    publicKey: sealPublicKey(call.secrets, row, credential.publicKey),
    counter: credential.counter,
    transports: JSON.stringify(credential.transports),
    syncable: credential.syncable ? 1 : 0,
    synced: credential.synced ? 1 : 0,
    createdAt: call.clock.now(),
  } as const
}
