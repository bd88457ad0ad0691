import { z } from 'zod'

/** The number of details, and the maximum lengths of texts, characters. */
export const approvalLimits = Object.freeze({ title: 120, details: 20, label: 40, value: 500, requester: 64 })

/** The largest serialized content, UTF-16 units: all texts at their limits, of characters that JSON escapes. */
export const maxContentLength = 50_000

/** `report`: the person did not ask for this. */
export const ApprovalDecision = z.enum(['approve', 'deny', 'report'])
export type ApprovalDecision = z.infer<typeof ApprovalDecision>
