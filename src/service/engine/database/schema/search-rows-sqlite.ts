import { rowsOfDevice, rowsOfHardware, rowsOfUser } from './search-rows.ts'

/**
 * The rows of a person have numbers between that of the person times 2^20 and the next one, so that an index which finds rows in
 * their order finds people in theirs. Its own row has the first of these numbers.
 */
export const rowsOfPerson = 2 ** 20

const nextId = `(select max(s.id) + 1 from search_row s where s.id < (u.sequence + 1) * ${rowsOfPerson})`

const insert = (id: string, rows: string) =>
  `insert into search_row (id, kind, subject, position, domain_id, text) select ${id}, ${rows};`

const forget = (kind: 'device' | 'hardware', id: string) =>
  `delete from search_row where subject = ${id} and kind = '${kind}';`

const trigger = (name: string, event: string, body: string) =>
  `create trigger search_row_${name} after ${event} for each row begin ${body} end`

const addDevice = insert(nextId, rowsOfDevice('and d.id = new.id'))
const addHardware = insert(nextId, rowsOfHardware('and h.id = new.id'))

/** A full-text index of trigrams (sqlite.org/fts5.html section 4.3.5) over a table of its own (section 4.4.3). */
export const sqliteSearchRows: readonly string[] = [
  ...['added', 'changed', 'removed', 'device_added', 'device_changed', 'hardware_added', 'hardware_changed'].map(
    (name) => `drop trigger user_search_${name}`,
  ),
  'drop trigger user_search_hardware_removed',
  'drop table user_search',
  `create table search_row (
    id integer primary key,
    kind text not null,
    subject text not null,
    position bigint not null,
    domain_id text,
    text text not null,
    unique (subject, kind)
  )`,
  insert(`u.sequence * ${rowsOfPerson}`, rowsOfUser('')),
  // One after another, because each takes the next free number of its person.
  `insert into search_row (id, kind, subject, position, domain_id, text)
    select u.sequence * ${rowsOfPerson} + row_number() over (partition by u.sequence order by d.id), ${rowsOfDevice('')}`,
  `insert into search_row (id, kind, subject, position, domain_id, text)
    select ${nextId}, ${rowsOfHardware('')}`,
  'create index search_row_of_person on search_row (position)',
  `create virtual table user_search using fts5(text, content = 'search_row', content_rowid = 'id', tokenize = 'trigram')`,
  `insert into user_search (user_search) values ('rebuild')`,

  trigger('indexed', 'insert on search_row', 'insert into user_search (rowid, text) values (new.id, new.text);'),
  trigger(
    'unindexed',
    'delete on search_row',
    `insert into user_search (user_search, rowid, text) values ('delete', old.id, old.text);`,
  ),
  trigger(
    'indexed_anew',
    'update of text on search_row',
    `insert into user_search (user_search, rowid, text) values ('delete', old.id, old.text);
      insert into user_search (rowid, text) values (new.id, new.text);`,
  ),
  trigger('user_added', 'insert on "user"', insert(`u.sequence * ${rowsOfPerson}`, rowsOfUser('where u.id = new.id'))),
  trigger(
    'user_changed',
    'update of username, name, email on "user"',
    `update search_row set text = new.username || char(10) || new.name || char(10) || new.email where subject = new.id and kind = 'user';`,
  ),
  trigger('user_removed', 'delete on "user"', 'delete from search_row where position = old.sequence;'),
  trigger('device_added', 'insert on device', addDevice),
  trigger('device_changed', 'update of name, revoked_at on device', forget('device', 'new.id') + addDevice),
  trigger('device_removed', 'delete on device', forget('device', 'old.id')),
  trigger('hardware_added', 'insert on hardware_token', addHardware),
  trigger(
    'hardware_changed',
    'update of user_id, serial_number on hardware_token',
    forget('hardware', 'new.id') + addHardware,
  ),
  trigger('hardware_removed', 'delete on hardware_token', forget('hardware', 'old.id')),
]
