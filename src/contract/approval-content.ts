/**
 * What a person is asked to approve: shared by the service, devices and those who verify proofs. `docs/approvals.md` describes it for
 * programs that use only this page.
 */
import { z } from 'zod'

import { approvalLimits } from './approval-facts.ts'
import { Id, Seconds, text } from './text.ts'

/** The title of an action, such as `Transfer €250.00`. One line. */
export const ApprovalTitle = text(1, approvalLimits.title)

/** One fact about an action. */
export const ApprovalDetail = z.strictObject({
  label: text(1, approvalLimits.label),
  value: text(1, approvalLimits.value),
})
export type ApprovalDetail = z.infer<typeof ApprovalDetail>

/**
 * Where a request to approve comes from. `self`: the person who approves, in a browser of the app. `user`: another user of the app, whom
 * the service knows by this name. `app`: a name that the app or the script gave, which nothing confirms.
 */
export const Requester = z.strictObject({
  kind: z.enum(['self', 'user', 'app']),
  name: text(1, 2 * approvalLimits.requester),
  /** The id of the user; only with `user`. */
  id: Id.optional(),
})
export type Requester = z.infer<typeof Requester>

/**
 * The content of an approval. The service serializes it once, as JSON; devices and proofs carry that text as it is, so that nothing has to
 * be serialized in the same way twice. Unknown members are refused: a device that does not know one would not show it.
 */
export const ApprovalContent = z.strictObject({
  /** The id of the approval. */
  approval: Id,
  /** The app (domain) that asks. */
  app: z.strictObject({ id: Id, name: z.string().min(1).max(200) }),
  requester: Requester,
  title: ApprovalTitle,
  details: z.array(ApprovalDetail).max(approvalLimits.details),
  /** How many people have to approve. */
  needed: z.int().min(1).max(20),
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type ApprovalContent = z.infer<typeof ApprovalContent>
