/**
 * Whether a user ever had recovery codes: only the first ones need no second approval. Users who have enrolled before count as such
 * who had some, because nothing tells.
 */
export const recoveryCodesOfUser: readonly string[] = [
  'alter table "user" add column had_codes integer default 0 not null',
  'update "user" set had_codes = 1 where ever_enrolled = 1',
]
