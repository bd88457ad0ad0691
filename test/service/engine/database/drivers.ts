/**
 * Tests of the service that together execute every statement, relative to `test/service`. `plans.test.ts` runs them while it
 * records the statements, so `npm test` does not run them a second time.
 */
export const drivers: readonly string[] = [
  'features/users/operations.test.ts',
  'features/domains/operations.test.ts',
  'features/domains/organization.test.ts',
  'features/browsers/operations.test.ts',
  'features/passkeys/operations.test.ts',
  'features/bypass-codes/operations.test.ts',
  'features/sessions/operations.test.ts',
  'features/hardware/operations.test.ts',
  'features/devices/operations.test.ts',
  'engine/audit/events.test.ts',
  'engine/idempotency/idempotency.test.ts',
  'features/administrators/sign-in.test.ts',
  'features/administrators/administrators.test.ts',
  'features/administrators/audit.test.ts',
  'features/administrators/audit-verification.test.ts',
  'features/people/console.test.ts',
  'features/bulk-jobs/jobs.test.ts',
  'features/bulk-jobs/mails.test.ts',
  'features/people/export.test.ts',
  'features/people/factor-export.test.ts',
  'features/callers/console.test.ts',
  'features/approvals/approvals.test.ts',
  'features/approvals/limits.test.ts',
  'features/approvals/passkey.test.ts',
  'features/people/overview.test.ts',
  'features/domains/console.test.ts',
  'features/sessions/session-events.test.ts',
  'features/browsers/asking-browser.test.ts',
  'engine/waiting/changed-inboxes.test.ts',
  'features/devices/history.test.ts',
  // Last, because one of its tests loads modules again: what a request loads after it would be of another copy.
  'error-codes.test.ts',
]
