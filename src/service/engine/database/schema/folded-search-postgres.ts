import { postgresFold } from './fold.ts'
import { rowsOfDevice, rowsOfHardware, rowsOfUser } from './search-rows.ts'

const insert = (rows: string) =>
  `insert into search_row (kind, subject, position, domain_id, text)
    select c.kind, c.id, c.sequence, c.domain_id, search_fold(c.text) from (select ${rows}) c (kind, id, sequence, domain_id, text);`

const forget = (kind: 'device' | 'hardware', id: string) =>
  `delete from search_row where subject = ${id} and kind = '${kind}';`

const procedure = (name: string, body: string) =>
  `create or replace function search_row_${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`

const addDevice = insert(rowsOfDevice('and d.id = new.id'))
const addHardware = insert(rowsOfHardware('and h.id = new.id').replace('null,', 'null::text,'))

/** Only what the functions write changes: the triggers that call them stay. */
export const postgresFoldedSearch: readonly string[] = [
  postgresFold,
  'update search_row set text = search_fold(text)',
  procedure('add_user', insert(rowsOfUser('where u.id = new.id', 'chr(10)').replace('null,', 'null::text,'))),
  procedure(
    'change_user',
    `update search_row set text = search_fold(new.username || chr(10) || new.name || chr(10) || new.email)
      where subject = new.id and kind = 'user';`,
  ),
  procedure('add_device', addDevice),
  procedure('change_device', forget('device', 'new.id') + addDevice),
  procedure('add_hardware', addHardware),
  procedure('change_hardware', forget('hardware', 'new.id') + addHardware),
]
