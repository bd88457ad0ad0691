/**
 * Adds counter-based generators (RFC 4226) beside time-based ones, in columns of their own: `last_step`, `drift` and `seen_step` are
 * about time.
 */
export const codeCounter: readonly string[] = [
  // The next counter that is accepted. Null: the generator is time-based, as all of earlier versions.
  'alter table code_generator add column counter bigint',
  'alter table code_generator add column seen_counter bigint',
  'alter table code_generator add column used_at bigint',
  'alter table code_generator add column needs_resynchronization integer default 0 not null',
]
