import { onTestFinished } from 'vitest'

import { createAdministration } from '../../src/service/administration.ts'
import type { FindKey } from '../../src/service/engine/http/authenticate.ts'
import { listen } from '../../src/service/engine/http/listen.ts'
import { servedInterface } from '../../src/service/engine/base/interface-words.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { openService } from '../../src/service/service.ts'
import { apiKeyByHash } from '../../src/service/features/domains/api-key-statements.ts'
import { createTenant, keysFor } from '../service/start-service.ts'
import type { engines } from './engines.ts'
import { insertManyUsers } from './many-users.ts'
import { noObserver } from '../../src/service/engine/monitoring/observer.ts'
import { openPostgres } from './postgres.ts'

/** The number of sign-ins of each kind in one comparison. */
const rounds = 60
/** Noise makes some comparisons come out high; a look-up that reads all users makes all of them come out high. */
const comparisons = 15

/** @returns the lowest ratio of the time of a sign-in with many users to that with few: 1 when they are equal. */
export async function compareSignIns(
  engine: (typeof engines)[number],
  { few, many }: { few: number; many: number },
): Promise<number> {
  const newDatabase = await databases(engine)
  const [small, large] = [await signIns(await newDatabase(), few), await signIns(await newDatabase(), many)]
  let best = Infinity
  for (let comparison = 0; comparison < comparisons && best > 1.1; comparison += 1) {
    // A look-up that reads all users is slower than any noise.
    if (best > 5 && best < Infinity) break
    const times: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      // In turns, so that other load on the machine slows down both.
      times[0].push(await timed(small))
      times[1].push(await timed(large))
    }
    best = Math.min(best, lowerQuartile(times[1]) / lowerQuartile(times[0]))
  }
  return best
}

/** SQLite in memory, as the time of the disk would hide the difference. */
async function databases(engine: (typeof engines)[number]): Promise<() => Promise<string>> {
  if (engine === 'SQLite') return () => Promise.resolve(':memory:')
  const postgres = await openPostgres()
  onTestFinished(() => postgres.stop())
  return () => postgres.createDatabase()
}

/** A service with this many users, one of whom signs in with a recovery code. */
async function signIns(database: string, count: number): Promise<() => Promise<void>> {
  // All users are inserted in one statement.
  const opened = await openService(ServiceOptions.parse({ database, ...keysFor(database) }), noObserver, {
    timeout: 300_000,
  })
  const { ctx } = opened
  const findKey: FindKey = (hash) => apiKeyByHash(ctx.store.db, hash)
  const { handle } = opened.rest({ ...servedInterface({}, opened.storedWords), findKey })
  const server = await listen((req, res) => handle(req, res, () => res.end()), { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await server.close()
    await opened.close()
  })

  const administration = createAdministration(ctx)
  const { organization, domain, call } = await createTenant({ administration }, `http://127.0.0.1:${server.port}`, {
    bypassEnabled: true,
  })
  await insertManyUsers(ctx.store.db, { organizationId: organization.id, domainId: domain.id, count })
  await ctx.store.analyze()
  const username = `person ${Math.ceil(count / 2)}`
  const { json: user } = await call('GET', `/users?username=${encodeURIComponent(username)}`)
  const { json: bypass } = await call('POST', `/users/${user.id}/bypasscodes`, {
    body: { usesAllowed: 1_000, expirationTime: 0 },
  })
  return async () => {
    const body = { user: { username }, bypasscode: bypass.code }
    const { json } = await call('POST', `/domains/${domain.id}/sessions`, { body })
    if (json.state !== 'approved') throw new Error(`The sign-in came out as ${JSON.stringify(json)}.`)
  }
}

/** Milliseconds. */
async function timed(act: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}

const lowerQuartile = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? 0
