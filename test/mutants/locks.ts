import { editableMigrations } from './mutant.ts'
import type { Mutant } from './mutant.ts'

const clockTest = 'service/upkeep/clock-set-back.test.ts'

export const mutants: readonly Mutant[] = [...sweeps(), ...waits(), ...access(), ...corrections(), ...webApps()]

function sweeps(): readonly Mutant[] {
  const test = 'service/upkeep/sweeps.test.ts'
  const touches = 'changes at most 500 rows per transaction, and leaves no expired row'
  return [
    {
      defense: 'the size of a step',
      file: 'src/service/engine/database/due.ts',
      find: 'const limited = query.limit(limit)',
      replace: 'const limited = query.limit(limit * 1_000)',
      test,
      title: touches,
    },
    {
      defense: 'the size of a step of pruning',
      file: 'src/service/engine/audit/retention.ts',
      find: 'const pruneStep = 250',
      replace: 'const pruneStep = 2_500',
      test,
      title: touches,
    },
    {
      defense: 'the end of a sweep when its service closes',
      file: 'src/service/engine/base/in-steps.ts',
      find: ' || signal?.aborted === true',
      replace: '',
      test,
      title: 'a sweep stops early when the service closes, and leaves the rest to the next sweep',
    },
    {
      defense: 'passing over rows that somebody else is changing',
      file: 'src/service/engine/database/due.ts',
      find: 'limited.forUpdate().skipLocked()',
      replace: 'limited',
      test,
      title: 'a sweep does not wait for rows that another transaction is changing on PostgreSQL',
    },
    {
      defense: 'foreign keys without cascades',
      file: 'src/service/engine/database/schema/0001-schema.ts',
      find: 'factors text not null,',
      replace: 'factors text not null references "user" (id) on delete cascade,',
      also: [editableMigrations],
      test,
      title: 'a sweep relies on no foreign key that removes rows of another table',
    },
  ]
}

function waits(): readonly Mutant[] {
  const locked = 'leaves codes locked no longer than a lockout lasts'
  const pending = 'leaves no request pending or counted'
  return [
    {
      defense: 'the end of a wait',
      file: 'src/service/engine/base/present.ts',
      find: 'return until - Math.max(0, from - now)',
      replace: 'return until',
      test: clockTest,
      title: locked,
    },
    {
      defense: 'the look at whether the clock was set back',
      file: 'src/service/upkeep/future-times.ts',
      find: 'if (clock.wasSetBack()) ',
      replace: 'if (clock.wasSetBack() && interval === 0) ',
      test: clockTest,
      title: locked,
    },
    {
      defense: 'the minute that may have passed since the clock was set back',
      file: 'src/service/upkeep/future-times.ts',
      find: 'now: now - interval }',
      replace: 'present: now }',
      test: clockTest,
      title: locked,
    },
    {
      defense: 'the correction at the start',
      file: 'src/service/core.ts',
      find: 'if (!store.created) await correctFutureTimes(ctx, (now) => ({ future: now, now }))',
      replace: '',
      test: clockTest,
      title: 'a clock that is set back is also noticed at the next start',
    },
    {
      defense: 'what is pending in SQL',
      file: 'src/service/engine/database/pending.ts',
      find: "      eb('session.createdAt', '<=', derived(now, latestBeginning)),\n",
      replace: '',
      test: clockTest,
      title: pending,
    },
    {
      defense: 'what is pending of a row',
      file: 'src/service/features/sessions/rules.ts',
      find: '(hasBegun && session.expiresAt > now)',
      replace: '((hasBegun || !hasBegun) && session.expiresAt > now)',
      test: clockTest,
      title: pending,
    },
    {
      defense: 'writing down that sessions of the future are over',
      file: 'src/service/upkeep/sweep.ts',
      find: '[expireSessions, endFutureSessions]',
      replace: '[expireSessions, expireSessions]',
      test: clockTest,
      title: pending,
    },
    {
      defense: 'the time of an attempt',
      file: 'src/service/engine/limits/attempts.ts',
      find: 'notAfter(blocking, now)',
      replace: 'blocking.at',
      test: clockTest,
      title: 'a clock that is set back neither lifts nor extends the limit of requests to a user',
    },
    {
      defense: 'the time of counts in stretches',
      file: 'src/service/engine/limits/tallies.ts',
      find: 'notAfter(row.at, now)',
      replace: 'row.at',
      test: clockTest,
      title: 'a clock set back limits the pause of a changed address to a day, others to their own length',
    },
    {
      defense: 'the last sign of life of a node',
      file: 'src/service/engine/secrets/live-nodes.ts',
      find: 'await correctNodes(db, now)',
      replace: '',
      test: clockTest,
      title: 'a clock that is set back does not make ended nodes count as alive',
    },
    {
      defense: 'the last sign of life of a synchronization',
      file: 'src/service/features/users/synchronization-claim.ts',
      find: 'await correctBeats(ctx.store.db, ctx.clock.now())',
      replace: '',
      test: clockTest,
      title: 'a clock that is set back does not make the service wait for ended synchronizations',
    },
  ]
}

function access(): readonly Mutant[] {
  const short = 'invalidates codes that were e-mailed or shown meanwhile, for good'
  const lasting = 'limits codes and browsers that last for days to their lifetime from now'
  return [
    {
      defense: 'the time of an approval',
      file: 'src/service/features/sessions/statements.ts',
      find: "    .where((eb) => eb(eb.fn.coalesce('settledAt', eb.lit(0)), '<=', derived(now, latestBeginning)))\n",
      replace: '',
      test: clockTest,
      title: 'a clock that is set back leaves no approval that can be redeemed',
    },
    {
      defense: 'when an e-mailed code was sent',
      file: 'src/service/features/sent-codes/statements.ts',
      find: 'latestBeginning(now + sentCodeLifetime)',
      replace: 'latestBeginning(now + sentCodeLifetime) * 2',
      test: clockTest,
      title: short,
    },
    {
      defense: 'when the code for another device was shown',
      file: 'src/service/features/devices/activation-statements.ts',
      find: "    .where('token.replacementExpiresAt', '<=', derived(now, latestCodeExpiry)),\n",
      replace: '',
      test: clockTest,
      title: short,
    },
    {
      defense: 'when an activation code was issued',
      file: 'src/service/features/devices/activation-statements.ts',
      find: "    .where('token.createdAt', '<=', derived(now, latestBeginning)),\n",
      replace: '',
      test: clockTest,
      title: lasting,
    },
    {
      defense: 'when a bypass code was made',
      file: 'src/service/features/users/belongings.ts',
      find: "    .where('bypassCode.createdAt', '<=', derived(now, latestBeginning))\n",
      replace: '',
      test: clockTest,
      title: lasting,
    },
    {
      defense: 'when a user passed in a known browser',
      file: 'src/service/features/browsers/statements.ts',
      find: "    .where('passedAt', '<=', derived(now, latestBeginning)),\n)\n\ntype",
      replace: ')\n\ntype',
      test: clockTest,
      title: lasting,
    },
  ]
}

function corrections(): readonly Mutant[] {
  return [
    {
      defense: 'bringing codes and known browsers to the present',
      file: 'src/service/upkeep/future-times.ts',
      find: 'for (const rows of accessCorrections) await inSteps(steps, () => rows.correctSome(db, ofAccess(clock.now())))',
      replace: 'await inSteps(steps, () => Promise.resolve(accessCorrections.length * 0))',
      test: clockTest,
      title: 'a clock that is set back limits codes and browsers that last for days to their lifetime from now',
    },
    {
      defense: 'noticing codes and known browsers of the future',
      file: 'src/service/upkeep/future-time-statements.ts',
      find: '    ...accessCorrections.map((rows) => rows.exist(access)),\n',
      replace: '',
      test: clockTest,
      title: 'a clock that is set back limits codes and browsers that last for days to their lifetime from now',
    },
    {
      defense: 'noticing waits of the future',
      file: 'src/service/upkeep/future-time-statements.ts',
      find: '    ...waitCorrections.map((rows) => rows.exist(waits)),\n',
      replace: '',
      test: clockTest,
      title: 'a clock set back limits the pause of a changed address to a day, others to their own length',
    },
    {
      defense: 'removing consents of the future',
      file: 'src/service/upkeep/future-time-statements.ts',
      find: "  removedRows('consent', ['id'], 'expiresAt', (now) => now + consentLifetime),\n",
      replace: '',
      test: clockTest,
      title: 'a clock that is set back leaves no consent of a colleague that can be used, and a No as long as usual',
    },
    {
      defense: 'the trusted time, by which a slow clock is no correction',
      file: 'src/service/upkeep/future-times.ts',
      find: 'Math.max(wallTime, trustedAt + trustedTimeLag)',
      replace: 'Math.min(wallTime, trustedAt + trustedTimeLag)',
      test: clockTest,
      title: 'a clock that was only slow for a moment invalidates nothing',
    },
  ]
}

function webApps(): readonly Mutant[] {
  return [
    {
      defense: 'the length of a pause after a service did not answer',
      file: 'src/client/circuit-breaker.ts',
      find: 'openUntil = Math.min(openUntil, clock.now() + openPeriod)',
      replace: '',
      test: 'client/call-limit.test.ts',
      title: 'the circuit breaker sends a call again after the same period when the clock is set back',
    },
    {
      defense: 'the beginning of a verification record',
      file: 'src/challenge/challenge.ts',
      find: ' || verified.at > now + clockSkew',
      replace: '',
      test: 'challenge/clock-set-back.test.ts',
      title: 'a web app whose clock was set back rejects verification records from the future',
    },
    {
      defense: 'the length of what a web session relies on',
      file: 'src/ground/clock.ts',
      find: 'now < until && until - now <= length + clockSkew',
      replace: 'now < until',
      test: 'challenge/clock-set-back.test.ts',
      title: 'a web app whose clock was set back trusts nothing for longer than otherwise',
    },
    {
      defense: 'the age of what was heard of an epoch',
      file: 'src/challenge/epochs.ts',
      find: 'return time > now + clockSkew ? Number.POSITIVE_INFINITY : now - time',
      replace: 'return now - time',
      test: 'challenge/clock-set-back.test.ts',
      title: 'a web app whose clock was set back asks again whether a web session has ended, and denies it until then',
    },
  ]
}
