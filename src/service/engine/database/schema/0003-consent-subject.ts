/**
 * A consent is for exact parameters in certain domains. Requests without them are void: nothing says what they were for. An
 * administrator has one open request about a person.
 */
export const consentSubject: readonly string[] = [
  'drop table consent',
  `create table consent (
    id text primary key,
    organization_id text not null references organization (id),
    operation text not null,
    user_id text not null,
    parameters text not null,
    domain_ids text not null,
    digest text not null,
    requested_by text not null references administrator (id),
    because text not null,
    decided_by text,
    state text not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  "create unique index consent_open on consent (requested_by, user_id) where state in ('pending', 'given')",
  'create index consent_of_requester on consent (requested_by, user_id, operation)',
  'create index consent_of_organization on consent (organization_id, created_at, id)',
  'create index consent_expired on consent (expires_at)',
]
