import { startContender } from '../measuring/contender.ts'
import { interleave } from '../measuring/interleave.ts'
import { startLoad } from '../measuring/load.ts'
import { cpu, latency, lineOf, percent, perSecond, ratio } from '../row.ts'
import type { Row } from '../row.ts'
import { sqliteFile, startService } from './start-service.ts'

export const code: Row = {
  name: 'code',
  title: 'A code at the service',
  work:
    'Eight clients send `POST /domains/{domainId}/sessions` with the code of a hardware token to a service with a SQLite file. ' +
    'The limit is node:http with better-sqlite3, which parses the same body and commits one row, synced to the disk, for each request.',
  columns: [perSecond, cpu, latency],
  chart: 'perSecond',
  async measure(run) {
    const service = await startService(sqliteFile(run.folder, 'code'))
    const limit = await startContender<{ url: string }>('contenders/commit-limit.ts', [sqliteFile(run.folder, 'limit')])
    const codes = await startLoad('rest-code', service.given)
    const body = JSON.stringify({ user: { username: 'codes-1' }, otp: '123456' })
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const writes = await startLoad('request', { url: limit.given.url, method: 'POST', path: '/', headers, body })
    const measured = await interleave(
      [
        { name: 'second-factor', ours: true, load: codes, counted: { contender: service } },
        { name: 'node:http + better-sqlite3, one commit each', load: writes, counted: { contender: limit } },
      ],
      run,
    )
    for (const load of [codes, writes]) load.stop()
    for (const contender of [service, limit]) await contender.stop()
    const [ours, raw] = measured
    const share = ratio(ours, raw, (sample) => sample.perSecond)
    const work = ratio(ours, raw, (sample) => sample.cpu['contender'] ?? Number.NaN)
    return {
      lines: measured.map(lineOf),
      goals: [
        {
          figure: 'codes at the service, compared with the limit',
          value: share,
          reach: 0.7,
          unit: 'of it',
          rest:
            '0.7 of the limit would leave 0.27 ms for a code. The same statements, hashes and decryption by hand on node:http, and nothing else, take 0.21 ms ' +
            'and reach 0.84 of it. Checking the key, its rights, the limits, the path, the version and the headers takes another 0.04 ms: a GET with two ' +
            'statements needs 0.073 ms here, and 0.034 ms by hand. That would leave 0.02 ms for the contract of the body and of the answer, transactions, locks, ' +
            'budgets, the policy of the domain and the audit trail, which take 0.13 ms together. Their profile is flat: no function takes more than 2 % of a code. ' +
            'Tried, with gain: a right code that writes three rows instead of five (a tenth less processor time); the pages of savepoints in memory instead of a temporary file (a seventh less processor time); paths compared by segment instead of by a ' +
            'regular expression each (6 %); and, together 23 % less: one lock instead of two for each user, domain and user read within the transaction, random bytes from a ' +
            'pool, bodies without a parser, no router, headers of a caller parsed once, rows with fixed places. Tried before: one commit for concurrent ' +
            'transactions, statements compiled once and sent without a pool, keys as key objects, partial indexes. Without gain: results of SQLite as arrays.',
        },
      ],
      findings: [
        `The service reaches ${percent(share)} of the limit, and needs ${work.toFixed(1)} times its processor time.`,
        'More than 100 % is possible, because concurrent transactions of the service share a commit and those of the limit do not.',
        `The same code again is ${codes.facts.replayed ? 'accepted' : 'denied'}.`,
      ],
    }
  },
}
