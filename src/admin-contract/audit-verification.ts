import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Id, Seconds } from '../contract/text.ts'

/** A deviation from what was recorded. */
export const BrokenEntry = z.object({
  /**
   * `changed`: an entry was changed. `missing`: entries were removed. `cut_off`: the newest entries of a chain were removed.
   * `unattributed`: an entry was changed that is not of the organization, or no longer looks as if it were.
   */
  kind: z.enum(['changed', 'missing', 'cut_off', 'unattributed']),
  /** The organization's entry that was changed, or the last one before those that are missing; null if there is none. */
  position: z.int().nullable(),
  /** The time of that entry. */
  at: Seconds.nullable(),
})
export type BrokenEntry = z.infer<typeof BrokenEntry>

/** The last verification of the trail, and the current one. */
export const AuditVerification = z.object({
  /** How much is read, percent; null while none runs. */
  percent: z.int().min(0).max(100).nullable(),
  /** Absent if the trail was never verified here. */
  last: z
    .object({
      at: Seconds,
      /** The id of the administrator who requested it. */
      by: Id,
      /** The name of that administrator. */
      name: z.string(),
      /** How many entries of the organization were verified. */
      entries: z.int(),
      /** How many deviations were found. */
      findings: z.int(),
      /** The earliest of them. */
      first: BrokenEntry.optional(),
    })
    .optional(),
})
export type AuditVerification = z.infer<typeof AuditVerification>

export const getAuditVerification = endpoint({
  method: 'GET',
  path: '/admin/audit/verification',
  summary: 'Reads when the audit trail was last verified, with the result, and how far the present verification is.',
  response: AuditVerification,
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', whole: true },
})

export const startAuditVerification = endpoint({
  method: 'POST',
  path: '/admin/audit/verification',
  summary: 'Starts to verify the audit trail in the background. Does nothing while a verification runs.',
  response: AuditVerification,
  since: '1.4',
  admin: { role: 'owner', scope: 'organization', whole: true, reads: true, fresh: true },
})
