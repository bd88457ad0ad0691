import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { Id, text, unlessNull } from './text.ts'
import { NewEpoch } from './users.ts'

/** A hardware token as 1.3 shows it. */
const HardwareToken13 = z.object({
  id: Id,
  alias: z.string(),
  serialNumber: z.string(),
  type: z.enum(['TOTP6', 'TOTP8']),
  timeStep: z.enum(['30s', '60s']),
  syncState: z.enum(['Never Used', 'Synchronized', 'Out of Sync']),
  /** Id of its user; `""` while it has none. */
  user: z.union([Id, z.literal('')]),
})

/** A device that shows codes (RFC 6238); good for every domain of the organization. */
export const HardwareToken = HardwareToken13.extend({
  /** That it is an authenticator app which its user set up: deleted, not released, when the user gives it up. 1.4. */
  selfEnrolled: z.literal(true).optional(),
})
export type HardwareToken = z.infer<typeof HardwareToken>

const Alias = text(1, 128)

/** Seconds: a number, its digits, or the form that responses use. */
const TimeStep = z
  .literal([30, 60, '30', '60', '30s', '60s'])
  .transform((value): 30 | 60 => (Number.parseInt(String(value), 10) === 30 ? 30 : 60))

export const NewHardwareToken = z.object({
  /** Without one the service makes it from the id: `HW-` and its first 8 characters. */
  alias: Alias.nullish(),
  serialNumber: text(1, 64),
  type: HardwareToken.shape.type,
  timeStep: TimeStep,
  /** Hexadecimal; at least the 128 bits that RFC 4226 section 4 (R6) asks for, never answered. */
  seed: z.string().regex(/^(?:[0-9a-fA-F]{2}){16,64}$/, 'must be 32 to 128 hexadecimal digits'),
})
export type NewHardwareToken = z.input<typeof NewHardwareToken>

/** An authenticator app, with the first code it shows: nothing is kept that does not work. */
export const EnrolledHardwareToken = NewHardwareToken.pick({
  alias: true,
  type: true,
  timeStep: true,
  seed: true,
}).extend({
  /** Used up by this; signing in takes the next one (RFC 6238 section 5.2). */
  otp: z.string().regex(/^\d{6,8}$/, 'must be the code that is shown'),
  /** Only for a user who never had a factor. */
  first: z.boolean().default(false),
  /** The one it takes the place of. */
  replaces: Id.optional(),
  epoch: NewEpoch,
  /** The session, approved and redeemed for changing devices, that allows it; needed unless it is the first factor. */
  pass: Id.optional(),
})
export type EnrolledHardwareToken = z.input<typeof EnrolledHardwareToken>

const HardwareParams = z.object({ hardwareTokenId: Id })
const UserParams = z.object({ userId: Id })

export const createHardwareToken = endpoint({
  method: 'POST',
  path: '/hardware',
  summary: 'Adds a hardware token to the organization.',
  body: NewHardwareToken,
  response: HardwareToken,
  response13: HardwareToken13,
  errors: [
    'api.error.invalid.alias',
    'api.error.invalid.serialnumber',
    'api.error.invalid.type',
    'api.error.invalid.timestep',
    'api.error.invalid.seed',
    'api.error.conflict.serialnumber',
  ],
})

export const enrollHardwareToken = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/hardware',
  summary:
    'Adds an authenticator app for a user of the domain, all at once or not at all, where the code is right that it shows.',
  params: z.object({ domainId: Id, userId: Id }),
  body: EnrolledHardwareToken,
  response: HardwareToken,
  role: 'auth',
  since: '1.4',
  errors: [
    'api.error.notfound.domain',
    'api.error.notfound.user',
    'api.error.invalid.alias',
    'api.error.invalid.type',
    'api.error.invalid.timestep',
    'api.error.invalid.seed',
    'api.error.invalid.otp',
    'api.error.invalid.pass',
    'api.error.conflict.enrolled',
    'api.error.conflict.pass',
    'api.error.conflict.hardware',
    // A first one, while the activation code that an administrator issued in the domain is pending.
    'api.error.conflict.state',
  ],
})

export const listHardwareTokens = endpoint({
  method: 'GET',
  path: '/hardware',
  summary: 'Lists hardware tokens, 100 a page.',
  query: z.object({ page: z.union([z.string(), z.number()]).optional() }),
  response: z.array(HardwareToken),
  response13: z.array(HardwareToken13),
  role: 'auth',
  errors: ['api.error.invalid.page'],
})

export const getHardwareToken = endpoint({
  method: 'GET',
  path: '/hardware/:hardwareTokenId',
  summary: 'Reads a hardware token.',
  params: HardwareParams,
  response: HardwareToken,
  response13: HardwareToken13,
  role: 'auth',
  errors: ['api.error.notfound.hardware'],
})

export const updateHardwareToken = endpoint({
  method: 'PUT',
  path: '/hardware/:hardwareTokenId',
  summary: 'Renames a hardware token; an alias that is absent or null stays.',
  params: HardwareParams,
  body: z.object({ alias: unlessNull(Alias) }),
  response: HardwareToken,
  response13: HardwareToken13,
  errors: ['api.error.notfound.hardware', 'api.error.invalid.alias'],
})

export const deleteHardwareToken = endpoint({
  method: 'DELETE',
  path: '/hardware/:hardwareTokenId',
  summary: 'Deletes a hardware token; its codes no longer work.',
  params: HardwareParams,
  errors: ['api.error.notfound.hardware'],
})

export const assignHardwareToken = endpoint({
  method: 'PUT',
  path: '/users/:userId/hardware/:hardwareTokenId',
  summary: 'Gives a hardware token to a user; does nothing when the user has it.',
  params: z.object({ userId: Id, hardwareTokenId: Id }),
  errors: ['api.error.notfound.user', 'api.error.notfound.hardware', 'api.error.conflict.hardware'],
})

export const getHardwareTokenOfUser = endpoint({
  method: 'GET',
  path: '/users/:userId/hardware',
  summary: "Reads the user's hardware token.",
  params: UserParams,
  response: HardwareToken,
  response13: HardwareToken13,
  role: 'auth',
  errors: ['api.error.notfound.user', 'api.error.notfound.hardware'],
})

export const releaseHardwareToken = endpoint({
  method: 'DELETE',
  path: '/users/:userId/hardware',
  summary: 'Takes the hardware token from the user; another one can have it.',
  params: UserParams,
  errors: ['api.error.notfound.user', 'api.error.notfound.hardware'],
})
