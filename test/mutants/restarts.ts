import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'a running service reads the key file and never creates it',
    file: 'src/service/engine/secrets/open-keys.ts',
    find: 'read: () => readKeyFile(file) }',
    replace: 'read: async () => (await openKeyFile(file, random)).ring }',
    test: 'processes/keys.long.ts',
    title: 'serve without its key file creates no new key, logs this once, and saves its keys on SIGUSR2',
  },
  {
    defense: 'a new key file is in its folder on the disk before anything is sealed',
    file: 'src/service/engine/secrets/key-file.ts',
    find: '    await unlink(scratch)\n    // Before anything is sealed with the key.\n    flushFolder(dirname(path))',
    replace: '    await unlink(scratch)',
    test: 'service/engine/secrets/key-ring.test.ts',
    title: 'a key file survives a power cut: its name is on the disk once it is created, saved, or changed',
  },
  {
    defense: 'saying when a disk fails to flush a folder',
    file: 'src/ground/flush.ts',
    find: "if (!(error instanceof Error && 'code' in error && unsupported.has(error.code))) throw error",
    replace: 'void error',
    test: 'ground/flush.test.ts',
    title: 'flushFolder() says when the disk fails',
  },
  {
    defense: 'keys that were saved are in their folder on the disk',
    file: 'src/service/engine/secrets/key-file.ts',
    find: '  await writeNew(path, text)\n  flushFolder(dirname(path))',
    replace: '  await writeNew(path, text)',
    test: 'service/engine/secrets/key-ring.test.ts',
    title: 'a key file survives a power cut: its name is on the disk once it is created, saved, or changed',
  },
  {
    defense: 'a changed key file is in its folder on the disk',
    file: 'src/service/engine/secrets/edit-key-file.ts',
    find: '  flushFolder(dirname(path))\n',
    replace: '',
    test: 'service/engine/secrets/key-ring.test.ts',
    title: 'a key file survives a power cut: its name is on the disk once it is created, saved, or changed',
  },
  {
    defense: 'the timers of a command keep its process alive',
    file: 'src/cli/database/open.ts',
    find: 'clock: commandClock,',
    replace: '',
    test: 'processes/keys.long.ts',
    title: 'keys rotate waits for the running node, exits with 0, and leaves no node behind',
  },
  {
    defense: 'an interrupted command signs off',
    file: 'src/cli/database/open.ts',
    find: 'for (const signal of signals) process.on(signal, end)',
    replace: '',
    test: 'processes/keys.long.ts',
    title: 'a command that is interrupted while it waits unregisters, so that the next command sees no node',
  },
  {
    defense: 'a server ends when the shell that npx started it in has ended',
    file: 'bin/second-factor.js',
    find: 'if (process.env.npm_command) endWithParent()',
    replace: '',
    test: 'processes/npm.long.ts',
    title: 'a server started with npx second-factor serve exits cleanly when npx gets SIGTERM',
  },
  {
    defense: 'what cannot be loaded is loaded later',
    file: 'src/service/engine/base/load-once.ts',
    find: 'loading = undefined',
    replace: '',
    test: 'processes/open-files.long.ts',
    title: 'a service out of file descriptors answers what it cannot load with an error, and loads it once it can',
  },
  {
    defense: 'a process goes on when it cannot load Express',
    file: 'src/service/engine/http/handle.ts',
    find: 'return next(error)',
    replace: 'throw error',
    test: 'processes/open-files.long.ts',
    title: 'a service out of file descriptors answers what it cannot load with an error, and loads it once it can',
  },
  ...backup(),
  ...soundness(),
  ...fingerprint(),
  ...synchronization(),
  ...retention(),
]

/** Each one lets something of the time after the backup be used again, or lose. */
function backup(): readonly Mutant[] {
  const test = 'processes/backup.long.ts'
  return [
    {
      defense: 'the steps that a restore uses up',
      file: 'src/service/upkeep/restored-statements.ts',
      find: '.set({ lastStep, seenStep: null, seenAt: null })',
      replace: '.set({ seenStep: null, seenAt: null })',
      test,
      title: 'after a restore, app codes and recovery codes that were used after the backup are rejected',
    },
    {
      defense: 'the later steps of a token that is ahead, which a restore uses up',
      file: 'src/service/upkeep/restored-statements.ts',
      find: ' + case when drift > 0 then drift else 0 end',
      replace: '',
      test: 'service/upkeep/restored.test.ts',
      title: 'a code used between a backup and its restore is not accepted again from a token of %i s, %i steps ahead',
    },
    {
      defense: 'the encoding of a PostgreSQL database',
      file: 'src/service/engine/database/schema/migrate-to-latest.ts',
      find: '  if (count === 0) await engine.requireUnicode(db)\n',
      replace: '',
      test: 'service/engine/database/postgres.test.ts',
      title: 'a PostgreSQL database in ASCII is refused before anything is created in it, with what to do',
    },
    {
      defense: 'the steps that a restore uses up, of tokens with any period',
      file: 'src/service/upkeep/restored-statements.ts',
      find: ' / period + ',
      replace: ' / 30 * (period % 30 = 0) + ',
      test: 'service/upkeep/restored.test.ts',
      title: 'a code used between a backup and its restore is not accepted again from a token of %i s, %i steps ahead',
    },
    {
      defense: 'the bypass codes that a restore ends',
      file: 'src/service/upkeep/restored-statements.ts',
      find: "await db.deleteFrom('bypassCode').execute()",
      replace: '',
      test,
      title: 'after a restore, app codes and recovery codes that were used after the backup are rejected',
    },
    {
      defense: 'the revocations in the log of the service',
      file: 'src/service/upkeep/revocations.ts',
      find: "if (isRevocation(event)) logger.warn({ revocation: { event, at, facts } }, 'revoked')",
      replace: '',
      test,
      title: 'restore applies the revocations that the log has recorded since the backup',
    },
    {
      defense: 'the exclusive mode that notices an idle service',
      file: 'src/service/upkeep/sqlite-file.ts',
      find: "database.pragma('locking_mode = EXCLUSIVE')",
      replace: '',
      test,
      title: 'restore refuses a database that a service has open, even an idle one',
    },
    {
      defense: 'the check of a backup before it is put in place',
      file: 'src/cli/commands/restore.ts',
      find: 'await checkDatabase(file).catch(rethrowFileError)',
      replace: '',
      test,
      title: 'restore refuses a backup that %s',
    },
    {
      defense: 'the nodes that keep `restored` from changing a database in use',
      file: 'src/cli/commands/restore.ts',
      find: 'if (otherNodes.length > 0) {',
      replace: 'if (otherNodes.length > 99) {',
      test,
      title:
        'the restored command ends everything that may have been used since, and refuses while a node uses the database',
    },
  ]
}

function soundness(): readonly Mutant[] {
  const test = 'service/engine/database/sqlite-soundness.long.ts'
  return [
    {
      defense: 'the check of a small file before it is served',
      file: 'src/service/engine/database/sqlite-soundness.ts',
      find: "if (problem !== 'ok') throw new DatabaseFileError(`${file} is damaged (${problem}). Restore a backup.`)",
      replace: '',
      test,
      title: 'a damaged database file is rejected when any of its pages is lost',
    },
    {
      defense: 'the words for a file of which SQLite cannot read the schema',
      file: 'src/service/engine/database/sqlite.ts',
      find: 'throw nameSqliteOutage(explainDamage(error, file))',
      replace: 'throw nameSqliteOutage(error)',
      test,
      title: 'a damaged database file is rejected when any of its pages is lost',
    },
    {
      defense: 'the words for a file of which SQLite cannot read the search',
      file: 'src/service/engine/database/sqlite.ts',
      find: 'throw explainDamage(error, file)',
      replace: 'throw error',
      test,
      title: 'a damaged database file is rejected when any of its pages is lost',
    },
    {
      defense: 'the refusal of an empty file',
      file: 'src/service/engine/database/sqlite.ts',
      find: 'await refuseEmptyFile(file)',
      replace: '',
      test,
      title: 'an empty database file is rejected, and is not changed',
    },
    {
      defense: 'the check of a large file in a process of its own',
      file: 'src/service/engine/database/sqlite-soundness.ts',
      find: 'void checkInProcess(file).then((problem) => (damage = problem))',
      replace: '',
      test,
      title: 'a large damaged database file is served but never ready, because a separate process checks it',
    },
    {
      defense: 'the inode of the file in use',
      file: 'src/service/engine/database/sqlite-soundness.ts',
      find: 'if (stats?.ino === ino && stats.dev === dev) return damage',
      replace: 'return damage',
      test,
      title: 'a database file in use makes the service not ready when it is %s',
    },
    {
      defense: 'the schemas that this version knows',
      file: 'src/service/engine/database/schema/applied-migrations.ts',
      find: 'if (isNewer) throw newerVersion(newest)',
      replace: '',
      test,
      title: 'a database file that a newer version has migrated is rejected, and the error names both schemas',
    },
  ]
}

function fingerprint(): readonly Mutant[] {
  const test = 'service/engine/database/schema-fingerprint.test.ts'
  return [
    {
      defense: 'the comparison of the hashes of migrations',
      file: 'src/service/engine/database/schema/applied-migrations.ts',
      find: 'return name !== known.name || (hashed && hash !== known[engine.name])',
      replace: 'return name !== known.name',
      test,
      title: 'a database is of another build where a migration has %s',
    },
    {
      defense: 'the comparison of a schema that has no hashes',
      file: 'src/service/engine/database/schema/migrate-to-latest.ts',
      find: 'else await requireFormerSchema(db, engine, count)',
      replace: '',
      test,
      title: 'a database without hashes and with %s is of another build, and is not changed',
    },
    {
      defense: 'the look for tables of another app',
      file: 'src/service/engine/database/schema/migrate-to-latest.ts',
      find: 'if (count === 0) await requireNoOtherApp(db, engine)\n  else await',
      replace: 'if (count > 0) await',
      test,
      title: 'a database of another app with %s is not used',
    },
    {
      defense: 'the comparison of the hashes in a file that check reads',
      file: 'src/cli/commands/check.ts',
      find: 'await checkSchema(database).catch(rethrowFileError)',
      replace: '',
      test: 'cli/admin/check.test.ts',
      title: 'check and restore reject a database %s, with the reason',
    },
  ]
}

function synchronization(): readonly Mutant[] {
  const test = 'service/features/users/synchronize.test.ts'
  return [
    {
      defense: 'the ticket that a list draws when it arrives',
      file: 'src/service/features/users/synchronization-statements.ts',
      find: ".where('synchronizationApplied', '<', ticket)",
      replace: '',
      test,
      title: 'a synchronization does not overwrite the list that arrived after it',
    },
    {
      defense: 'the look whether the caller has hung up',
      file: 'src/service/features/users/synchronize.ts',
      find: 'if (request.disconnected?.()) return false',
      replace: '',
      test,
      title: 'a synchronization is not carried out if its caller disconnects while it is staged',
    },
    {
      defense: 'the version that `If-Match` names',
      file: 'src/service/features/users/synchronization-statements.ts',
      find: "applying(db, ticket).where('synchronizationApplied', '=', expected)",
      replace: 'applying(db, ticket)',
      test,
      title: 'a synchronization replaces only the version that If-Match names',
    },
    {
      defense: 'the boot, the namespace and the start of the process that holds a synchronization',
      file: 'src/service/features/users/synchronization-process-identity.ts',
      find: 'if (!otherProcess || otherProcess.boot !== thisProcess?.boot || otherProcess.namespace !== thisProcess.namespace)',
      replace: 'if (!otherProcess)',
      test,
      title: 'a synchronization is waited for if its process runs %s',
    },
    {
      defense: 'the name that an abandoned synchronization gives back',
      file: 'src/service/features/users/synchronize.ts',
      find: 'if (!row || secondsUntilAbandoned(row, ctx.clock.now()) > 0) return false',
      replace: 'if (row === undefined || row.id.length > 0) return false',
      test,
      title: 'a synchronization whose process has certainly exited reserves no username',
    },
  ]
}

function retention(): readonly Mutant[] {
  const test = 'service/engine/audit/retention.test.ts'
  return [
    {
      defense: 'the hour for which a clock has to run evenly',
      file: 'src/service/engine/audit/trusted-time.ts',
      find: 'const agreed = alike ? before.agreed + elapsed : 0',
      replace: 'const agreed = alike ? before.agreed + elapsed : agreementNeeded',
      test,
      title: 'the audit trail keeps all entries if the clock is 405 days fast, even across restarts',
    },
    {
      defense: 'the hour that begins anew after a leap over a restart',
      file: 'src/service/engine/audit/trusted-time.ts',
      find: 'agreed: stopped >= -tolerance && stopped <= longStop ? stored.agreed : 0',
      replace: 'agreed: stopped > 0 ? stored.agreed : 0',
      test,
      title: 'the audit trail keeps all entries if the clock jumps by 405 days while the service is stopped',
    },
    {
      defense: 'the end of old audit entries beside a count that fails',
      file: 'src/service/upkeep/sweep.ts',
      find: '      isDone = false\n      failed(error)\n',
      replace: '      failed(error)\n      throw error\n',
      test,
      title: 'the audit trail drops expired entries although a sweep can count neither sign-ins nor enrolled members',
    },
    {
      defense: 'the budget of a day',
      file: 'src/service/engine/audit/retention.ts',
      find: 'withinBudget ? due.slice(0, await takePruneBudget(db, due.length)) : due',
      replace: 'withinBudget && db === undefined ? due.slice(0, await takePruneBudget(db, due.length)) : due',
      test,
      title: 'the audit trail drops a tenth of its expired entries a day',
    },
  ]
}
