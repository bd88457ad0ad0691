import { z } from 'zod'

import { isBlank } from '../ground/visible-text.ts'
import { ApprovalDecision, approvalLimits } from './approval-facts.ts'
import { ApprovalDetail, ApprovalTitle } from './approval-content.ts'
import { Proof } from './approval-proof.ts'
import { ApprovalReason, ApprovalState } from './approval-state.ts'
import { PublicKey } from './device.ts'
import { endpoint } from './endpoint.ts'
import { RelyingParty } from './relying-party.ts'
import { Id, Random128, Seconds, text } from './text.ts'
import { UserReference } from './user-reference.ts'
import { Username } from './users.ts'
import { AuthenticationResponse, RequestOptions } from './webauthn.ts'

// Apart, because devices and those who verify proofs need no more than these.
export * from './approval-content.ts'
export * from './approval-facts.ts'
export * from './approval-proof.ts'
export * from './approval-state.ts'

/** How long an approval can wait for its answers, seconds: at least, by default, and at most. */
export const approvalLifetimes = Object.freeze({ min: 30, default: 5 * 60, max: 24 * 60 * 60 })

/** The most people who can be asked to approve one action. */
export const maxApprovers = 20

/** How long an approval can be redeemed, seconds. */
export const approvalRedeemableFor = 10 * 60

/** How long a requester cannot ask a person who said "I didn't ask for this", seconds. */
export const requesterBlockLength = 24 * 60 * 60

/** A person who is asked. */
export const Approver = z.object({
  user: z.object({ id: Id, username: z.string() }),
  /** Absent until the person answers. */
  decision: ApprovalDecision.optional(),
  answeredAt: Seconds.optional(),
  /** The person is no longer a user of the domain, and an answer does not count. */
  removed: z.literal(true).optional(),
  /** The proof of the answer. */
  proof: Proof.optional(),
})
export type Approver = z.infer<typeof Approver>

/** A person's agreement to shown content. It never signs anybody in. */
export const Approval = z.object({
  id: Id,
  state: ApprovalState,
  reason: ApprovalReason.optional(),
  /** The content as it is shown and signed: JSON text. */
  content: z.string(),
  /** SHA-256 of the content, hexadecimal. */
  digest: z.string(),
  /** How many people have to approve. */
  needed: z.int(),
  approvers: z.array(Approver),
  /** The number to type on the device; only while pending, and only where one was asked for. */
  number: z.string().optional(),
  createdAt: Seconds,
  expiresAt: Seconds,
  settledAt: Seconds.optional(),
  redeemedAt: Seconds.optional(),
})
export type Approval = z.infer<typeof Approval>

/** What is asked for has to say something: nobody should approve an empty line. */
const seen = <S extends z.ZodType<string>>(schema: S) =>
  schema.refine((value) => !isBlank(value), 'must contain characters that can be seen')

/** The title of a new approval. */
export const NewApprovalTitle = seen(ApprovalTitle)

/** A fact of a new approval. */
export const NewApprovalDetail = ApprovalDetail.extend({
  label: seen(ApprovalDetail.shape.label),
  value: seen(ApprovalDetail.shape.value),
})

/** A username, or an object as for sessions. */
const ApproverReference = z.union([Username.transform((username) => ({ username })), UserReference])

export const NewApproval = z
  .object({
    /** The person who approves what they do themselves. Either this or `approvers`. */
    user: UserReference.optional(),
    /** The people who may approve what somebody else does; the requester cannot be one of them. */
    approvers: z.array(ApproverReference).min(1).max(maxApprovers).optional(),
    /** How many of them have to. */
    needed: z.int().min(1).max(maxApprovers).default(1),
    title: NewApprovalTitle,
    details: z.array(NewApprovalDetail).max(approvalLimits.details).default([]),
    /** Seconds. */
    expiresIn: z.int().min(approvalLifetimes.min).max(approvalLifetimes.max).default(approvalLifetimes.default),
    /**
     * Who asks: with `approvers`, the id of a user of the domain. With `user`, such an id, or a name that devices show as not confirmed;
     * without it, the person themselves.
     */
    requestedBy: seen(text(1, approvalLimits.requester)).optional(),
    /** Only with `user`, where the caller shows the number on the screen that the person is looking at. */
    numberMatching: z.boolean().default(false),
    /** Only this challenge can redeem the approval; without one it cannot be redeemed. */
    challenge: Random128.optional(),
  })
  .refine(({ user, approvers }) => (user === undefined) !== (approvers === undefined), {
    path: ['approvers'],
    message: 'either user or approvers has to be given',
  })
  .refine(({ approvers, requestedBy }) => !approvers || requestedBy !== undefined, {
    path: ['requestedBy'],
    message: 'required with approvers: the id of the user who asks',
  })
  .refine(({ approvers, numberMatching }) => !approvers || !numberMatching, {
    path: ['numberMatching'],
    message: 'only possible with user',
  })
  .refine(({ approvers, needed }) => needed <= (approvers?.length ?? 1), {
    path: ['needed'],
    message: 'more than there are approvers',
  })
export type NewApproval = z.input<typeof NewApproval>

export const createApproval = endpoint({
  method: 'POST',
  path: '/domains/:domainId/approvals',
  repeatable: true,
  summary: 'Asks one person, or several, to approve an action. They see its title and details on their devices.',
  body: NewApproval,
  response: Approval,
  role: 'auth',
  errors: [
    'api.error.notfound.user',
    'api.error.notfound.token',
    'api.error.invalid.approvers',
    'api.error.invalid.requestedby',
    'api.error.invalid.needed',
    'api.error.forbidden.requester',
  ],
  since: '1.4',
})

/** The answer to a read of the export, oldest first. */
export const ApprovalPage = z.object({
  approvals: z.array(Approval),
  /** The value of `after` for the next page; absent on the last one. */
  next: Id.optional(),
})
export type ApprovalPage = z.infer<typeof ApprovalPage>

export const listApprovals = endpoint({
  method: 'GET',
  path: '/domains/:domainId/approvals',
  summary: 'Lists the approvals of the domain with their proofs, oldest first, 100 a page.',
  query: z.object({ after: Id.optional() }),
  response: ApprovalPage,
  errors: ['api.error.invalid.after'],
  since: '1.4',
})

/** With `Prefer: wait=N` (RFC 7240 section 4.3) the response is held until the approval settles or N seconds pass. */
export const getApproval = endpoint({
  method: 'GET',
  path: '/domains/:domainId/approvals/:approvalId',
  summary: 'Reads an approval, with the proof of each answer.',
  held: true,
  response: Approval,
  role: 'auth',
  since: '1.4',
})

export const cancelApproval = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/approvals/:approvalId',
  summary: 'Cancels a pending approval, also on the devices. Does nothing to a settled one.',
  role: 'auth',
  since: '1.4',
})

export const redeemApproval = endpoint({
  method: 'POST',
  path: '/domains/:domainId/approvals/:approvalId/redeem',
  repeatable: true,
  summary:
    'Redeems an approval before the action is run. Succeeds once, within 10 minutes, and only with its challenge.',
  body: z.object({ challenge: Random128 }),
  response: Approval,
  role: 'auth',
  errors: ['api.error.conflict.state'],
  since: '1.4',
})

/** One approval settled. */
export const ApprovalEvent = z.object({ id: Id })
export type ApprovalEvent = z.infer<typeof ApprovalEvent>

/** One event each time an approval of the domain settles. Read the approval to learn how. */
export const watchApprovals = endpoint({
  method: 'GET',
  path: '/domains/:domainId/approvals/events',
  summary: 'Streams the ids of approvals that settle: one connection for a whole domain.',
  media: 'text/event-stream',
  response: ApprovalEvent,
  role: 'auth',
  since: '1.4',
})

export const startApprovalByPasskey = endpoint({
  method: 'POST',
  path: '/domains/:domainId/approvals/:approvalId/passkey/options',
  summary: 'Starts to approve with a passkey: returns the options for `navigator.credentials.get()`.',
  body: z.object({ user: UserReference, rp: RelyingParty }),
  response: RequestOptions,
  role: 'auth',
  errors: [
    'api.error.notfound.user',
    'api.error.notfound.passkey',
    'api.error.conflict.state',
    'api.error.unavailable.passkeys',
  ],
  since: '1.4',
})

export const approveByPasskey = endpoint({
  method: 'POST',
  path: '/domains/:domainId/approvals/:approvalId/passkey',
  summary: 'Approves with a passkey. The proof says that the page of the app has shown the content.',
  body: z.object({ user: UserReference, rp: RelyingParty, passkey: AuthenticationResponse }),
  bodyLimit: 64 * 1024,
  response: Approval,
  role: 'auth',
  errors: ['api.error.notfound.user', 'api.error.conflict.state', 'api.error.unavailable.passkeys'],
  since: '1.4',
})

/** The public keys of receipts (RFC 7517 section 5): the present one, and those of earlier proofs. */
export const ApprovalKeys = z.object({
  keys: z.array(PublicKey.extend({ kid: z.string(), alg: z.literal('ES256'), use: z.literal('sig') })),
})
export type ApprovalKeys = z.infer<typeof ApprovalKeys>

export const getApprovalKeys = endpoint({
  method: 'GET',
  path: '/approval-keys',
  summary: 'Returns the public keys that receipts are signed with, as a JWK Set. Pin it before you need it.',
  response: ApprovalKeys,
  role: 'auth',
  since: '1.4',
})
