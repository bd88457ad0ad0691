import { startPostgres } from '../../test/support/postgres.ts'
import { startContender } from '../measuring/contender.ts'
import { interleave } from '../measuring/interleave.ts'
import { startLoad } from '../measuring/load.ts'
import type { Sample } from '../measuring/load.ts'
import { analyze, postmasterOf } from '../measuring/postmaster.ts'
import { cpu, lineOf, percent, perSecond, ratio } from '../row.ts'
import { median } from '../spread.ts'
import type { Row } from '../row.ts'
import type { ServiceGiven } from '../contenders/prepare.ts'
import { startService } from './start-service.ts'

const tried =
  'Tried, with gain: the user found and locked by one statement and updated once, both generators in one statement (6 % less of the service and 4 to 6 % less of ' +
  'PostgreSQL); domain and user in one wait instead of two, one lock of the user instead of two, one statement for all factors of a user instead of three (15 % ' +
  'less of the service and 11 % less of PostgreSQL). Tried before: named statements in a pipeline, read committed transactions, NOTIFY once for each commit. Not ' +
  'used: the generators in the same wait as the user (8 % more codes), because the statement would exist twice, by username and by id; sessions without a ' +
  'foreign key to their domain (5 % less of PostgreSQL), because the database would then accept a session of a domain that does not exist.'

export const postgres: Row = {
  name: 'postgres',
  title: 'PostgreSQL',
  work:
    'Codes and complete pushes, eight at a time, at one node with PostgreSQL on the same machine, synced to the disk. ' +
    'The limit is node:http with pg, which runs one transaction of 12 prepared and pipelined statements for each request, on 8 connections. ' +
    'The work by hand is the statements, hashes, decryption and answer of a code, without validation or limits. Sent at once, it remembers what it will read, as no code can.',
  columns: [perSecond, cpu, { key: 'database', title: 'CPU ms of PostgreSQL', unit: 'ms' }],
  chart: 'perSecond',
  async measure(run) {
    const server = await startPostgres({ fsync: true })
    const database = await server.createDatabase()
    const service = await startService(database)
    const limit = await startContender<{ url: string }>('contenders/postgres-limit.ts', [await server.createDatabase()])
    const startByHand = async (...way: readonly string[]) =>
      startContender<ServiceGiven>('contenders/code-by-hand.ts', [await server.createDatabase(), ...way])
    const byHand = await startByHand()
    const atOnce = await startByHand('at-once')
    const codes = await startLoad('rest-code', service.given)
    const codesByHand = await startLoad('rest-code', byHand.given)
    const codesAtOnce = await startLoad('rest-code', atOnce.given)
    const pushes = await startLoad('push', service.given)
    const body = JSON.stringify({ user: { username: 'codes-1' }, otp: '123456' })
    const headers = { 'content-length': String(body.length) }
    const transactions = await startLoad('request', { url: limit.given.url, method: 'POST', path: '/', headers, body })
    const databaseServer = { pid: await postmasterOf(database), withChildren: true }
    const countedProcesses = (contender: { readonly pid: number }) => ({ contender, database: databaseServer })
    const measured = await interleave(
      [
        {
          name: 'second-factor, code',
          ours: true,
          load: codes,
          counted: countedProcesses({ pid: service.pid }),
          warmedUp: () => analyze(database),
        },
        { name: 'second-factor, push', ours: true, load: pushes, counted: countedProcesses({ pid: service.pid }) },
        { name: 'a code by hand', load: codesByHand, counted: countedProcesses({ pid: byHand.pid }) },
        { name: 'the same, sent at once', load: codesAtOnce, counted: countedProcesses({ pid: atOnce.pid }) },
        { name: 'node:http + pg, 12 statements', load: transactions, counted: countedProcesses({ pid: limit.pid }) },
      ],
      run,
    )
    for (const load of [codes, pushes, codesByHand, codesAtOnce, transactions]) load.stop()
    for (const contender of [service, byHand, atOnce, limit]) await contender.stop()
    await server.stop()
    const [code, push, hand, once, raw] = measured
    const perSecondOf = (sample: Sample) => sample.perSecond
    const byHandShare = percent(ratio(hand, raw, perSecondOf))
    const atOnceShare = percent(ratio(once, raw, perSecondOf))
    const shareOfHand = percent(ratio(code, hand, perSecondOf))
    return {
      lines: measured.map((result) => {
        const line = lineOf(result)
        return {
          ...line,
          values: { ...line.values, database: result.samples.map(({ cpu: used }) => used['database'] ?? 0) },
        }
      }),
      goals: [
        {
          figure: 'codes on PostgreSQL, compared with the limit',
          value: ratio(code, raw, perSecondOf),
          reach: 0.5,
          unit: 'of it',
          rest:
            'PostgreSQL, the node and the clients share two cores. The limit sends all its statements at once and waits once. A code waits five times, because its ' +
            'statements depend on what earlier ones find: the API key, then the domain and the user, whose row is locked, then the generators, then the used step, ' +
            'and at the end all the rest with COMMIT. Each wait wakes two processes. By hand, with the same statements and waits and nothing else, a code reaches ' +
            `${byHandShare} of the limit, and the service reaches ${shareOfHand} of that. If it remembered what it will read and sent all statements at once, as no code can, it would reach ` +
            `${atOnceShare}: its statements lock the user, check a foreign key and change 7 indexes, and those of the limit change 2. ${tried}`,
        },
        {
          figure: 'complete pushes a second on PostgreSQL',
          value: median(push?.samples.map((sample) => sample.perSecond) ?? []),
          reach: 200,
          rest: tried,
        },
      ],
      findings: [
        `Codes reach ${percent(ratio(code, raw, perSecondOf))} of the limit, and ${shareOfHand} of the work by hand.`,
        'PostgreSQL, the node and the clients share the processors, so a node on its own machine does more.',
      ],
    }
  },
}
