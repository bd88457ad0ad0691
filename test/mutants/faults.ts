import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'the lock of people whose sign-ins are counted',
    file: 'src/service/engine/audit/timeline.ts',
    find: "isPostgres(db) ? users.forKeyShare('user' as Tables) : users",
    replace: 'isPostgres(db) ? users : users',
    test: 'service/features/sessions/counting-deleted-people.test.ts',
    title: 'people who are deleted while their sign-ins are counted keep no others from being counted',
  },
  {
    defense: 'a guard that asks nobody but the verification record',
    file: 'src/express/require-mfa.ts',
    find: 'if (passes.has(decision)) return next()',
    replace: "if (decision !== 'nobody') return next()",
    test: 'express/public-path.test.ts',
    title: 'the option public opens no route that requireMfa() guards',
  },
  {
    defense: 'a new certificate leaves connections open',
    file: 'src/service/engine/http/listen.ts',
    find: 'server.setSecureContext({ ...credentials, minVersion })',
    replace: 'server.setSecureContext({ ...credentials, minVersion })\n      server.closeAllConnections()',
    test: 'cli/tls.long.ts',
    title: 'second-factor serve loads a new certificate on SIGHUP without closing connections',
  },
  {
    defense: 'a lock without a beginning is not brought to the present',
    file: 'src/service/upkeep/future-time-statements.ts',
    find: "toPresent('user', 'codesLockedAt', ['codesLockedUntil'])",
    replace: "toPresent('user', 'codesLockedUntil')",
    test: 'service/upkeep/clock-set-back.test.ts',
    title: 'a clock that is set back keeps codes locked that only an administrator can unlock',
  },
  {
    defense: 'a backup reads what is only in the write-ahead log',
    file: 'src/service/upkeep/sqlite-file.ts',
    find: "source.prepare('VACUUM INTO ?').run(scratch)",
    replace: "process.getBuiltinModule('node:fs').copyFileSync(from, scratch)",
    test: 'processes/backup.long.ts',
    title: 'a backup under writes contains every change that was acknowledged before, with the audit heads next to it',
  },
  {
    defense: 'the dashboard and the alerts name metrics as they are',
    file: 'src/service/engine/front/metrics.ts',
    find: "name: 'second_factor_sessions_settled_total'",
    replace: "name: 'second_factor_sessions_ended_total'",
    test: 'processes/metrics.long.ts',
    title: 'the metrics include every metric and label that %s uses',
    wholeFile: true,
  },
]
