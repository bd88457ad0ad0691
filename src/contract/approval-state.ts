import { z } from 'zod'

export const ApprovalState = z.enum(['pending', 'approved', 'denied', 'expired', 'cancelled'])
export type ApprovalState = z.infer<typeof ApprovalState>

/**
 * Why an approval was denied. `reported`: a person did not ask for this. `approver_removed`: too few of the people who were asked are still
 * users of the domain.
 */
export const ApprovalReason = z.enum(['user_denied', 'reported', 'wrong_number', 'approver_removed'])
export type ApprovalReason = z.infer<typeof ApprovalReason>
