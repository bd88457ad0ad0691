import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { describeMistakes, parseOptions, validate } from '../../src/contract/validate.ts'

const Options = z.strictObject({
  path: z.string().optional(),
  logoutPath: z.string().min(2).optional(),
  timeout: z.int().min(100).max(60_000).optional(),
  factors: z
    .array(z.enum(['push', 'otp']))
    .min(1)
    .optional(),
  remember: z.union([z.literal(false), z.strictObject({ days: z.int().max(90) })]).optional(),
  address: z.email().optional(),
  gate: z.boolean().optional(),
  share: z.number().positive().optional(),
})

describe('a validation error', () => {
  it.each<[object, string]>([
    [{ logoutpath: '/x' }, '"logoutpath" is unknown: did you mean "logoutPath"?'],
    [{ tiemout: 5 }, '"tiemout" is unknown: did you mean "timeout"?'],
    [{ banana: 5 }, '"banana" is unknown'],
    [{ timeout: 5 }, 'timeout: must be 100 or more'],
    [{ timeout: 100_000 }, 'timeout: must be 60000 or less'],
    [{ timeout: 'soon' }, 'timeout: must be a number'],
    [{ timeout: 150.5 }, 'timeout: must be a whole number'],
    [{ logoutPath: '/' }, 'logoutPath: must have 2 characters or more'],
    [{ share: 0 }, 'share: must be more than 0'],
    [{ path: 5, gate: 'yes' }, 'path: must be a string; gate: must be true or false'],
    [{ factors: [] }, 'factors: must have 1 entry or more'],
    [{ factors: ['sms'] }, 'factors.0: must be "push" or "otp"'],
    [{ remember: true }, 'remember: must be false or an object'],
    [{ remember: { days: 100 } }, 'remember.days: must be 90 or less'],
    [{ remember: { day: 1, days: 1 } }, 'remember: "day" is unknown: did you mean "days"?'],
    [{ address: 'nowhere' }, 'address: must be an e-mail address such as alice@example.com'],
  ])('a validation error names the option and what is expected, never the value: %j', (options, message) => {
    expect(() => parseOptions(Options, 'mfa', options)).toThrow(new TypeError(`mfa: ${message}`))
  })

  it.each([
    { httpVersion: '1.1', url: '/' },
    { id: 'req-1', raw: { httpVersion: '2.0' } },
  ])(
    'a validation error says that the call is missing when a framework passes its request as the options: %j',
    (request) => {
      expect(() => parseOptions(Options, 'mfa', request)).toThrow(
        new TypeError('mfa was passed as a handler itself: write mfa()'),
      )
    },
  )

  it('a validation error has a readable message when the whole value has the wrong type or is missing', () => {
    const Body = z.object({ name: z.string() })
    const mistakesOf = (value: unknown) => {
      const validated = validate(Body, value)
      return validated.success ? '' : describeMistakes(validated.mistakes)
    }

    expect([mistakesOf([]), mistakesOf({}), mistakesOf(undefined)]).toEqual([
      'must be an object',
      'name: is missing',
      'is missing',
    ])
  })
})
