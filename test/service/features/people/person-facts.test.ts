import { randomBytes } from 'node:crypto'

import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { sentFactors, sentTo } from '../../../../src/contract/factor-descriptions.ts'
import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import type { Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import type { Store } from '../../../../src/service/engine/database/store.ts'
import { readCommitted } from '../../../../src/service/engine/database/transaction-ends.ts'
import { inactiveAfter, PeopleFilter } from '../../../../src/admin-contract/people.ts'
import { isStrong } from '../../../../src/service/features/factors/strong-factors.ts'
import { filteredPositions, sendersAmong } from '../../../../src/service/features/people/filtered.ts'
import { findPeople, pageOfPeople } from '../../../../src/service/features/people/statements.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { isLongRun } from '../../../support/full-run.ts'
import { factsOf, truthOf } from './facts-of-people.ts'

const newId = () => randomBytes(20).toString('hex')

/** An organization with two domains, of which each person starts in neither. A synchronization has the id of its organization. */
interface Place {
  readonly organization: string
  readonly domains: readonly [string, string]
  readonly users: readonly string[]
}

const users = [0, 1] as const
const domains = [0, 1] as const

const presentTime = Math.trunc(Date.now() / 1000)

/** A change of what is known of a person, as the service makes it; those that fit nothing change nothing. */
type Change = (db: Queryable, place: Place) => Promise<unknown>

const where = (place: Place, user: number, domain: number) =>
  sql`user_id = ${place.users[user]} and domain_id = ${place.domains[domain]}`

/** The long run tries more changes. */
const factor = isLongRun ? 4 : 1

const changes: readonly fc.Arbitrary<readonly [string, Change]>[] = [
  ofMember('joins', (place, user, domain, db) =>
    sql`insert into membership (domain_id, user_id) values (${place.domains[domain]}, ${place.users[user]})
      on conflict do nothing`.execute(db),
  ),
  ofMember('is staged', (place, user, domain, db) =>
    sql`insert into membership (domain_id, user_id, added_by) values (${place.domains[domain]}, ${place.users[user]}, ${place.organization})
      on conflict do nothing`.execute(db),
  ),
  ofMember('settles', (place, user, domain, db) =>
    sql`update membership set added_by = null where ${where(place, user, domain)}`.execute(db),
  ),
  ofMember('is marked as leaving', (place, user, domain, db) =>
    sql`update membership set removed_by = ${place.organization} where ${where(place, user, domain)}`.execute(db),
  ),
  ofMember('leaves', (place, user, domain, db) =>
    sql`delete from membership where ${where(place, user, domain)}`.execute(db),
  ),
  ofMember('gets a code for a device', (place, user, domain, db) =>
    sql`insert into token (id, domain_id, user_id, state, created_at)
      values (${newId()}, ${place.domains[domain]}, ${place.users[user]}, 'pending', 1) on conflict do nothing`.execute(
      db,
    ),
  ),
  ofMember('activates a device', (place, user, domain, db) =>
    sql`update token set state = 'active' where ${where(place, user, domain)}`.execute(db),
  ),
  ofMember('gets an active token at once', (place, user, domain, db) =>
    sql`insert into token (id, domain_id, user_id, state, created_at)
      values (${newId()}, ${place.domains[domain]}, ${place.users[user]}, 'active', 1) on conflict do nothing`.execute(
      db,
    ),
  ),
  ofMember('loses a device', (place, user, domain, db) =>
    sql`delete from token where ${where(place, user, domain)}`.execute(db),
  ),
  ofUser('adds a passkey', (place, user, db) =>
    sql`insert into passkey (id, organization_id, user_id, rp_id, credential_id, public_key, counter, transports, name, syncable, synced, created_at)
      values (${newId()}, ${place.organization}, ${place.users[user]}, 'app.example', ${newId()}, '', 0, '[]', 'Phone', 1, 1, 1)`.execute(
      db,
    ),
  ),
  ofUser('removes all passkeys', (place, user, db) =>
    sql`delete from passkey where user_id = ${place.users[user]}`.execute(db),
  ),
  ofUser('gets a hardware token', async (place, user, db) => {
    const id = newId()
    await sql`insert into code_generator (id, seed, digits, period, last_step, drift, sync_state)
      values (${id}, '', 6, 30, -1, 0, 'Never Used')`.execute(db)
    await sql`insert into hardware_token (id, organization_id, alias, serial_number, user_id, created_at)
      values (${id}, ${place.organization}, 'Token', ${id}, ${place.users[user]}, 1) on conflict do nothing`.execute(db)
  }),
  ofUser('hands the hardware token over', (place, user, db) =>
    sql`update hardware_token set user_id = ${place.users[1 - user]} where user_id = ${place.users[user]}
      and not exists (select 1 from hardware_token h where h.user_id = ${place.users[1 - user]})`.execute(db),
  ),
  ofUser('gives the hardware token back', (place, user, db) =>
    sql`update hardware_token set user_id = null where user_id = ${place.users[user]}`.execute(db),
  ),
  ofUser('has the hardware token deleted', (place, user, db) =>
    sql`delete from hardware_token where user_id = ${place.users[user]}`.execute(db),
  ),
  ...sentFactors
    .map(sentTo)
    .flatMap((column) => [
      ofUser(`gets a value of ${column}`, (place, user, db) =>
        sql`update "user" set ${sql.ref(column)} = 'a@example.com' where id = ${place.users[user]}`.execute(db),
      ),
      ofUser(`loses the value of ${column}`, (place, user, db) =>
        sql`update "user" set ${sql.ref(column)} = '' where id = ${place.users[user]}`.execute(db),
      ),
    ]),
  ofUser('gets a recovery code', (place, user, db) =>
    sql`insert into bypass_code (id, user_id, code, code_lookup, uses_allowed, uses_remaining, expires_at, created_at)
      values (${newId()}, ${place.users[user]}, '', ${newId()}, 2, 2, ${presentTime + 1000}, 1)`.execute(db),
  ),
  ofUser('uses the recovery codes', (place, user, db) =>
    sql`update bypass_code set uses_remaining = uses_remaining - 1
      where user_id = ${place.users[user]} and uses_remaining > 0`.execute(db),
  ),
  ofUser('has recovery codes that expire sooner', (place, user, db) =>
    sql`update bypass_code set expires_at = expires_at - 500 where user_id = ${place.users[user]}`.execute(db),
  ),
  ofUser('has expired recovery codes swept', (place, user, db) =>
    sql`delete from bypass_code where user_id = ${place.users[user]}`.execute(db),
  ),
  ofUser('was added at another time', (place, user, db) =>
    sql`update "user" set created_at = created_at - 30 where id = ${place.users[user]}`.execute(db),
  ),
  ofUser('signs in', (place, user, db) =>
    sql`insert into last_sign_in (user_sequence, at) select sequence, 5000 from "user" where id = ${place.users[user]}
      on conflict (user_sequence) do update set at = last_sign_in.at + 100`.execute(db),
  ),
  ofUser('has no known sign-in any more', (place, user, db) =>
    sql`delete from last_sign_in where user_sequence in (select sequence from "user" where id = ${place.users[user]})`.execute(
      db,
    ),
  ),
  ofUser('is locked', (place, user, db) =>
    sql`update "user" set codes_locked_until = ${presentTime + 100} where id = ${place.users[user]}`.execute(db),
  ),
  ofUser('is added by the synchronization', (place, user, db) =>
    sql`update "user" set added_by = ${place.organization} where id = ${place.users[user]}`.execute(db),
  ),
  ofPlace('a synchronization begins', (place, db) =>
    sql`insert into synchronization (id, organization_id, domain_id, holder, beat_at)
      values (${place.organization}, ${place.organization}, ${place.domains[0]}, '', 1) on conflict do nothing`.execute(
      db,
    ),
  ),
  ofPlace('the synchronization is applied', (place, db) =>
    sql`update synchronization set applied_at = 1 where id = ${place.organization}`.execute(db),
  ),
  ofPlace('the synchronization is over', (place, db) =>
    sql`delete from synchronization where id = ${place.organization}`.execute(db),
  ),
]

function ofPlace(name: string, run: (place: Place, db: Queryable) => Promise<unknown>) {
  return fc.constant([name, (db: Queryable, place: Place) => run(place, db)] as const)
}

function ofUser(name: string, run: (place: Place, user: number, db: Queryable) => Promise<unknown>) {
  return fc
    .constantFrom(...users)
    .map((user) => [`${user} ${name}`, (db: Queryable, place: Place) => run(place, user, db)] as const)
}

function ofMember(name: string, run: (place: Place, user: number, domain: number, db: Queryable) => Promise<unknown>) {
  return fc
    .tuple(fc.constantFrom(...users), fc.constantFrom(...domains))
    .map(
      ([user, domain]) =>
        [`${user} ${name} in ${domain}`, (db: Queryable, place: Place) => run(place, user, domain, db)] as const,
    )
}

describe.each(engines)('the facts by which people are filtered on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let store: Store

  beforeAll(async () => {
    const database = await newDatabase()
    store = await (engine === 'SQLite' ? openSqliteStore(database) : openPostgresStore(database))
  })
  afterAll(() => store.close())

  async function newPlace(): Promise<Place> {
    const { db } = store
    const place = { organization: newId(), domains: [newId(), newId()], users: [newId(), newId()] } as const
    await db
      .insertInto('organization')
      .values({ id: place.organization, name: place.organization, createdAt: 1 })
      .execute()
    for (const id of place.domains)
      await sql`insert into domain (id, organization_id, name, type, key_type, max_allowed_retries, request_timeout,
          activation_code_expiration, request_polling_enabled, bypass_enabled, email_otp_enabled, number_matching, created_at)
        values (${id}, ${place.organization}, ${id}, 'WEB', 'NONE', 5, 90, 7, 1, 0, 1, 'offered', 1)`.execute(db)
    for (const [index, id] of place.users.entries())
      await sql`insert into "user" (id, organization_id, username, name_key, name, email, ever_enrolled, created_at)
        values (${id}, ${place.organization}, ${id}, ${id}, 'Person', ${index === 0 ? '' : 'b@example.com'}, 0, 5050)`.execute(
        db,
      )
    return place
  }

  it(`the facts by which people are filtered are those that their rows say, after any changes on ${engine}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...changes), { minLength: 1, maxLength: 25 }), async (made) => {
        const place = await newPlace()
        for (const [, change] of made) await change(store.db, place)

        const names = made.map(([name]) => name).join(', ')
        expect([names, await factsOf(store.db, place.users)]).toEqual([names, await truthOf(store.db, place.users)])
      }),
      { numRuns: factor * (engine === 'SQLite' ? 38 : 10) },
    )
  })

  it(`filters find by the facts those people whom the list itself finds, after any changes on ${engine}`, async () => {
    const { db } = store
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...changes), { minLength: 1, maxLength: 25 }), async (made) => {
        const place = await newPlace()
        for (const [, change] of made) await change(db, place)
        // A device ends with its membership.
        await sql`delete from token where not exists (select 1 from member m
          where m.user_id = token.user_id and m.domain_id = token.domain_id)`.execute(db)

        const names = made.map(([name]) => name).join(', ')
        for (const question of questionsAbout(place))
          expect([names, question, await findByFacts(db, question)]).toEqual([
            names,
            question,
            await findInList(db, question),
          ])
      }),
      { numRuns: factor * (engine === 'SQLite' ? 25 : 5) },
    )
  })

  it.each(['read committed', 'serializable'] as const)(
    `two %s changes of a person at the same time leave the facts that their rows say on ${engine}`,
    async (level) => {
      const run = (change: (db: Queryable) => Promise<unknown>) =>
        level === 'serializable' ? store.db.transaction().execute(change) : readCommitted(store.db).execute(change)
      const [joins, , , , leaves, , , tokens, losesDevice, passkey, noPasskey] = changes.map((arbitrary) =>
        Object.fromEntries(fc.sample(arbitrary, { numRuns: 40, seed: 1 })),
      )
      const pairs = [
        {
          before: [tokens?.['1 gets an active token at once in 0'], passkey?.['1 adds a passkey']],
          made: [losesDevice?.['1 loses a device in 0'], noPasskey?.['1 removes all passkeys']],
        },
        {
          before: [passkey?.['1 adds a passkey']],
          made: [joins?.['1 joins in 1'], noPasskey?.['1 removes all passkeys']],
        },
        {
          before: [joins?.['1 joins in 0'], joins?.['1 joins in 1']],
          made: [leaves?.['1 leaves in 0'], leaves?.['1 leaves in 1']],
        },
      ]
      for (const { before, made } of pairs)
        for (let round = 0; round < 5; round += 1) {
          const place = await newPlace()
          for (const change of before) await change?.(store.db, place)
          await Promise.all(
            made.map((change) => run((db) => change?.(db, place) ?? Promise.reject(new Error('no change')))),
          )

          expect(await factsOf(store.db, place.users)).toEqual(await truthOf(store.db, place.users))
        }
    },
  )

  it(`every table of strong factors has triggers that keep the facts on ${engine}`, async () => {
    const { sql: text } = store.db
      .selectFrom('user')
      .select('user.id')
      .where((is) => isStrong(is, (isToken) => isToken('token.domainId', 'in', ['any'])))
      .compile()
    const triggers =
      engine === 'SQLite'
        ? sql<{
            name: string
          }>`select distinct tbl_name as name from sqlite_schema where type = 'trigger' and name like 'person_facts_%'`
        : sql<{
            name: string
          }>`select distinct event_object_table as name from information_schema.triggers where trigger_name like 'person_facts_%'`
    const watched = (await triggers.execute(store.db)).rows.map(({ name }) => name)

    const tables = [...text.matchAll(/from "(\w+)"/g)].map(([, name]) => name)

    expect(tables.length).toBeGreaterThanOrEqual(4)
    expect(tables.filter((table) => !watched.includes(String(table)))).toEqual([])
  })

  it(`a removed person leaves no facts on ${engine}`, async () => {
    const place = await newPlace()

    await store.db
      .deleteFrom('user')
      .where('id', 'in', [...place.users])
      .execute()

    expect((await factsOf(store.db, place.users)).people).toEqual([])
  })
})

type Question = ReturnType<typeof questionsAbout>[number]

/** Each filter, asked by administrators of all domains, of one and of both, where domains send codes by e-mail or not. */
function questionsAbout({ organization: organizationId, domains: [first, second] }: Place) {
  const visible = [
    { everyone: 1, domainIds: [], all: [first, second] },
    ...[[first], [second], [first, second]].map((domainIds) => ({ everyone: 0, domainIds, all: domainIds }) as const),
  ] as const
  return visible.flatMap(({ everyone, domainIds, all }) =>
    [[], [first], [first, second]].flatMap((mailDomains) =>
      PeopleFilter.options.map((filter) => ({
        filter,
        organizationId,
        everyone,
        domainIds,
        ...sendersAmong(all.map((id) => ({ id, emailOtpEnabled: mailDomains.includes(id) ? 1 : 0 }))),
        now: filter === 'inactive' ? 5050 + inactiveAfter : presentTime,
      })),
    ),
  )
}

async function findByFacts(db: Queryable, { filter, ...query }: Question): Promise<readonly string[]> {
  const { positions } = await filteredPositions(db, query, filter)
  const rows = await db
    .selectFrom('user')
    .select('id')
    .where('sequence', 'in', [0, ...positions])
    .orderBy('sequence')
    .execute()
  return rows.map(({ id }) => id)
}

async function findInList(db: Queryable, { filter, ...query }: Question): Promise<readonly string[]> {
  const everyone = await findPeople(db, query, '')
  return pageOfPeople(db, everyone, { ...query, after: 0, offset: 0, limit: 10 }, { filter, order: 'added' })
}
