import { z } from 'zod'

import { endpoint } from '../endpoint.ts'
import { Id, Seconds } from '../text.ts'
import { Because } from './because.ts'

/** How long another administrator has to decide, and the requester to use the approval, seconds. */
export const approvalLifetime = 15 * 60

/** A guarded action that the help desk asks another administrator to approve. */
export const Approval = z.object({
  id: Id,
  /** The name of the operation, such as `resetPerson`. */
  operation: z.string(),
  person: z.object({ id: Id, username: z.string(), name: z.string() }),
  requestedBy: z.object({ id: Id, name: z.string() }),
  because: Because,
  state: z.enum(['pending', 'approved', 'denied', 'used']),
  /** Whether the caller may decide. */
  decidable: z.boolean(),
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type Approval = z.infer<typeof Approval>

export const requestApproval = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/approvals',
  summary: 'Asks another administrator to approve one guarded action on a person, within 15 minutes.',
  body: z.object({ operation: z.string().max(64), because: Because }),
  response: Approval,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true },
  errors: ['api.error.invalid.operation'],
})

export const listApprovals = endpoint({
  method: 'GET',
  path: '/admin/approvals',
  summary: 'Lists the requests for approval that have not expired, newest first.',
  response: z.array(Approval),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})

export const approve = endpoint({
  method: 'POST',
  path: '/admin/approvals/:approvalId/approve',
  summary: 'Approves an action that another administrator requested: it can be done once, until the request expires.',
  response: Approval,
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.conflict.state', 'api.error.forbidden.own'],
})

export const deny = endpoint({
  method: 'POST',
  path: '/admin/approvals/:approvalId/deny',
  summary: 'Denies an action that another administrator requested.',
  response: Approval,
  since: '1.4',
  admin: { role: 'admin', scope: 'domain', fresh: true },
  errors: ['api.error.conflict.state', 'api.error.forbidden.own'],
})
