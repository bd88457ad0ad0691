import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { systemClock } from '../../../../src/ground/clock.ts'
import type { Call } from '../../../../src/service/engine/http/route.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import type { Store } from '../../../../src/service/engine/database/store.ts'
import { readPeople } from '../../../../src/service/features/people/pages.ts'
import { useEngine } from '../../../support/engines.ts'
import { insertManyUsers } from '../../../support/many-users.ts'

const domainIds = ['a', 'b', 'c']

describe('filters of many people', () => {
  const newDatabase = useEngine('SQLite')
  let store: Store

  beforeAll(async () => {
    store = await openSqliteStore(await newDatabase())
    await sql`insert into organization (id, name, created_at) values ('o', 'o', 1)`.execute(store.db)
    for (const id of domainIds)
      await sql`insert into domain (id, organization_id, name, type, key_type, max_allowed_retries, request_timeout,
          activation_code_expiration, request_polling_enabled, bypass_enabled, email_otp_enabled, number_matching, created_at)
        values (${id}, 'o', ${id}, 'WEB', 'NONE', 5, 90, 7, 1, 0, 1, 'offered', 1)`.execute(store.db)
    await insertManyUsers(store.db, { organizationId: 'o', domainId: 'a', count: 700 })
    for (const id of ['b', 'c'])
      await sql`insert into membership (domain_id, user_id) select ${id}, id from "user"`.execute(store.db)
  })
  afterAll(() => store.close())

  it('a filter counts a member of several apps once, however many memberships it reads', async () => {
    const administrator = { organizationId: 'o', domainIds }
    const call = { store, clock: systemClock, console: { administrator } } as unknown as Call

    const { total, rows, next } = await readPeople(call, { filter: 'only_email' }, { from: 1 })

    expect([total, rows.length, next]).toEqual([{ count: 700, more: false }, 50, 51])
  })
})
