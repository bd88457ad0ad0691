import { z } from 'zod'

import type { Action } from '../../challenge/approval.ts'
import { approvalLimits, NewApprovalDetail, NewApprovalTitle } from '../../contract/approvals.ts'
import { parseOptions } from '../../contract/validate.ts'

/** What the user is asked to approve. */
export interface ActionToApprove {
  /** One line of at most 120 characters, such as `Transfer €250.00`. */
  readonly title: string
  /** At most 20 facts: labels of at most 40 characters, values of at most 500. */
  readonly details?: readonly { readonly label: string; readonly value: string }[] | undefined
}

/** Checks {@link ActionToApprove}. */
const ActionSchema = z.strictObject({
  title: NewApprovalTitle,
  details: z.array(NewApprovalDetail).max(approvalLimits.details).default([]),
})

/** @throws {TypeError} that says what is wrong with it, and never quotes it. */
export function readAction(caller: string, action: unknown): Action {
  return parseOptions(ActionSchema, caller, action)
}
