import type { Change, Mutant } from './mutant.ts'

const dialect = 'src/service/engine/database/sqlite-dialect.ts'
const writer = 'src/service/engine/database/sqlite-writer.ts'
const store = 'src/service/engine/database/sqlite.ts'
const callers = 'src/service/engine/base/waiting-caller.ts'
const health = 'src/service/engine/database/write-health.ts'
const outage = 'src/service/engine/database/sqlite-outage.ts'
const connections = 'service/engine/database/sqlite-connections.test.ts'
const groups = 'service/engine/database/group-commit.test.ts'
const lockedFile = 'processes/locked-file.long.ts'
const failingDisk = 'processes/failing-disk.long.ts'
const postgresOutage = 'service/engine/database/postgres-outage.long.ts'

/** Without its own connection, a read waits for its turn with the changes. */
const noReader: Change = {
  file: store,
  find: 'const reader = database.memory ? undefined : await openReader(file, database)',
  replace: 'const reader = undefined as BetterSqlite3.Database | undefined',
}

const timeoutFromTurn: Change = {
  file: writer,
  find: 'await enterGroup(until, change.requireCaller)',
  replace: 'await enterGroup(performance.now() + timeout(), change.requireCaller)',
}

export const mutants: readonly Mutant[] = [
  {
    defense: 'statements after the end of their transaction are refused',
    file: 'src/service/engine/database/transaction-ends.ts',
    find: 'running.connection = undefined',
    replace: '',
    test: 'service/engine/database/statement.test.ts',
    title: 'a statement is refused after its transaction has ended',
  },
  {
    defense: 'the connection of reads: an open transaction does not hold them up',
    ...noReader,
    test: connections,
    title: 'a SQLite read does not wait for an open transaction, and sees none of it before the commit',
  },
  {
    defense: 'the connection of reads: a locked file does not hold them up',
    ...noReader,
    test: lockedFile,
    title:
      'serve with a locked SQLite file answers reads, rejects changes after 2 seconds, and accepts them again afterwards',
  },
  {
    defense: 'reads of a transaction see its changes',
    file: dialect,
    find: 'if (unit) return unit.run(',
    replace: 'if (unit && !prepare.read?.(query.sql).readonly) return unit.run(',
    test: connections,
    title: 'a SQLite read does not wait for an open transaction, and sees none of it before the commit',
  },
  {
    defense: 'a database in memory has one connection, and reads wait for its turn',
    file: dialect,
    find: 'if (!reading?.readonly) return runAlone(() => run<R>(prepare.write(query.sql), query))',
    replace:
      "if (!prepare.read && query.sql.startsWith('select')) return run<R>(prepare.write(query.sql), query)\n      if (!reading?.readonly) return runAlone(() => run<R>(prepare.write(query.sql), query))",
    test: connections,
    title: 'a read of a database in memory waits for an open transaction instead of seeing uncommitted changes',
  },
  {
    defense: 'those who wait are woken after the commit',
    file: 'src/service/engine/database/transaction-ends.ts',
    find: '        committing = true\n',
    replace: "        committing = true\n        tell('committed')\n",
    test: connections,
    title: 'callers that wait for a change are woken when it can be read, never before its commit',
  },
  {
    defense: 'changes of other processes are noticed on the connection that writes',
    file: store,
    find: "watchDataVersion(database, () => changed('something'))",
    replace: "watchDataVersion(reader ?? database, () => changed('something'))",
    test: connections,
    title: 'callers that wait for a change are woken by other processes, and not by their own',
  },
  {
    defense: 'no read is left open',
    file: dialect,
    find: "throw new Error('Results are not streamed from SQLite: read them in pages.')",
    replace: 'return (async function* <R>(): AsyncGenerator<QueryResult<R>> {\n        yield { rows: [] }\n      })()',
    test: connections,
    title: 'a SQLite read cannot stay open, because that would keep the write-ahead log from being cleared',
  },
  {
    defense: 'the timeout of a change counts from its arrival',
    ...timeoutFromTurn,
    test: connections,
    title: 'a change of a locked SQLite file times out 2 seconds after it arrived, however many are queued before it',
  },
  {
    defense: 'a unit of work is acknowledged after COMMIT',
    file: writer,
    find: 'return committed.promise',
    replace: 'return Promise.resolve()',
    test: groups,
    title: 'units of work are acknowledged when SQLite has committed them, and not before',
  },
  {
    defense: 'a failing COMMIT is told to each unit of work of the group',
    file: writer,
    find: 'committed.reject(endOfCommit(error, failed))',
    replace: 'committed.resolve(void failed(error))',
    test: groups,
    title: 'a failed COMMIT fails all units of work of its turn, and no later ones',
  },
  {
    defense: 'what a failing COMMIT leaves open is rolled back',
    file: writer,
    find: `      undoAll()
      committed.reject`,
    replace: '      committed.reject',
    test: groups,
    title: 'a failed COMMIT fails all units of work of its turn, and no later ones',
  },
  {
    defense: 'a unit of work that fails takes back what it did',
    file: writer,
    find: "if (!undone) prepare('rollback to unit').run()",
    replace: '',
    test: groups,
    title: 'a unit of work that fails rolls back its own changes, and affects no other unit',
  },
  {
    defense: 'units of work that SQLite has rolled back are not acknowledged',
    file: writer,
    find: `          abandonGroup(reason)
        }`,
    replace: '        }',
    test: groups,
    title: 'a rollback of everything by SQLite fails the earlier units, and its own unit does not continue',
  },
  {
    defense: 'a group is not larger than 64 units of work',
    file: writer,
    find: 'group.units >= maxUnits',
    replace: 'group.units >= 1_000',
    test: groups,
    title: 'a SQLite transaction contains at most 64 units of work',
  },
  {
    defense: 'a group ends with its turn of the event loop',
    file: writer,
    find: '(!next || database.memory',
    replace: '(database.memory',
    test: groups,
    title:
      'units of work are committed in the turn in which their SQLite transaction begins, so none outlives its turn',
  },
  {
    defense: 'a change is not made for a caller who has hung up, in the queue of the database',
    file: callers,
    find: "if (!caller.changed && caller.gone()) throw new CallerGoneError('The caller has hung up.')",
    replace: '',
    test: connections,
    title: 'a change that waits for a locked SQLite file is not executed if its caller disconnects',
  },
  {
    defense: 'the units of work of one request share its time at the database',
    file: callers,
    find: "if (remaining <= 0) throw new StoreUnavailableError('The request has used up its time at the database.')",
    replace: 'if (remaining <= 0) return limit',
    test: 'service/engine/database/request-time.long.ts',
    title: 'the units of work of one request share its time, and what follows is not begun',
  },
  {
    defense: 'a request has its whole time again for each of its steps',
    file: callers,
    find: 'if (caller) caller.time.since = performance.now()',
    replace: '',
    test: 'service/engine/database/request-time.long.ts',
    title: 'a request has its whole time again for each of its steps, and after it has waited for something else',
  },
  {
    defense: 'a request has its whole time again after it has waited for something else than the database',
    file: callers,
    find: 'now - time.lastUse > maxGap',
    replace: 'time.lastUse < 0',
    test: 'service/engine/database/request-time.long.ts',
    title: 'a request has its whole time again for each of its steps, and after it has waited for something else',
  },
  {
    defense: 'work that outlives its request has the whole time',
    file: callers,
    find: '!caller || caller.answered()',
    replace: '!caller',
    test: 'service/engine/database/request-time.long.ts',
    title: 'work that outlives its request has the whole time, and so has work of no request',
  },
  {
    defense: 'a change of a request counts until it is committed',
    file: writer,
    find: '        change.begin()\n',
    replace: '        change.begin()\n        use.end()\n',
    test: 'service/engine/database/request-time.long.ts',
    title: 'the changes of one request share its time, also that which they take in their transactions',
  },
  {
    defense: 'a feed that serves many streams belongs to none of them',
    file: 'src/service/engine/waiting/settled-feed.ts',
    find: 'void withoutCaller(lookUntilQuiet)',
    replace: 'void lookUntilQuiet()',
    test: 'service/engine/database/request-time.long.ts',
    title: 'a feed that a stream has begun has its own time: it goes on as long as changes arrive',
  },
  {
    defense: 'a change that waited behind a disk that hung is refused',
    file: writer,
    find: '        use.timeLeft()\n',
    replace: '',
    test: 'service/engine/database/request-time.long.ts',
    title: 'a change that waited behind a disk that hung is refused when its turn comes',
  },
  {
    defense: 'a COMMIT that was not answered may have been executed',
    file: 'src/service/engine/database/postgres-dialect.ts',
    find: 'if (isDefinite(error)) throw error',
    replace: 'if (error !== undefined) throw error',
    test: 'service/engine/database/silent-standby.long.ts',
    title: '30 changes at once are all answered in time with 503, and say which of them may be stored',
    wholeFile: true,
  },
  {
    defense: 'a service is not ready while the database does not answer COMMIT',
    file: health,
    find: 'if (oldest && performance.now() - oldest.at > usualCommit)',
    replace: 'if (oldest && performance.now() < oldest.at)',
    wholeFile: true,
    test: 'service/engine/database/silent-standby.long.ts',
    title: 'a service is not ready while a COMMIT waits for a standby, and serves reads',
  },
  {
    defense: 'each request says whether its caller has hung up',
    file: 'src/service/engine/http/in-flight.ts',
    find: 'gone: () => reader.destroyed && !reader.writableFinished',
    replace: 'gone: () => reader.destroyed && false',
    test: lockedFile,
    title: 'serve with a locked SQLite file executes nothing for callers that have disconnected',
  },
  {
    defense: 'what a request has begun is completed for a caller who hangs up',
    file: callers,
    find: 'begin: () => void (caller.changed = true),',
    replace: 'begin() {},',
    test: connections,
    title:
      'a change that waits for a locked SQLite file is executed despite a disconnect after another change of its request',
  },
  {
    defense: 'a full disk is an outage',
    file: outage,
    find: "['SQLITE_FULL', 'The disk is full.'],",
    replace: '',
    test: failingDisk,
    title:
      'on a full or read-only disk, serve rejects changes with 503, is not ready, still reads, and recovers without a restart',
  },
  {
    defense: 'an error of the disk is an outage',
    file: outage,
    find: "['SQLITE_IOERR', 'The disk reports an error.'],",
    replace: '',
    test: failingDisk,
    title:
      'after disk errors, serve loses no acknowledged change, even when it is killed, and recovers without a restart',
  },
  {
    defense: 'a file that turned read-only is an outage',
    file: outage,
    find: "['SQLITE_READONLY', 'The database file cannot be written.'],",
    replace: '',
    test: failingDisk,
    title:
      'on a full or read-only disk, serve rejects changes with 503, is not ready, still reads, and recovers without a restart',
  },
  {
    defense: 'a transaction that SQLite has undone is not continued',
    file: writer,
    find: 'if (undone) throw undone.reason',
    replace: '',
    test: connections,
    title:
      'a change that does not fit on the disk rolls back its transaction, even if the transaction continues after the error',
  },
  {
    defense: 'a service that cannot store changes is not ready',
    file: health,
    find: 'if (failures === 0) return undefined',
    replace: 'if (failures >= 0) return undefined',
    test: connections,
    title: 'a full disk makes the service not ready until there is space again, without a restart',
  },
  {
    defense: 'a service that can store changes again is ready',
    file: health,
    find: 'if (failures === failuresBefore) failures = 0',
    replace: "throw new Error('It stays so.')",
    test: failingDisk,
    title:
      'after disk errors, serve loses no acknowledged change, even when it is killed, and recovers without a restart',
  },
  {
    defense: 'whether changes can be stored is tried with one that needs room',
    file: 'src/service/engine/database/service-row.ts',
    find: 'await setServiceId(db, filler)',
    replace: '',
    test: connections,
    title: 'a full disk makes the service not ready until there is space again, without a restart',
  },
  {
    defense: 'a full disk is explained when the database is opened',
    file: 'src/cli/database/failures.ts',
    find: "return 'code' in error ? String(error.code) : codeOf(error.cause)",
    replace: "return 'code' in error ? String(error.code) : ''",
    test: failingDisk,
    title: 'a full disk is reported in one line when the database is opened',
  },
  {
    defense: 'an error of the disk of PostgreSQL is an outage',
    file: 'src/service/engine/database/postgres-dialect.ts',
    find: "[(error: unknown) => sqlStateOf(error).startsWith('58'), 'The disk of the database reports an error.'],",
    replace: '',
    test: postgresOutage,
    title:
      'the service refuses changes with 503, is not ready, serves reads, and recovers without a restart when PostgreSQL fails: %s',
  },
  {
    defense: 'a full disk of PostgreSQL makes the service not ready',
    file: 'src/service/engine/database/postgres-dialect.ts',
    find: "[(error: unknown) => sqlStateOf(error) === '53100', 'The disk of the database is full.'],",
    replace: '',
    test: postgresOutage,
    title:
      'the service refuses changes with 503, is not ready, serves reads, and recovers without a restart when PostgreSQL fails: %s',
  },
  {
    defense: 'a read-only PostgreSQL is an outage',
    file: 'src/service/engine/database/postgres-dialect.ts',
    find: "[isReadOnly, 'The database is read-only.'],",
    replace: '',
    test: postgresOutage,
    title:
      'the service refuses changes with 503, is not ready, serves reads, and recovers without a restart when PostgreSQL fails: %s',
  },
  {
    defense: 'a hot standby is read-only, also for serializable transactions',
    file: 'src/service/engine/database/postgres-pool.ts',
    find: "error.routine === 'call_enum_check_hook'",
    replace: "error.routine === ''",
    test: 'service/engine/database/hot-standby.long.ts',
    title: 'a service on a hot standby refuses every change with 503, also many at once, and says when to retry',
  },
  {
    defense: 'a hot standby that lets no one listen is an outage',
    file: 'src/service/engine/database/postgres-identity.ts',
    find: 'if (state?.isStandby && isForPrimary) throw',
    replace: 'if (false) throw',
    test: 'service/engine/database/hot-standby.long.ts',
    title: 'a service does not start on a hot standby, and says that the database is read-only',
  },
  {
    defense: 'connections to a server that turned read-only are closed',
    file: 'src/service/engine/database/postgres-pool.ts',
    find: 'isReadOnly(error) || isStaleStatement(error)',
    replace: 'isStaleStatement(error)',
    test: postgresOutage,
    title:
      'a PostgreSQL store whose change was rejected uses a new connection next time, because another server may accept changes',
  },
]
