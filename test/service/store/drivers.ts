import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const tests = new URL('../', import.meta.url)

/**
 * Tests of the service that together execute every statement, relative to `test/service`. `plans.test.ts` runs them while it
 * records the statements, so `npm test` does not run them a second time.
 */
export const drivers: readonly string[] = [
  ...readdirSync(fileURLToPath(new URL('operations', tests)))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `operations/${name}`),
  'audit/events.test.ts',
  'console/sign-in.test.ts',
  'console/administrators.test.ts',
  'console/audit.test.ts',
  'console/audit-verification.test.ts',
  'console/people.test.ts',
  'console/bulk-jobs.test.ts',
  'console/bulk-mails.test.ts',
  'console/people-export.test.ts',
  'console/caller-verifications.test.ts',
  'console/overview.test.ts',
  'console/domains.test.ts',
  'session-events.test.ts',
  'asking-browser.test.ts',
  'waiting/changed-inboxes.test.ts',
  'device/history.test.ts',
  // Last, because one of its tests loads modules again: what a request loads after it would be of another copy.
  'error-codes.test.ts',
]
