import { z } from 'zod'

/** Why an administrator acts on a person: a closed list, so that the audit trail holds no free text about people. */
export const Because = z.enum(['lost_device', 'new_device', 'locked_out', 'left', 'fraud', 'test', 'other'])
export type Because = z.infer<typeof Because>

/** The body of actions on a person. */
export const Reasoned = z.object({ because: Because })
