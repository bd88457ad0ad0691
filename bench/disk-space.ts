/**
 * `node bench/disk-space.ts [count]`: by how much the database grows for a user, a device, a sign-in with a code and one by
 * push, with its audit entries. Prints bytes each, for SQLite and PostgreSQL.
 */
import Sqlite from 'better-sqlite3'
import { Client } from 'pg'

import { systemClock } from '../src/ground/clock.ts'
import { startService } from './running-service.ts'
import type { BenchService, Engine } from './running-service.ts'
import { addCodeUsers, addPushUsers, codeOf } from './loads/second-steps.ts'

const count = Number(process.argv[2] ?? 500)

for (const engine of ['SQLite', 'PostgreSQL'] as const) await measure(engine)

async function measure(engine: Engine): Promise<void> {
  const service = await startService(engine)
  let size = await sizeOf(service)
  const say = async (task: string, times: number) => {
    const now = await sizeOf(service)
    console.log(`${engine.padEnd(10)} ${task.padEnd(28)} ${String(Math.round((now - size) / times)).padStart(6)} bytes`)
    size = now
  }
  const users = Array.from({ length: count * 20 }, (_, index) => ({
    username: `person${index}@example.com`,
    name: `Person Number ${index}`,
    email: `person${index}@example.com`,
  }))
  await put(service, users)
  await say('user, member of a domain', users.length)
  const seeds = await addCodeUsers(service, count)
  await say('user with a hardware token', count)
  for (const [index, seed] of seeds.entries()) {
    const otp = codeOf(seed, systemClock.now())
    await service.client.sessions.create(service.domainId, { user: { username: `codes-${index}` }, otp })
  }
  await say('sign-in with a code', count)
  const push = await addPushUsers({ ...service, urls: [service.url] }, systemClock, count)
  await say('user with a device', count)
  for (let index = 0; index < count; index += 1) await push()
  await say('sign-in by push', count)
  await service.close()
}

async function put({ url, apiKey, domainId }: BenchService, users: readonly object[]): Promise<void> {
  const { status } = await fetch(`${url}/api/domains/${domainId}/users`, {
    method: 'PUT',
    headers: { authorization: `Service key="${apiKey}"` },
    body: JSON.stringify(users),
  })
  if (status !== 200) throw new Error(`the synchronization was answered with ${status}`)
}

/** Tables and indexes, without space that is free again, bytes. */
async function sizeOf({ engine, database }: BenchService): Promise<number> {
  if (engine === 'SQLite') {
    const db = new Sqlite(database, { readonly: true })
    const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
      Number(db.pragma(name, { simple: true })),
    )
    db.close()
    return ((pages ?? 0) - (free ?? 0)) * (size ?? 0)
  }
  const client = new Client(database)
  await client.connect()
  const { rows } = await client.query<{ size: string }>(
    "SELECT sum(pg_total_relation_size(oid)) AS size FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  )
  await client.end()
  return Number(rows[0]?.size)
}
