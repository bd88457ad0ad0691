const columns = 'id, organization_id, operation, user_id, requested_by, because, decided_by'

/**
 * What one administrator asks another one is a consent. "Approval" is the word for people's answers on their devices. The table is
 * copied, because neither database renames the constraints of a table in the other's words.
 */
export const consent: readonly string[] = [
  `create table consent (
    id text primary key,
    organization_id text not null references organization (id),
    operation text not null,
    user_id text not null,
    requested_by text not null references administrator (id),
    because text not null,
    decided_by text,
    state text not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  `insert into consent (${columns}, state, created_at, expires_at)
    select ${columns}, case state when 'approved' then 'given' else state end, created_at, expires_at from approval`,
  'drop table approval',
  'create index consent_of_organization on consent (organization_id, created_at)',
  'create index consent_expired on consent (expires_at)',
]
