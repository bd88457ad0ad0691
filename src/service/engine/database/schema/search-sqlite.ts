import { searchText } from './search-text.ts'

const text = searchText((column) => `group_concat(${column}, chr(10))`).replaceAll('chr(10)', 'char(10)')

const update = (userId: string) =>
  `update user_search set text = (select ${text} from "user" u where u.id = ${userId})
    where rowid = (select sequence from "user" where id = ${userId});`

const trigger = (name: string, event: string, body: string) =>
  `create trigger user_search_${name} after ${event} for each row begin ${body} end`

/** A full-text index of trigrams (sqlite.org/fts5.html section 4.3.5), whose rows have the numbers of their users. */
export const sqliteSearch: readonly string[] = [
  "create virtual table user_search using fts5(organization_id unindexed, text, tokenize = 'trigram')",
  trigger(
    'added',
    'insert on "user"',
    `insert into user_search (rowid, organization_id, text)
      select u.sequence, u.organization_id, ${text} from "user" u where u.id = new.id;`,
  ),
  trigger('changed', 'update of username, name, email on "user"', update('new.id')),
  trigger('removed', 'delete on "user"', 'delete from user_search where rowid = old.sequence;'),
  trigger('device_added', 'insert on device', update('new.user_id')),
  trigger('device_changed', 'update of name, revoked_at on device', update('new.user_id')),
  trigger('hardware_added', 'insert on hardware_token', update('new.user_id')),
  trigger(
    'hardware_changed',
    'update of user_id, serial_number on hardware_token',
    `${update('old.user_id')} ${update('new.user_id')}`,
  ),
  trigger('hardware_removed', 'delete on hardware_token', update('old.user_id')),
]
