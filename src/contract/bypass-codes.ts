import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { ChangePass } from './factors.ts'
import { Id } from './text.ts'
import { NewEpoch } from './users.ts'

/** How many bypass codes a user can have at a time. */
export const maxBypassCodes = 5

/** Signs in a user who cannot use the device; valid in every domain of the organization that allows bypass codes. */
export const BypassCode = z.object({
  id: Id,
  /** 9 digits; absent where the service shows a code only once, when it is created. */
  code: z.string().optional(),
  usesAllowed: z.int(),
  usesRemaining: z.int(),
  /** `yyyy-MM-ddTHH:mm:ss+hhmm`; the end of the year 9999 for a code that never expires. */
  dtExpiry: z.string(),
  user: Id,
})
export type BypassCode = z.infer<typeof BypassCode>

/** An integer, as a number or as a string of digits. */
function wholeNumber(minimum: number, maximum: number) {
  return z
    .union([
      z.number().meta({ type: 'integer', minimum, maximum }),
      z.string().regex(/^\d{1,9}$/, `must be a whole number from ${minimum} to ${maximum}`),
    ])
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
}

export const NewBypassCode = z.object({
  usesAllowed: wholeNumber(1, 1000),
  /** Minutes, at most a year; 0: never expires. */
  expirationTime: wholeNumber(0, 525_600),
})
export type NewBypassCode = z.input<typeof NewBypassCode>

const ReplacedBypassCodes = NewBypassCode.extend({ ...ChangePass.shape, epoch: NewEpoch })
export type ReplacedBypassCodes = z.input<typeof ReplacedBypassCodes>

export const createBypassCode = endpoint({
  method: 'POST',
  path: '/users/:userId/bypasscodes',
  repeatable: true,
  summary: 'Creates a bypass code for the user; at most 5 at a time.',
  body: NewBypassCode,
  response: BypassCode,
  errors: ['api.error.limit.bypasscodes'],
})

export const replaceBypassCodes = endpoint({
  method: 'PUT',
  path: '/domains/:domainId/users/:userId/bypasscodes',
  repeatable: true,
  summary: 'Replaces all bypass codes by 5 new ones, for a user of the domain who has passed the second step for it.',
  body: ReplacedBypassCodes,
  response: z.array(BypassCode),
  since: '1.4',
  errors: ['api.error.conflict.pass'],
})

export const listBypassCodes = endpoint({
  method: 'GET',
  path: '/users/:userId/bypasscodes',
  summary: "Lists the user's bypass codes.",
  response: z.array(BypassCode),
})

export const getBypassCode = endpoint({
  method: 'GET',
  path: '/bypasscodes/:bypassCodeId',
  summary: 'Reads a bypass code.',
  response: BypassCode,
})

export const deleteBypassCodes = endpoint({
  method: 'DELETE',
  path: '/users/:userId/bypasscodes',
  summary: "Deletes all of the user's bypass codes.",
})

export const deleteBypassCode = endpoint({
  method: 'DELETE',
  path: '/bypasscodes/:bypassCodeId',
  summary: 'Deletes a bypass code.',
})
