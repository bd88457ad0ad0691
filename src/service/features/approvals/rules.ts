import { hash } from 'node:crypto'

import type { Requester } from '../../../contract/approval-content.ts'
import type { ApprovalReason, ApprovalState } from '../../../contract/approval-state.ts'
import { latestBeginning, notAfter } from '../../engine/base/present.ts'

/** How often people are asked to approve actions, and how often requesters and API keys may ask. Apart from the limits of sign-ins. */
export const approvalLimits = Object.freeze({
  /** Requests to a person that were not approved; an approval of the person resets them. */
  short: { limit: 10, window: 10 * 60 },
  long: { limit: 40, window: 24 * 60 * 60 },
  requester: { limit: 120, window: 60 * 60 },
  apiKey: { limit: 6_000, window: 10 * 60 },
})

/** The most requests of their own, and as many of others, that wait for one person in one domain. */
export const maxWaiting = 5

interface TimedApproval {
  readonly state: ApprovalState
  readonly createdAt: number
  readonly expiresAt: number
  readonly settledAt: number | null
}

/** The approval in its current state; as `atTime` for sessions. */
export function approvalAtTime<A extends TimedApproval>(approval: A, now: number): A {
  const hasBegun = approval.createdAt <= latestBeginning(now)
  if (approval.state !== 'pending' || (hasBegun && approval.expiresAt > now)) return approval
  return { ...approval, state: 'expired', settledAt: notAfter(approval.expiresAt, now) }
}

/** What one person has said so far. */
export interface Voice {
  readonly decision: 'approve' | 'deny' | 'report' | null
  readonly removed: 0 | 1
}

/** How an approval ends. */
export interface Outcome {
  readonly state: 'approved' | 'denied'
  readonly reason: ApprovalReason | null
}

/** @returns undefined while more answers are needed, and can still come. */
export function outcomeOf(voices: readonly Voice[], needed: number): Outcome | undefined {
  if (voices.some(({ decision }) => decision === 'report')) return { state: 'denied', reason: 'reported' }
  const counting = voices.filter(({ removed }) => removed === 0)
  const approving = counting.filter(({ decision }) => decision === 'approve').length
  if (approving >= needed) return { state: 'approved', reason: null }
  const denying = counting.filter(({ decision }) => decision === 'deny').length
  if (counting.length - denying >= needed) return undefined
  return { state: 'denied', reason: denying > 0 ? 'user_denied' : 'approver_removed' }
}

/** What a block is about: the same requester at the same API key. */
export function requesterKey({ kind, name }: Requester, requestedBy: string | null): string {
  if (kind === 'self') return 'self'
  return requestedBy === null ? `app:${comparableName(name)}` : `user:${requestedBy}`
}

/** Whether people ask for themselves. */
export const isOwn = (requester: string): boolean => requester === 'self'

/**
 * A name without case, spaces and what nobody sees: a requester that a person has blocked must not ask again under a name that looks the
 * same.
 */
const comparableName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')

/** SHA-256 of the content, hexadecimal. */
export const digestOf = (content: string): string => hash('sha256', content, 'hex')
