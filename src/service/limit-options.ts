import { z } from 'zod'

import { usualDatabaseTime } from './engine/database/store.ts'

/** How much of a service one caller can use, and how much it does at once. */
export interface LimitOptions {
  /**
   * The number of wrong activation codes from one IPv4 address or IPv6 network (/64) in 10 minutes. After that, correct
   * ones are rejected as well.
   * @default `30`
   */
  triesPerAddress?: number | undefined
  /**
   * The number of wrong activation codes in an hour, from anywhere. After that, correct ones are rejected as well.
   * @default `20000`
   */
  triesPerService?: number | undefined
  /**
   * The number of wrong activation codes in an hour, from anywhere, that causes an alert in the log, the metrics and
   * the audit trail.
   * @default `1000`
   */
  triesAlert?: number | undefined
  /**
   * The number of users who can be asked from one IPv4 address or IPv6 network (/64) in 10 minutes, for sessions with
   * an `ipAddress` and without a `challenge`. After that, the address is rejected while fewer than half of them
   * approved.
   * @default `10`
   */
  pushedUsersPerAddress?: number | undefined
  /**
   * The number of requests to the REST interface in a second, for each API key and for each address without one. Not for an
   * embedded service.
   * @default `1000`
   */
  requestsPerSecond?: number | undefined
  /**
   * The number of concurrent requests of a process. Further ones get 503 with `Retry-After` before any work is done.
   * Held requests do not count, and those that complete an approval are always accepted. Not for an embedded service.
   * @default `512`
   */
  concurrentRequests?: number | undefined
  /**
   * While half of the requests take longer than this, milliseconds, the limit of concurrent requests falls, down to 16.
   * Not for an embedded service.
   * @default `500`
   */
  responseTime?: number | undefined
  /**
   * The time that all database work of one request may take together, with its queues and retries, milliseconds. Then it gets 503.
   * What a request has waited for besides the database does not count.
   * @default `4000`
   */
  databaseTime?: number | undefined
  /**
   * The number of reads of sessions that a process holds for one API key. Further ones are answered immediately.
   * @default `5000`
   */
  heldReadsPerKey?: number | undefined
  /**
   * The number of reads of sessions that a process holds about one user. Further ones are answered immediately.
   * @default `16`
   */
  heldReadsPerUser?: number | undefined
  /**
   * The number of reads of its requests that a process holds for one device. Further ones are answered immediately.
   * @default `8`
   */
  heldReadsPerDevice?: number | undefined
  /**
   * The number of event streams that a process holds for one API key. Further ones get 429.
   * @default `100`
   */
  streamsPerKey?: number | undefined
}

export const LimitOptions = z.strictObject({
  triesPerAddress: z.int().min(1).default(30),
  triesPerService: z.int().min(1).default(20_000),
  triesAlert: z.int().min(1).default(1_000),
  pushedUsersPerAddress: z.int().min(1).default(10),
  requestsPerSecond: z.int().min(1).default(1_000),
  concurrentRequests: z.int().min(1).default(512),
  responseTime: z.int().min(1).default(500),
  databaseTime: z.int().min(100).default(usualDatabaseTime),
  heldReadsPerKey: z.int().min(1).default(5_000),
  heldReadsPerUser: z.int().min(1).default(16),
  heldReadsPerDevice: z.int().min(1).default(8),
  streamsPerKey: z.int().min(1).default(100),
})
