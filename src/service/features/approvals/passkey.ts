import { hash } from 'node:crypto'

import { passkeyChallengeLabel } from '../../../contract/approval-proof.ts'
import type { PasskeyKey } from '../../../contract/approval-proof.ts'
import type * as contract from '../../../contract/approvals.ts'
import { ceremonyLifetime } from '../../../contract/passkeys.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { findMember } from '../domains/find.ts'
import { passkeysOfUser } from '../factors/possessions.ts'
import { publicKeyOf, useVerified } from '../passkeys/check-passkey.ts'
import type { VerifiedAssertion } from '../passkeys/check-passkey.ts'
import { readClientData, userHandleOf } from '../passkeys/rules.ts'
import { passkeyByCredential } from '../passkeys/statements.ts'
import { descriptorOf } from '../passkeys/view.ts'
import { loadWebAuthn } from '../passkeys/webauthn.ts'
import { lockMember } from '../users/lock-member.ts'
import { approverOf, setPasskeyNonce, usePasskeyNonce } from './approver-statements.ts'
import type { ApproverRow } from './approver-statements.ts'
import { forgetAsked } from './budget.ts'
import { openContent } from '../../engine/secrets/approval-content.ts'
import { loadApproval } from './operations.ts'
import { signReceipt } from './receipt.ts'
import { receiptKeyFor } from './receipt-keys.ts'
import { approvalAtTime } from './rules.ts'
import { acceptAnswer } from './settle.ts'
import { lockApproval } from './statements.ts'
import type { ApprovalRow } from './statements.ts'
import { readView } from './view.ts'

/**
 * The challenge that a passkey signs: equal contents differ by the nonce, and no challenge of a sign-in is made in this way, because
 * those are random or end in a proof of the service.
 */
function approvalChallenge(approvalId: string, nonce: string, content: string): string {
  const parts = [
    Buffer.from(`${passkeyChallengeLabel}\0`),
    Buffer.from(approvalId, 'hex'),
    Buffer.from(nonce, 'base64url'),
    hash('sha256', content, 'buffer'),
  ]
  return hash('sha256', Buffer.concat(parts), 'base64url')
}

export const start: Handler<typeof contract.startApprovalByPasskey> = async (input, call) => {
  await loadWebAuthn(call)
  const approval = await loadApproval(call, input)
  const { user } = await findMember(call, input.domainId, input.user)
  const usable = (await passkeysOfUser(call.store.db, user.id)).filter(({ rpId }) => rpId === input.rp.id)
  if (usable.length === 0) throw new ApiProblem('api.error.notfound.passkey')
  const approver = await waitingApprover(call, call.store.db, approval, user.id)
  const nonce = Buffer.from(call.random(32)).toString('base64url')
  const until = call.clock.now() + ceremonyLifetime
  if (!(await setPasskeyNonce(call.store.db, { id: approver.id, nonce, until }))) throw tooLate()
  return {
    challenge: approvalChallenge(approval.id, nonce, openContent(call.secrets, approval)),
    rpId: input.rp.id,
    timeout: ceremonyLifetime * 1_000,
    userVerification: 'preferred',
    allowCredentials: usable.map((row) => descriptorOf(row)),
  }
}

type Approving = Input<typeof contract.approveByPasskey>

export const approve: Handler<typeof contract.approveByPasskey> = async (input, call) => {
  const approval = await loadApproval(call, input)
  const { user } = await findMember(call, input.domainId, input.user)
  const { nonce, verified } = await verifyAnswer(call, approval, user.id, input)
  const key = await receiptKeyFor(call)
  const settled = await readCommitted(call.store.db).execute(async (db) => {
    const member = await lockMember(db, call, approval.domainId, user.id)
    const current = (await lockApproval(db, approval.id)) ?? approval
    const approver = await waitingApprover(call, db, current, member.id)
    if (!(await usePasskeyNonce(db, approver.id, nonce))) throw tooLate()
    const owner = { domainId: approval.domainId, userId: member.id }
    const used = verified && (await useVerified(call, db, owner, verified))
    if (!used) return undefined
    const proof = signReceipt(key, answerText(call, current, nonce, input), {
      iss: call.serviceId,
      iat: call.clock.now(),
      approval: current.id,
      domain: current.domainId,
      user: { id: member.id, username: member.username },
      decision: 'approve',
      shownBy: 'app',
      passkey: used.factorId,
      key: verified.key,
      rpId: input.rp.id,
      userVerified: used.userVerified === 1,
    })
    const accepted = await acceptAnswer(call, db, current, {
      approver,
      decision: 'approve',
      number: null,
      proof,
      device: null,
    })
    if (!accepted) throw tooLate()
    await forgetAsked(db, approval, member.id)
    return accepted
  })
  if (!settled) throw wrong()
  return readView(call, call.store.db, settled)
}

interface VerifiedAnswer {
  readonly nonce: string
  /** Undefined for a wrong answer, which uses the nonce up. */
  readonly verified: (VerifiedAssertion & { readonly key: PasskeyKey }) | undefined
}

/** Verifies an answer before the transaction that uses it: a transaction waits for statements only. */
async function verifyAnswer(
  call: Call,
  approval: ApprovalRow,
  userId: string,
  { passkey: answer, rp }: Approving,
): Promise<VerifiedAnswer> {
  const clientData = readClientData(answer.response.clientDataJSON)
  if (!clientData)
    throw new ApiProblem('api.error.invalid.passkey', 'passkey: clientDataJSON: expected client data as JSON')
  const webauthn = await loadWebAuthn(call)
  const approver = await waitingApprover(call, call.store.db, approval, userId)
  const { passkeyNonce: nonce, passkeyUntil } = approver
  if (nonce === null || (passkeyUntil ?? 0) <= call.clock.now()) throw tooLate()
  const isOfAnother =
    typeof answer.response.userHandle === 'string' && answer.response.userHandle !== userHandleOf(userId)
  const row = await passkeyByCredential(call.store.db, { userId, rpId: rp.id, credentialId: answer.id })
  const publicKey = row && publicKeyOf(call, row)
  if (clientData.crossOrigin || isOfAnother || !row || !publicKey) return { nonce, verified: undefined }
  const assertion = await webauthn.verifyAuthentication(answer, {
    webauthnChallenge: approvalChallenge(approval.id, nonce, openContent(call.secrets, approval)),
    rpId: rp.id,
    origins: rp.origins,
    publicKey,
  })
  return { nonce, verified: assertion && { ...assertion, passkeyId: row.id, key: webauthn.jwkOf(publicKey) } }
}

/** What the proof contains of the answer, as text: `ApprovalPasskeyAnswer`. */
function answerText(call: Call, approval: ApprovalRow, nonce: string, { passkey }: Approving): string {
  const { clientDataJSON: clientData, authenticatorData, signature } = passkey.response
  const content = openContent(call.secrets, approval)
  const answer = { approval: approval.id, content, nonce, credentialId: passkey.id }
  return JSON.stringify({ ...answer, authenticatorData, clientData, signature })
}

/** The person, while an answer of theirs is wanted. @throws {ApiProblem} `api.error.conflict.state` */
async function waitingApprover(call: Call, db: Queryable, approval: ApprovalRow, userId: string): Promise<ApproverRow> {
  const approver = await approverOf(db, { approvalId: approval.id, domainId: approval.domainId, userId })
  if (!approver) throw new ApiProblem('api.error.notfound.user')
  // A device shows the content itself, and can ask for the number, so a person who has one approves there.
  if (approver.deviceId !== null)
    throw new ApiProblem('api.error.conflict.state', 'user: is asked on a device, and approves there')
  if (approver.waiting === 0 || approvalAtTime(approval, call.clock.now()).state !== 'pending') throw tooLate()
  return approver
}

const wrong = () => new ApiProblem('api.error.invalid.passkey', 'passkey: does not match the approval')

const tooLate = () => new ApiProblem('api.error.conflict.state')
