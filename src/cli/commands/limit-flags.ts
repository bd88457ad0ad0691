import { InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'

import { LimitOptions } from '../../service/limit-options.ts'

interface FlagWords {
  /** What is counted: stands in for the value in `--help`. */
  readonly unit: string
  readonly description: string
}

const limitSchemas: Readonly<Record<string, z.ZodType>> = LimitOptions.shape

/** One entry for each limit of `createService`: a limit without a flag does not compile. */
const limitWords: Readonly<Record<keyof LimitOptions, FlagWords>> = {
  triesPerAddress: { unit: 'codes', description: 'wrong activation codes from one address in 10 minutes' },
  triesPerService: { unit: 'codes', description: 'wrong activation codes from anywhere in an hour' },
  triesAlert: { unit: 'codes', description: 'wrong activation codes in an hour that are reported' },
  pushedUsersPerAddress: {
    unit: 'users',
    description:
      'users asked from one address in 10 minutes before half of them have to approve; sessions with a challenge do not count',
  },
  requestsPerSecond: {
    unit: 'requests',
    description: 'REST requests in a second, for each API key, and for each address without one',
  },
  concurrentRequests: {
    unit: 'requests',
    description: 'requests worked on at once; further ones are answered 503 with Retry-After before they are begun',
  },
  responseTime: {
    unit: 'milliseconds',
    description: 'while half of the requests take longer, fewer are worked on at once',
  },
  heldReadsPerKey: { unit: 'reads', description: 'reads of sessions held at once for each API key' },
  heldReadsPerUser: { unit: 'reads', description: 'reads of sessions held at once about each user' },
  heldReadsPerDevice: { unit: 'reads', description: 'reads of its requests held at once for each device' },
  streamsPerKey: { unit: 'streams', description: 'event streams held at once for each API key' },
}

/** A flag for each limit, named after it: `requestsPerSecond` is `--requests-per-second`. */
export function limitOptions(): Option[] {
  return Object.entries(limitWords).map(([name, words]) => numberFlag(name, words, limitSchemas[name]))
}

/** Takes the limits out of the parsed flags. */
export function limitsOf(settings: object): LimitOptions {
  return Object.fromEntries(
    Object.keys(limitWords).flatMap((name) => {
      const value: unknown = Reflect.get(settings, name)
      return typeof value === 'number' ? [[name, value]] : []
    }),
  )
}

/** A flag whose default, range and check are those of an option of `createService`. */
export function numberFlag(name: string, { unit, description }: FlagWords, schema: z.ZodType = z.never()): Option {
  const range = rangeOf(schema)
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return new Option(`--${flag} <${unit}>`, `${description}; ${range}`)
    .default(schema.parse(undefined))
    .argParser((text) => {
      const parsed = schema.safeParse(/^\d{1,16}$/.test(text) ? Number(text) : undefined)
      if (/^\d{1,16}$/.test(text) && parsed.success) return parsed.data
      throw new InvalidArgumentError(`Expected a number of ${unit}, ${range}.`)
    })
}

/** @returns such as `1 to 36500`, or `at least 1` where there is no maximum. */
function rangeOf(schema: z.ZodType): string {
  const { minimum, exclusiveMinimum, maximum = Number.MAX_SAFE_INTEGER } = z.toJSONSchema(schema, { io: 'input' })
  const least = minimum ?? Number(exclusiveMinimum ?? -1) + 1
  return maximum === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `${least} to ${maximum}`
}
