/** What mails were about, so that their reader can say that it was not them. */
export const mailReport: readonly string[] = [
  `create table mail_report (
    secret_hash text not null primary key,
    user_id text not null references "user" (id),
    headline text not null,
    expires_at bigint not null,
    used_at bigint
  )`,
  'create index mail_report_user on mail_report (user_id)',
  'create index mail_report_expired on mail_report (expires_at)',
]
