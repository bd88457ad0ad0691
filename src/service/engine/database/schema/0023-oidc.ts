/**
 * What the OpenID provider keeps: its clients, what it issues, and the keys that it signs with. What it issues names users without
 * referring to them, because it ends with their epoch.
 */
export const oidc: readonly string[] = [
  `create table oidc_client (
    id text not null primary key,
    domain_id text not null references domain (id),
    name text not null,
    kind text not null,
    authentication text not null,
    secret_hash text,
    former_secret_hash text,
    former_secret_until bigint,
    native integer not null,
    redirect_uris text not null,
    post_logout_redirect_uris text not null,
    jwks text,
    jwks_uri text,
    resources text not null,
    refresh_tokens integer not null,
    scopes text not null,
    entra text,
    ciba text,
    version integer default 1 not null,
    created_at bigint not null
  )`,
  'create index oidc_client_of_domain on oidc_client (domain_id, created_at, id)',
  `create table oidc_artifact (
    id text not null primary key,
    model text not null,
    client_id text references oidc_client (id),
    grant_id text,
    user_id text,
    uid text,
    user_code text,
    consumed_at bigint,
    created_at bigint not null,
    expires_at bigint not null,
    payload text not null
  )`,
  'create index oidc_artifact_of_client on oidc_artifact (client_id) where client_id is not null',
  'create index oidc_artifact_of_grant on oidc_artifact (grant_id) where grant_id is not null',
  'create index oidc_artifact_of_user on oidc_artifact (user_id) where user_id is not null',
  'create index oidc_artifact_uid on oidc_artifact (uid) where uid is not null',
  'create index oidc_artifact_user_code on oidc_artifact (user_code) where user_code is not null',
  'create index oidc_artifact_expired on oidc_artifact (expires_at)',
  // The generation is unique, so that of two nodes that rotate at once one does.
  `create table oidc_key (
    id text not null primary key,
    generation integer not null unique,
    ring_key text not null,
    public_key text not null,
    private_key text not null,
    created_at bigint not null,
    signs_from bigint not null
  )`,
]
