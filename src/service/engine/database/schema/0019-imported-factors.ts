/** Factors that another system made: whether a user's may still be imported, and the recovery codes among them. */
export const importedFactors: readonly string[] = [
  'alter table "user" add column import_state text default \'open\' not null',
  'alter table "user" add column imported_codes integer default 0 not null',
  'alter table bypass_code add column imported integer default 0 not null',
]
