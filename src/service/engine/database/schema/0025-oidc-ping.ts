/**
 * When the OpenID provider tells a client that a person has answered (CIBA, delivery by ping). What it says, and to whom, is an artifact:
 * without it a ping is sent no more. No client of the provider has user codes.
 */
export const oidcPing: readonly string[] = [
  `create table oidc_ping (
    artifact_id text not null primary key,
    subject_id text not null,
    due_at bigint not null,
    expires_at bigint not null,
    tries integer default 0 not null
  )`,
  'create index oidc_ping_about on oidc_ping (subject_id)',
  'create index oidc_ping_due on oidc_ping (due_at)',
  'create index oidc_ping_expires on oidc_ping (expires_at)',
  'drop index oidc_artifact_user_code',
  'alter table oidc_artifact drop column user_code',
]
