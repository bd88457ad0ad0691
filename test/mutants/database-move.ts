import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'a moved database is opened by nothing',
    file: 'src/service/engine/database/schema/applied-migrations.ts',
    find: 'if (!moved) refuseMoved(rows)',
    replace: '',
    test: 'cli/admin/database-move.test.ts',
    title: 'a moved file opens for no command, says where the database is, and is not moved again',
  },
  {
    defense: 'a moved database is moved to no second place',
    file: 'src/service/upkeep/move.ts',
    find: "if (earlier.state === 'started' && earlier.to === place) return true",
    replace: 'if (earlier.to !== place) return true',
    test: 'cli/admin/database-move.test.ts',
    title: 'a moved file opens for no command, says where the database is, and is not moved again',
  },
  {
    defense: 'a move into an empty database only',
    file: 'src/service/upkeep/move.ts',
    find: 'if (rows.size === 0) return undefined',
    replace: 'if (rows.size >= 0) return undefined',
    test: 'cli/admin/database-move.test.ts',
    title: 'a database is not moved into one that has rows, and keeps its own',
  },
  {
    defense: 'the mark of a file before PostgreSQL has stored the copy',
    file: 'src/service/upkeep/move.ts',
    find: "markMoved(source, { state: 'started', to: target.place }, options.clock.now())",
    replace: '',
    test: 'service/upkeep/move-interrupted.long.ts',
    title: 'a copy that %s without an answer is completed by the next move, and until then nothing opens the file',
  },
  {
    defense: 'numbers that are not used a second time after a move',
    file: 'src/service/upkeep/move-tables.ts',
    find: 'await continueNumbers(db, table)',
    replace: '',
    test: 'cli/admin/database-move.test.ts',
    title: 'a moved database has every row of every table, and numbers that continue',
  },
]
