import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runIn } from '../cli/admin/run-command.ts'
import { createCall } from '../service/start-service.ts'
import { startLoadBalancer } from '../support/load-balancer.ts'
import { startPostgres } from '../support/postgres.ts'
import type { OwnPostgres } from '../support/postgres.ts'
import { openBooks } from './books.ts'
import type { Books } from './books.ts'
import { createNode, device, enrollHolder } from './cluster.ts'
import type { Node } from './cluster.ts'
import { serve } from './command.ts'

/** A service under load whose processes can be killed. */
export interface Killable {
  readonly database: string
  readonly keys: NodeJS.ProcessEnv
  readonly nodes: readonly Node[]
  /** Where there is one. */
  readonly postgres: OwnPostgres | undefined
  readonly books: Books
  readonly stop: () => Promise<void>
}

/** @param people Those whose approvals and codes are lost in kills: five that were not answered lock a user for a while. */
export async function startKillable(engine: 'SQLite' | 'PostgreSQL', nodes: number, people: number): Promise<Killable> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-kills-'))
  const postgres = engine === 'PostgreSQL' ? await startPostgres({ fsync: true }) : undefined
  const database = postgres ? await postgres.createDatabase() : join(folder, 'mfa.sqlite')
  const keys = { MFA_KEYS: `k1:${randomBytes(32).toString('base64')}` }
  const { domainId, apiKey } = (await runIn(keys, 'init', '--database', database, '--json')).json
  const running: Node[] = []
  for (let index = 0; index < nodes; index += 1) {
    running.push(await createNode(() => serve(database, keys, ['--log-level', 'silent'])))
  }
  const balancer = await startLoadBalancer(() => running.map(({ origin }) => origin()))
  const call = createCall(balancer.url, apiKey)
  const holders = []
  for (let index = 0; index < people; index += 1) {
    holders.push(await enrollHolder({ call, url: balancer.url, domainId }, `holder ${index}`))
  }
  return {
    database,
    keys,
    nodes: running,
    postgres,
    books: openBooks({ call, device, domainId, people: holders }),
    async stop() {
      for (const node of running) node.kill()
      await balancer.close()
      await postgres?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Kills so many times in the middle of work, each time after another number of acknowledged writes.
 * @returns what was lost or accepted twice, and whether the audit trail fits.
 */
export async function killAgainAndAgain(
  { books, database, keys }: Killable,
  times: number,
  killAndRestart: (round: number) => Promise<void>,
): Promise<{ readonly problems: readonly string[]; readonly verified: number; readonly acknowledged: number }> {
  const problems: string[] = []
  for (let round = 0; round < times; round += 1) {
    const enough = new AbortController()
    const working = books.work(enough.signal)
    await books.more(1 + (round % 7))
    await killAndRestart(round)
    enough.abort()
    await working
    problems.push(...(await books.audit()))
  }
  const { code } = await runIn(keys, 'audit', 'verify', '--database', database)
  return { problems, verified: code, acknowledged: books.acknowledged() }
}
