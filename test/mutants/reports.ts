import type { Mutant } from './mutant.ts'

/** What a report ends beside its own request. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'that a report denies the other requests of the person',
    file: 'src/service/device/report.ts',
    find: 'const others = await denyOthersAsReported(db, reported, ctx.clock.now())',
    replace: 'const others: SessionRow[] = []',
    test: 'attacks/knows-the-password.test.ts',
    title: 'from several browsers ends in all of them when the owner reports one, and none can be approved',
  },
  {
    defense: 'that a report denies requests of other apps',
    file: 'src/service/store/sessions.ts',
    find: ".where('id', '<>', of.id)\n    .returningAll()",
    replace:
      ".where('id', '<>', of.id)\n    .where('domainId', '=', (eb) => eb.selectFrom('session as own').select('own.domainId').where('own.id', '=', of.id))\n    .returningAll()",
    test: 'service/device/report.test.ts',
    title: 'denies every open request of the person, of all apps and purposes, says how many, and none can be approved',
  },
  {
    defense: 'that only requests of the person who reports are denied',
    file: 'src/service/store/sessions.ts',
    find: ".where((is) => is.and({ userId: of.userId, state: 'pending' as const }))",
    replace: ".where((is) => is.and({ state: 'pending' as const }))",
    test: 'service/device/report.test.ts',
    title: 'leaves the requests of other people open',
  },
  {
    defense: 'that a request which a clock dated in the future is denied as well',
    file: 'src/service/store/sessions.ts',
    find: ".where('expiresAt', '>', now)\n    .where('id', '<>', of.id)",
    replace: ".where(isPending(now))\n    .where('id', '<>', of.id)",
    test: 'service/device/report.test.ts',
    title: 'denies a request that a clock dated in the future, which could be approved later',
  },
  {
    defense: 'the lock of the person who reports, before any request',
    file: 'src/service/device/answer.ts',
    find: "if (given.decision === 'report') await lockReporter(db, call.device)",
    replace: '',
    test: 'service/device/report.test.ts',
    title: 'at once with a new request leaves none open',
  },
  {
    defense: 'the end of approvals that were given before a report',
    file: 'src/service/store/epochs.ts',
    find: '  await endApprovals(db, userIds)\n',
    replace: '',
    test: 'service/device/report.test.ts',
    title: 'at once with an approval of another request lets no approval be redeemed',
  },
  {
    defense: 'waking those who wait for a request that was denied by a report on another one',
    file: 'src/service/device/answer.ts',
    find: '    notifySession(ctx, session)\n',
    replace: '    if (session.id === answered.id) notifySession(ctx, session)\n',
    test: 'service/device/report.test.ts',
    title: 'wakes those who wait for the other requests at another node',
  },
  {
    defense: 'the pause in every app in which a request was open',
    file: 'src/service/device/report.ts',
    find: 'new Set([reported, ...others].map((one) => one.domainId))',
    replace: 'new Set([reported.domainId])',
    test: 'service/device/report.test.ts',
    title: 'pauses requests in each app where one was open, and in no other',
  },
]
