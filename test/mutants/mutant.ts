/** A piece of the source, and its replacement without the defense. */
export interface Change {
  /** Path below the root, such as `src/express/gate.ts`. */
  readonly file: string
  /** Text that occurs exactly once in the file. */
  readonly find: string
  /** The replacement, with which the file still parses. */
  readonly replace: string
}

/**
 * One defense taken out: a mutant of the source that the named test must notice. A rule with two defenses has a mutant
 * for each, and says so in docs/guarantees.md.
 */
export interface Mutant extends Change {
  /** What is taken out, such as `the check that an approval belongs to its challenge`. */
  readonly defense: string
  /**
   * The other defenses of the same rule, taken out as well: for a test of the whole that cannot fail while one of them is
   * left. Each of them also has a mutant of its own.
   */
  readonly also?: readonly Change[]
  /** Path below `test/` of the test that must fail. */
  readonly test: string
  /** Title of the test that must fail: a part that no other title in the file contains. */
  readonly title: string
  /** Where the test shows nothing without those before it in its file: all of them run. */
  readonly wholeFile?: boolean
}

/** For the removal of what a migration creates: an edited migration would not be executed at all. */
export const editableMigrations: Change = {
  file: 'src/service/engine/database/schema/migrate-to-latest.ts',
  find: 'if (actual === hash) continue',
  replace: 'if (actual !== undefined) continue',
}
