/**
 * Adds answers to creating calls, for callers who repeat a call with the same `Idempotency-Key`. They have no foreign keys: each row ends
 * after ten minutes, and the API key of an embedded app is not stored.
 */
export const rememberedAnswer: readonly string[] = [
  `create table remembered_answer (
    id text not null primary key,
    api_key_id text not null,
    domain_id text,
    answer text not null,
    expires_at bigint not null
  )`,
  'create index remembered_answer_expired on remembered_answer (expires_at)',
]
