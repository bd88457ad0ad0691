/** Adds the time zone in which the mails to a user tell times; null where neither app nor browser has said it. */
export const timeZoneOfUser: readonly string[] = ['alter table "user" add column time_zone text']
