import { searchText } from './search-text.ts'

const text = searchText((column) => `string_agg(${column}, chr(10))`)

const trigger = (name: string, event: string, called: string) =>
  `create trigger user_search_${name} after ${event} for each row execute function ${called}()`

const procedure = (name: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`

const update = (userId: string) => `perform user_search_update(${userId});`

/**
 * Trigrams (postgresql.org/docs/current/pgtrgm.html). Where the extension cannot be created, searches read the whole table,
 * which takes about 50 ms for 100,000 people.
 */
export const postgresSearch: readonly string[] = [
  `create table user_search (
    position bigint primary key,
    organization_id text not null,
    text text not null
  )`,
  `do $$ begin
    create extension if not exists pg_trgm;
    execute 'create index user_search_text on user_search using gin (text gin_trgm_ops)';
  exception when others then null;
  end $$`,
  `create function user_search_update(changed text) returns void language sql as $$
    update user_search set text = lower(${text}) from "user" u where u.id = changed and position = u.sequence $$`,
  procedure(
    'user_search_insert',
    `insert into user_search (position, organization_id, text)
      select u.sequence, u.organization_id, lower(${text}) from "user" u where u.id = new.id;`,
  ),
  procedure('user_search_of_user', update('new.id')),
  procedure('user_search_delete', 'delete from user_search where position = old.sequence;'),
  procedure('user_search_of_new', update('new.user_id')),
  procedure('user_search_of_old', update('old.user_id')),
  procedure('user_search_of_both', update('old.user_id') + update('new.user_id')),
  trigger('added', 'insert on "user"', 'user_search_insert'),
  trigger('changed', 'update of username, name, email on "user"', 'user_search_of_user'),
  trigger('removed', 'delete on "user"', 'user_search_delete'),
  trigger('device_added', 'insert on device', 'user_search_of_new'),
  trigger('device_changed', 'update of name, revoked_at on device', 'user_search_of_new'),
  trigger('hardware_added', 'insert on hardware_token', 'user_search_of_new'),
  trigger('hardware_changed', 'update of user_id, serial_number on hardware_token', 'user_search_of_both'),
  trigger('hardware_removed', 'delete on hardware_token', 'user_search_of_old'),
]
