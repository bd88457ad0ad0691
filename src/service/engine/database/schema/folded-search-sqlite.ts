import { sqliteFold } from './fold.ts'
import { rowsOfDevice, rowsOfHardware, rowsOfUser } from './search-rows.ts'
import { rowsOfPerson } from './search-rows-sqlite.ts'

const nextId = `(select max(s.id) + 1 from search_row s where s.id < (u.sequence + 1) * ${rowsOfPerson})`

/** Triggers write to the view, whose own trigger alone contains the fold. */
const insert = (id: string, rows: string) =>
  `insert into search_entry (id, kind, subject, position, domain_id, text) select ${id}, ${rows};`

const forget = (kind: 'user' | 'device' | 'hardware', id: string) =>
  `delete from search_row where subject = ${id} and kind = '${kind}';`

const trigger = (name: string, event: string, body: string) =>
  `create trigger search_row_${name} after ${event} for each row begin ${body} end`

const addUser = insert(`u.sequence * ${rowsOfPerson}`, rowsOfUser('where u.id = new.id'))
const addDevice = insert(nextId, rowsOfDevice('and d.id = new.id'))
const addHardware = insert(nextId, rowsOfHardware('and h.id = new.id'))

/** The index folds accents of scripts that the table does not know (sqlite.org/fts5.html section 4.3.5). */
export const sqliteFoldedSearch: readonly string[] = [
  ...[
    'indexed_anew',
    'user_added',
    'user_changed',
    'device_added',
    'device_changed',
    'hardware_added',
    'hardware_changed',
  ].map((name) => `drop trigger search_row_${name}`),
  'drop table user_search',
  `update search_row set text = ${sqliteFold('text')}`,
  `create virtual table user_search using fts5(text, content = 'search_row', content_rowid = 'id', tokenize = 'trigram remove_diacritics 1')`,
  `insert into user_search (user_search) values ('rebuild')`,

  'create view search_entry as select id, kind, subject, position, domain_id, text from search_row',
  `create trigger search_entry_added instead of insert on search_entry for each row begin
    insert into search_row (id, kind, subject, position, domain_id, text)
      select new.id, new.kind, new.subject, new.position, new.domain_id, ${sqliteFold('t.text')} from (select new.text as text) t;
  end`,
  trigger('user_added', 'insert on "user"', addUser),
  trigger('user_changed', 'update of username, name, email on "user"', forget('user', 'new.id') + addUser),
  trigger('device_added', 'insert on device', addDevice),
  trigger('device_changed', 'update of name, revoked_at on device', forget('device', 'new.id') + addDevice),
  trigger('hardware_added', 'insert on hardware_token', addHardware),
  trigger(
    'hardware_changed',
    'update of user_id, serial_number on hardware_token',
    forget('hardware', 'new.id') + addHardware,
  ),
]
