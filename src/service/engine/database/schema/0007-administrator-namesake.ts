/** Users with the e-mail address of an administrator, of whom an owner has said that they are somebody else. */
export const administratorNamesake: readonly string[] = [
  `create table administrator_namesake (
    administrator_id text not null references administrator (id),
    user_id text not null,
    primary key (administrator_id, user_id)
  )`,
]
