import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { pageQuery } from './page-query.ts'
import { Id, Seconds, text, optionalField } from './text.ts'
import { NewEpoch } from './users.ts'

/** A hardware token in 1.3. */
const HardwareToken13 = z.object({
  id: Id,
  alias: z.string(),
  serialNumber: z.string(),
  type: z.enum(['TOTP6', 'TOTP8']),
  timeStep: z.enum(['30s', '60s']),
  syncState: z.enum(['Never Used', 'Synchronized', 'Out of Sync']),
  /** The id of its user; `""` without a user. */
  user: z.union([Id, z.literal('')]),
})

/** The hash of the codes (RFC 6238 section 1.2). */
export const CodeAlgorithm = z.enum(['SHA1', 'SHA256', 'SHA512'])
export type CodeAlgorithm = z.infer<typeof CodeAlgorithm>

export const CodeDigits = z.literal([6, 7, 8])
export type CodeDigits = z.infer<typeof CodeDigits>

/** How long each code is shown, seconds. */
export const CodePeriod = z.int().min(15).max(120)

/** The moving factor of a counter-based token (RFC 4226 section 5.1). 32 bits are more presses than a button survives. */
export const CodeCounter = z.int().min(0).max(0xffff_ffff)

/** What decides which codes a generator shows, besides its seed. */
export interface CodeParameters {
  readonly algorithm: CodeAlgorithm
  readonly digits: CodeDigits
  /** Without a meaning for a counter-based token. */
  readonly period: number
  /** The next counter of a counter-based token (HOTP, RFC 4226); absent for a time-based one. */
  readonly counter?: number | undefined
}

/** The parameters as 1.4 shows them: a counter-based token has no period. */
export const shownParameters = ({ algorithm, digits, period, counter }: CodeParameters) => ({
  algorithm,
  digits,
  ...(counter === undefined ? { period } : { counter }),
})

/** What 1.3 calls them: it has two lengths and two periods, and shows the nearest. */
export const typeOf = (digits: CodeDigits) => (digits === 6 ? 'TOTP6' : 'TOTP8')
export const timeStepOf = (period: number) => (period < 45 ? '30s' : '60s')

/**
 * A device that shows codes, by the time (RFC 6238) or by a counter (RFC 4226); valid in every domain of the organization. `type` and
 * `timeStep` are the nearest that 1.3 has: `algorithm`, `digits`, `period` and `counter` are exact.
 */
export const HardwareToken = HardwareToken13.extend({
  /** 1.4. */
  algorithm: CodeAlgorithm.optional(),
  /** How many digits a code has. 1.4. */
  digits: CodeDigits.optional(),
  /** How long a code is shown, seconds; absent for a counter-based token. 1.4. */
  period: CodePeriod.optional(),
  /** The next counter that is accepted; only of a counter-based token (HOTP). 1.4. */
  counter: z.int().min(0).optional(),
  /** It is an authenticator app that the user enrolled: deleted, not released, when the user removes it. 1.4. */
  selfEnrolled: z.literal(true).optional(),
  /** When it was added to the organization. 1.4. */
  createdAt: Seconds.optional(),
  /** When a code of it was last accepted. 1.4. */
  lastUsedAt: Seconds.optional(),
})
export type HardwareToken = z.infer<typeof HardwareToken>

const Alias = text(1, 128)

/** Seconds: a number, its digits, or the form that responses use. */
const TimeStep = z
  .literal([30, 60, '30', '60', '30s', '60s'])
  .transform((value): 30 | 60 => (Number.parseInt(String(value), 10) === 30 ? 30 : 60))

export const SerialNumber = text(1, 64)

const NewHardwareToken13 = z.object({
  /** The default is `HW-` and the first 8 characters of the id. */
  alias: Alias.nullish(),
  serialNumber: SerialNumber,
  type: HardwareToken.shape.type,
  timeStep: TimeStep,
  /** Hexadecimal; at least 128 bits (RFC 4226 section 4, R6). No response contains it: only `second-factor factor export` reads seeds. */
  seed: z.string().regex(/^(?:[0-9a-fA-F]{2}){16,64}$/, 'must be 32 to 128 hexadecimal digits'),
})

/** In 1.4, `digits` can be given instead of `type`, and `period` instead of `timeStep`. */
const codeParameters = {
  type: NewHardwareToken13.shape.type.optional(),
  timeStep: TimeStep.optional(),
  /** SHA1 by default. */
  algorithm: CodeAlgorithm.default('SHA1'),
  digits: CodeDigits.optional(),
  period: CodePeriod.optional(),
}

type GivenParameters = z.output<z.ZodObject<typeof codeParameters>> & { readonly counter?: number | undefined }

/** What would have to be guessed, and what contradicts itself. */
function checkParameters({ value, issues }: z.core.ParsePayload<GivenParameters>): void {
  const { type, timeStep, digits, period, counter } = value
  const report = (path: keyof GivenParameters, message: string) =>
    issues.push({ code: 'custom', path: [path], message, input: value[path] })
  if (counter !== undefined) {
    // The words of 1.3 are about time-based tokens.
    if (digits === undefined) report('digits', 'must be given with a counter')
    for (const name of ['type', 'timeStep', 'period'] as const)
      if (value[name] !== undefined) report(name, 'must be absent with a counter: codes of HOTP have no time')
    return
  }
  if (digits === undefined && type === undefined) report('type', 'must be given, unless digits is')
  if (period === undefined && timeStep === undefined) report('timeStep', 'must be given, unless period is')
  if (digits !== undefined && type !== undefined && typeOf(digits) !== type)
    report('digits', `must fit the type: ${type}`)
  if (period !== undefined && timeStep !== undefined && timeStepOf(period) !== `${timeStep}s`)
    report('period', `must fit timeStep: ${timeStep}`)
}

export const NewHardwareToken = NewHardwareToken13.extend({
  ...codeParameters,
  /** The next counter of a counter-based token (HOTP), 0 for a new one. It replaces `timeStep`, and `digits` are given instead of `type`. */
  counter: CodeCounter.optional(),
}).check(checkParameters)
export type NewHardwareToken = z.input<typeof NewHardwareToken>

/** The exact parameters of a token or app, in the words of either version. */
export function parametersOf(given: {
  readonly type?: HardwareToken['type'] | undefined
  readonly timeStep?: number | undefined
  readonly algorithm?: CodeAlgorithm | undefined
  readonly digits?: CodeDigits | undefined
  readonly period?: number | undefined
  readonly counter?: number | undefined
}): CodeParameters {
  const { type, timeStep = 30, algorithm = 'SHA1', digits, period = timeStep, counter } = given
  return { algorithm, digits: digits ?? (type === 'TOTP8' ? 8 : 6), period, ...(counter !== undefined && { counter }) }
}

/** An authenticator app, with a code that it shows: an app that does not work is not stored. */
export const EnrolledHardwareToken = NewHardwareToken13.pick({ alias: true, seed: true })
  .extend({
    ...codeParameters,
    /** Consumed here: signing in needs the next code (RFC 6238 section 5.2). */
    otp: z.string().regex(/^\d{6,8}$/, 'must be the code that is shown'),
    /** Only for a user who never had a factor. */
    first: z.boolean().default(false),
    /** The hardware token that it replaces. */
    replaces: Id.optional(),
    epoch: NewEpoch,
    /** The session that allows the change, as in `ChangePass`; required unless this is the first factor. */
    pass: Id.optional(),
  })
  .check(checkParameters)
export type EnrolledHardwareToken = z.input<typeof EnrolledHardwareToken>

export const createHardwareToken = endpoint({
  method: 'POST',
  path: '/hardware',
  repeatable: true,
  summary: 'Adds a hardware token to the organization: a time-based one, or with `counter` a counter-based one (HOTP).',
  body: NewHardwareToken,
  body13: NewHardwareToken13,
  response: HardwareToken,
  response13: HardwareToken13,
  errors: ['api.error.conflict.serialnumber'],
})

export const enrollHardwareToken = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/hardware',
  repeatable: true,
  summary:
    'Adds an authenticator app for a user of the domain, all at once or not at all, if the code that it shows is right.',
  body: EnrolledHardwareToken,
  response: HardwareToken,
  role: 'auth',
  since: '1.4',
  errors: [
    'api.error.conflict.enrolled',
    'api.error.conflict.pass',
    'api.error.conflict.hardware',
    // For a first factor, while an activation code that an administrator issued in the domain is pending.
    'api.error.conflict.state',
  ],
})

export const listHardwareTokens = endpoint({
  method: 'GET',
  path: '/hardware',
  summary: 'Lists hardware tokens, 100 a page.',
  query: z.object(pageQuery),
  response: z.array(HardwareToken),
  response13: z.array(HardwareToken13),
  role: 'auth',
  errors: ['api.error.invalid.page'],
})

export const getHardwareToken = endpoint({
  method: 'GET',
  path: '/hardware/:hardwareTokenId',
  summary: 'Reads a hardware token.',
  response: HardwareToken,
  response13: HardwareToken13,
  role: 'auth',
})

export const updateHardwareToken = endpoint({
  method: 'PUT',
  path: '/hardware/:hardwareTokenId',
  summary: 'Renames a hardware token; without an alias, or with null, the name stays.',
  body: z.object({ alias: optionalField(Alias) }),
  response: HardwareToken,
  response13: HardwareToken13,
})

export const deleteHardwareToken = endpoint({
  method: 'DELETE',
  path: '/hardware/:hardwareTokenId',
  summary: 'Deletes a hardware token; its codes no longer work.',
})

export const assignHardwareToken = endpoint({
  method: 'PUT',
  path: '/users/:userId/hardware/:hardwareTokenId',
  summary: 'Assigns a hardware token to a user; does nothing when the user has it.',
  errors: ['api.error.conflict.hardware'],
})

export const getHardwareTokenOfUser = endpoint({
  method: 'GET',
  path: '/users/:userId/hardware',
  summary: "Reads the user's hardware token.",
  response: HardwareToken,
  response13: HardwareToken13,
  role: 'auth',
  errors: ['api.error.notfound.hardware'],
})

export const releaseHardwareToken = endpoint({
  method: 'DELETE',
  path: '/users/:userId/hardware',
  summary: 'Takes the hardware token from the user; it can be assigned to another user.',
  errors: ['api.error.notfound.hardware'],
})
