/** The answers of the service to devices about approvals. Devices load them with the first action to approve. */
import { z } from 'zod'

import { Requester } from './approval-content.ts'
import { ApprovalReason, ApprovalState } from './approval-state.ts'
import { Id, Seconds } from './text.ts'

export const ApprovalAnswered = z.object({
  id: Id,
  state: ApprovalState,
  reason: ApprovalReason.optional(),
  /** The block that a report has made, or made longer; absent after other answers. */
  block: Id.optional(),
})
export type ApprovalAnswered = z.infer<typeof ApprovalAnswered>

/** A requester that the person has blocked, because they did not ask for what it asked. */
export const RequesterBlock = z.object({
  id: Id,
  domain: z.object({ id: Id, name: z.string() }),
  requester: Requester,
  until: Seconds,
})
export type RequesterBlock = z.infer<typeof RequesterBlock>

export const RequesterBlocks = z.object({ blocks: z.array(RequesterBlock) })
