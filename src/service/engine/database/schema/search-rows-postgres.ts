import { rowsOfDevice, rowsOfHardware, rowsOfUser } from './search-rows.ts'

const insert = (rows: string) =>
  `insert into search_row (kind, subject, position, domain_id, text) select c.kind, c.id, c.sequence, c.domain_id, lower(c.text)
    from (select ${rows}) c (kind, id, sequence, domain_id, text);`

const ofUser = (where: string) => rowsOfUser(where, 'chr(10)').replace('null,', 'null::text,')
const ofHardware = (where: string) => rowsOfHardware(where).replace('null,', 'null::text,')

const forget = (kind: 'device' | 'hardware', id: string) =>
  `delete from search_row where subject = ${id} and kind = '${kind}';`

const procedure = (name: string, body: string) =>
  `create function search_row_${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`

const trigger = (name: string, event: string, called: string) =>
  `create trigger search_row_${name} after ${event} for each row execute function search_row_${called}()`

const addDevice = insert(rowsOfDevice('and d.id = new.id'))
const addHardware = insert(ofHardware('and h.id = new.id'))

const former: readonly (readonly [table: string, triggers: readonly string[]])[] = [
  ['"user"', ['added', 'changed', 'removed']],
  ['device', ['device_added', 'device_changed']],
  ['hardware_token', ['hardware_added', 'hardware_changed', 'hardware_removed']],
]

/**
 * Trigrams (postgresql.org/docs/current/pgtrgm.html). Where the extension cannot be created, searches read the whole table,
 * which takes about 50 ms for 100,000 people.
 */
export const postgresSearchRows: readonly string[] = [
  ...former.flatMap(([table, names]) => names.map((name) => `drop trigger user_search_${name} on ${table}`)),
  ...['insert', 'of_user', 'delete', 'of_new', 'of_old', 'of_both'].map(
    (name) => `drop function user_search_${name}()`,
  ),
  'drop function user_search_update(text)',
  'drop table user_search',
  `create table search_row (
    kind text not null,
    subject text not null,
    position bigint not null,
    domain_id text,
    text text not null,
    primary key (subject, kind)
  )`,
  insert(ofUser('')),
  insert(rowsOfDevice('')),
  insert(ofHardware('')),
  'create index search_row_of_person on search_row (position)',
  `do $$ begin
    create extension if not exists pg_trgm;
    execute 'create index search_row_text on search_row using gin (text gin_trgm_ops)';
  exception when others then null;
  end $$`,

  procedure('add_user', insert(ofUser('where u.id = new.id'))),
  procedure(
    'change_user',
    `update search_row set text = lower(new.username || chr(10) || new.name || chr(10) || new.email)
      where subject = new.id and kind = 'user';`,
  ),
  procedure('remove_user', 'delete from search_row where position = old.sequence;'),
  procedure('add_device', addDevice),
  procedure('change_device', forget('device', 'new.id') + addDevice),
  procedure('add_hardware', addHardware),
  procedure('change_hardware', forget('hardware', 'new.id') + addHardware),
  procedure('remove_device', forget('device', 'old.id')),
  procedure('remove_hardware', forget('hardware', 'old.id')),
  trigger('user_added', 'insert on "user"', 'add_user'),
  trigger('user_changed', 'update of username, name, email on "user"', 'change_user'),
  trigger('user_removed', 'delete on "user"', 'remove_user'),
  trigger('device_added', 'insert on device', 'add_device'),
  trigger('device_changed', 'update of name, revoked_at on device', 'change_device'),
  trigger('device_removed', 'delete on device', 'remove_device'),
  trigger('hardware_added', 'insert on hardware_token', 'add_hardware'),
  trigger('hardware_changed', 'update of user_id, serial_number on hardware_token', 'change_hardware'),
  trigger('hardware_removed', 'delete on hardware_token', 'remove_hardware'),
]
