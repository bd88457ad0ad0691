import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [...faultsOfPostgres(), ...statementsOfPostgres(), ...killedNodes()]

/** Each one takes a transaction for committed that is not, or lets statements fail that were prepared earlier. */
function statementsOfPostgres(): readonly Mutant[] {
  const test = 'service/engine/database/postgres-statements.test.ts'
  const dialect = 'src/service/engine/database/postgres-dialect.ts'
  const pool = 'src/service/engine/database/postgres-pool.ts'
  return [
    {
      defense: 'only the answer COMMIT counts as committed',
      file: dialect,
      find: "if (answer === 'COMMIT' && failure === undefined) return",
      replace: "if (answer !== '') return",
      test,
      title:
        'a PostgreSQL transaction fails with the error of a change that nobody waited for, although COMMIT succeeds',
    },
    {
      defense: 'a transaction that could not begin does not count as committed',
      file: dialect,
      find: "if (answer === 'COMMIT' && failure === undefined) return",
      replace: "if (answer === 'COMMIT') return",
      test,
      title:
        'a PostgreSQL transaction that could not begin does not count as committed, although the database answers COMMIT',
    },
    {
      defense: 'a transaction that the database rolled back ends as undone',
      file: dialect,
      find: 'undone.add(cause)',
      replace: '',
      test,
      title:
        'a PostgreSQL transaction fails with the error of a change that nobody waited for, although COMMIT succeeds',
    },
    {
      defense: 'the first error of a transaction explains the later ones',
      file: dialect,
      find: 'throw (failure ??= error)',
      replace: 'failure ??= error\n throw error',
      test,
      title: 'a PostgreSQL transaction fails with its first error, not with what follows from it',
    },
    {
      defense: 'statements after the end of their transaction are refused',
      file: dialect,
      find: "if (state === 'over' && declared)",
      replace: "if (state === 'over' && !declared && !sql)",
      test,
      title: 'a PostgreSQL transaction executes nothing of a part that goes on after another part has failed',
    },
    {
      defense: 'a statement is prepared again after its table has changed',
      file: pool,
      find: 'isStaleStatement(error) || isLostStatement(error)',
      replace: 'isLostStatement(error)',
      test,
      title: 'a PostgreSQL statement is prepared again when a newer version has added a column to its table',
    },
    {
      defense: 'a connection with statements from before a change of the schema is closed',
      file: pool,
      find: 'isReadOnly(error) || isStaleStatement(error)',
      replace: 'isReadOnly(error)',
      test,
      title: 'a PostgreSQL statement is prepared again when a newer version has added a column to its table',
    },
    {
      defense: 'statements without names behind a pooler that loses them',
      file: pool,
      find: 'prepares.isKept = false',
      replace: 'prepares.kept &&= true',
      test,
      title: 'a PostgreSQL statement is executed without a name once a pooler has lost what was prepared',
    },
  ]
}

/** Each one lets a database that is slow, stopped or behind a pooler hold something up. */
function faultsOfPostgres(): readonly Mutant[] {
  const test = 'service/engine/database/postgres-faults.long.ts'
  const otherServer = 'service/engine/database/other-server.test.ts'
  return [
    {
      defense: 'the time after which a connection is given up',
      file: 'src/service/engine/database/postgres-pool.ts',
      find: 'stream.destroy()',
      replace: '',
      test,
      title:
        'a PostgreSQL store times out every unit of work while its database does not answer, and works right afterwards',
    },
    {
      defense: 'the time of a unit of work, which all of its statements share',
      file: 'src/service/engine/database/postgres-pool.ts',
      find: 'async query({ name, ...query }) {',
      replace: 'async query({ name, ...query }) {\n timer.refresh()',
      test,
      title: 'a PostgreSQL store times out a transaction whose statements are answered slowly',
    },
    {
      defense: 'the end that the database makes of a transaction whose node is silent',
      file: 'src/service/engine/database/postgres.ts',
      find: ', idle_in_transaction_session_timeout: timeout }',
      replace: ' }',
      test,
      title: 'PostgreSQL ends the open transaction of a store that is cut off, so its locks block no other client',
    },
    {
      defense: 'opening without limits where a pooler refuses them',
      file: 'src/service/engine/database/postgres.ts',
      find: "error.message.includes('unsupported startup parameter')",
      replace: 'false',
      test,
      title: 'a PostgreSQL store opens through a pooler that refuses to set limits',
    },
    {
      defense: 'the tries whether the listening connection still answers',
      file: 'src/service/engine/database/postgres-change-feed.ts',
      find: 'later(beat, () => void servers.comparePrimary(fresh, lost).then(() => keepTrying(fresh, lost), lost))',
      replace: '',
      test,
      title:
        'a PostgreSQL store whose database stops answering listens on another connection, and reports that it may have missed something',
    },
    {
      defense: 'the comparison of a database with the one before',
      file: 'src/service/engine/database/postgres-identity.ts',
      find: 'if (reached.place !== known.place) {',
      replace: 'if (false) {',
      test: otherServer,
      title:
        'a service whose address leads to another database is not ready, and works when the address is right again',
      wholeFile: true,
    },
    {
      defense: 'asking again where a pooler leads to',
      file: 'src/service/engine/database/postgres-identity.ts',
      find: ' || performance.now() - last.at > pooledInterval)',
      replace: ')',
      test: 'service/engine/database/postgres-identity.test.ts',
      title: 'a connection to a server is asked once, and one that a pooler lends once a second',
    },
    {
      defense: 'a change is not made for a caller who has hung up, in the queue of connections',
      file: 'src/service/engine/database/postgres-contention.ts',
      find: '            change.requireCaller()\n',
      replace: '',
      test: 'service/engine/database/request-time.long.ts',
      title: 'a change is not begun whose caller has hung up while it waited for a connection to PostgreSQL',
    },
    {
      defense: 'the lane of lists',
      file: 'src/service/engine/base/list-lane.ts',
      find: 'const width = 2',
      replace: 'const width = 100',
      test: 'service/engine/database/request-time.long.ts',
      title: 'lists that wait for the database leave connections to changes, however many there are',
    },
    {
      defense: 'the lane of lists for administrators',
      file: 'src/service/features/people/console.ts',
      find: 'call.lists.ofConsole.run(',
      replace: 'call.lists.ofApps.run(',
      test: 'service/features/people/console.test.ts',
      title: 'a people search is answered while apps wait for as many lists as are read at a time',
    },
    {
      defense: 'lists whose time is over before their turn',
      file: 'src/service/engine/base/list-lane.ts',
      find: 'if (!isWanted) return undefined',
      replace: '',
      test: 'service/engine/database/request-time.long.ts',
      title: 'a list that has waited for its turn as long as a request may take is never read',
    },
    {
      defense: 'a refusal that only a new connection ends',
      file: 'src/service/engine/database/postgres-identity.ts',
      find: 'if (isNew || difference !== undefined) problem = difference',
      replace: 'problem = isNew ? difference : difference',
      test: 'service/engine/database/postgres-identity.test.ts',
      title: 'a refused connection counts until a new one leads to the right database, whatever an older one says',
    },
    {
      defense: 'the refusal of a standby beside its primary',
      file: 'src/service/engine/database/postgres-identity.ts',
      find: 'if (reached.isStandby && !known.isStandby && hasOthers && !reached.isPooled) {',
      replace: 'if (false) {',
      test: 'service/engine/database/postgres-identity.test.ts',
      title: 'a standby is refused while a connection to its primary is open, and used once that is closed',
    },
    {
      defense: 'the refusal of a server that was replaced',
      file: 'src/service/engine/database/postgres-identity.ts',
      find: 'if (!reached.isStandby && reached.timeline < known.timeline) {',
      replace: 'if (false) {',
      test: otherServer,
      title: 'a service never goes back to the former primary, and says which server to stop',
      wholeFile: true,
    },
    {
      defense: 'closing the connections to the server before a failover',
      file: 'src/service/engine/database/postgres-identity.ts',
      find: 'for (const close of open.values()) close()',
      replace: '',
      test: otherServer,
      title: 'a service whose address leads to a promoted standby closes its connections to the former primary',
      wholeFile: true,
    },
    {
      defense: 'the comparison of audit chains after a failover',
      file: 'src/service/engine/database/postgres-identity.ts',
      find: 'if (hasMoved || wasInterrupted) onChange()',
      replace: '',
      test: otherServer,
      title:
        'a service notices that the promoted standby lacks changes, and says in its log, trail and readiness what to do',
      wholeFile: true,
    },
    {
      defense: 'the end of a chain whose last entry was lost',
      file: 'src/service/engine/audit/trail.ts',
      find: '        ended.add(chain)\n        all.delete(chain)\n',
      replace: '        free.push(chain)\n',
      test: 'service/engine/audit/loss-watch.test.ts',
      title: 'a process never continues a chain whose last entry was lost, so that the trail has no gap after it',
    },
    {
      defense: 'the end of a lost chain that a transaction has',
      file: 'src/service/engine/audit/trail.ts',
      find: 'if (!suspended.has(chain.head.writer) && !ended.has(chain)) free.push(chain)',
      replace: 'if (!suspended.has(chain.head.writer)) free.push(chain)',
      test: 'service/engine/audit/loss-watch.test.ts',
      title: 'a process does not continue a chain that a transaction had when its loss was noticed',
    },
    {
      defense: 'the end of a chain with an unknown outcome, also after a comparison',
      file: 'src/service/engine/audit/trail.ts',
      find: '} else if (!lent.has(chain) && !ended.has(chain)) {',
      replace: '} else if (!lent.has(chain)) {',
      test: 'service/engine/audit/transaction-ends.test.ts',
      title: 'a chain of unknown outcome is not continued after a comparison has found its entries',
    },
    {
      defense: 'the search for lost entries',
      file: 'src/service/engine/audit/loss-watch.ts',
      find: 'if ((await auditHashAt(db, writer, sequence)) === hash) return []',
      replace: 'return []',
      test: 'service/engine/audit/loss-watch.test.ts',
      title: 'a process notices that the database lost its last $lost entries, and records how many',
    },
    {
      defense: 'the tries whether a notification arrives',
      file: 'src/service/engine/database/postgres-change-feed.ts',
      find: 'if (echoed !== undefined) setHearing(echoed)',
      replace: '',
      test,
      title:
        'a PostgreSQL store logs once that notifications do not arrive, polls meanwhile, and logs when they arrive again',
    },
    {
      defense: 'looking while no notifications arrive',
      file: 'src/service/engine/database/postgres-change-feed.ts',
      find: "polling = setInterval(() => report('something'), pollInterval).unref()",
      replace: 'polling = setInterval(() => {}, pollInterval).unref()',
      test,
      title:
        'a PostgreSQL store logs once that notifications do not arrive, polls meanwhile, and logs when they arrive again',
    },
    {
      defense: 'the address where a store behind a pooler listens',
      file: 'src/service/engine/database/postgres.ts',
      find: "configOf(pg, listenDatabase, 'listenDatabase')",
      replace: "configOf(pg, url, 'listenDatabase')",
      test,
      title: 'a PostgreSQL store listens at a separate address if the main one is a pooler',
    },
    {
      defense: 'telling later what could not be told',
      file: 'src/service/engine/database/postgres-change-feed.ts',
      find: 'if (echoed !== undefined) sender.retry()',
      replace: '',
      test,
      title: 'a PostgreSQL store tells other processes as soon as possible that they may have missed changes',
    },
  ]
}

/** Each one is noticed by sign-ins through real processes, of which one is killed. */
function killedNodes(): readonly Mutant[] {
  const test = 'processes/nodes.long.ts'
  const kills = 'processes/kills.test.ts'
  const nothingTwice = 'a service on SQLite that is killed loses no acknowledged write and accepts nothing twice'
  return [
    {
      defense: 'the check that a session was approved, when it is redeemed',
      file: 'src/service/features/sessions/statements.ts',
      find: "    .where('domainId', '=', slots.domainId)\n    .where('state', '=', 'approved')\n    .where('challenge', '=', slots.challenge)",
      replace: "    .where('domainId', '=', slots.domainId)\n    .where('challenge', '=', slots.challenge)",
      also: [
        {
          file: 'src/challenge/redeem.ts',
          find: "if (approval?.state !== 'approved') return {}",
          replace: 'if (!approval) return {}',
        },
      ],
      test,
      title: 'two web and three service nodes verify everyone who approves, and no one else, when a %s is killed',
    },
    {
      defense: 'the single use of an approval',
      file: 'src/service/features/sessions/statements.ts',
      find: "    .where('redeemedAt', 'is', null)\n    // An expression, or",
      replace: '    // An expression, or',
      test: kills,
      title: nothingTwice,
    },
    {
      defense: 'the single use of a code',
      file: 'src/service/features/bypass-codes/statements.ts',
      find: ".set((eb) => ({ usesRemaining: eb('usesRemaining', '-', 1), usedAt: now }))",
      replace: '.set({ usedAt: now })',
      test: kills,
      title: nothingTwice,
    },
    {
      defense: 'a COMMIT without an answer does not count',
      file: 'src/service/engine/database/postgres-dialect.ts',
      find: "throw new OutcomeUnknownError('The database has not answered whether the change is stored.', { cause: error })",
      replace: "failure = undefined\n return 'COMMIT'",
      test: 'processes/synchronous-failover.long.ts',
      title:
        'nodes lose no acknowledged change and accept nothing twice when the primary is killed and its synchronous standby is promoted',
    },
    {
      defense: 'the time after which a running service gives PostgreSQL up',
      file: 'src/service/engine/database/store.ts',
      find: 'usualDatabaseTime = 4_000',
      replace: 'usualDatabaseTime = 30_000',
      test,
      title:
        'nodes answer 503 in time while PostgreSQL is stopped, lose nothing, and become ready again without a restart',
    },
    {
      defense: 'telling those who wait that something may have been missed',
      file: 'src/service/engine/database/postgres-change-feed.ts',
      find: "missed: () => report('gap'),",
      replace: 'missed() {},',
      test,
      title: 'nodes recover when PostgreSQL is killed, lose nothing, and tell waiting callers what they missed',
    },
  ]
}
