import { Option } from 'commander'
import type { z } from 'zod'

import { LimitOptions } from '../../service/limit-options.ts'
import { integer } from '../terminal/parse.ts'

interface FlagWords {
  /** The name of the value in `--help`. */
  readonly unit: string
  readonly description: string
}

/** One entry per limit of `createService`. A limit without a flag does not compile. */
const limitWords: Readonly<Record<keyof LimitOptions, FlagWords>> = {
  triesPerAddress: { unit: 'codes', description: 'wrong activation codes per address in 10 minutes' },
  triesPerService: { unit: 'codes', description: 'wrong activation codes in total in an hour' },
  triesAlert: { unit: 'codes', description: 'wrong activation codes in an hour that are logged as an alert' },
  pushedUsersPerAddress: {
    unit: 'users',
    description:
      'users who get push requests from one address in 10 minutes before at least half must approve; sessions with a challenge do not count',
  },
  requestsPerSecond: {
    unit: 'requests',
    description: 'REST requests per second for each API key, and for each address without a key',
  },
  concurrentRequests: {
    unit: 'requests',
    description: 'requests processed at once; others get 503 with Retry-After',
  },
  responseTime: {
    unit: 'milliseconds',
    description: 'target for the median response time; while it is exceeded, fewer requests are processed at once',
  },
  databaseTime: {
    unit: 'milliseconds',
    description: 'time that the database work of one request may take together; then it gets 503 with Retry-After',
  },
  heldReadsPerKey: { unit: 'reads', description: 'long polls for sessions, per API key' },
  heldReadsPerUser: { unit: 'reads', description: 'long polls for sessions, per user' },
  heldReadsPerDevice: { unit: 'reads', description: 'long polls for requests, per device' },
  streamsPerKey: { unit: 'streams', description: 'open event streams, per API key' },
}

/** A flag for each limit, with the same name: `requestsPerSecond` is `--requests-per-second`. */
export function limitOptions(): Option[] {
  return Object.entries(limitWords).map(([name, words]) =>
    numberFlag(name, words, LimitOptions.shape[name as keyof LimitOptions]),
  )
}

/** Extracts the limits from the parsed flags. */
export function limitsOf(settings: object): LimitOptions {
  return Object.fromEntries(
    Object.keys(limitWords).flatMap((name) => {
      const value: unknown = Reflect.get(settings, name)
      return typeof value === 'number' ? [[name, value]] : []
    }),
  )
}

/** A flag with the default, range and validation of an option of `createService`, which is a whole number. */
export function numberFlag(name: string, { unit, description }: FlagWords, schema: z.ZodDefault<z.ZodInt>): Option {
  const { minValue, maxValue } = schema.unwrap()
  const [min, max] = [minValue ?? 0, maxValue ?? Number.MAX_SAFE_INTEGER]
  const range = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `${min} to ${max}`
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return new Option(`--${flag} <${unit}>`, `${description}; ${range}`)
    .default(schema.parse(undefined))
    .argParser(integer(min, max))
}
