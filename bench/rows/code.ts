import { startContender } from '../measuring/contender.ts'
import { interleave } from '../measuring/interleave.ts'
import type { Measured } from '../measuring/interleave.ts'
import { startLoad } from '../measuring/load.ts'
import type { Sample } from '../measuring/load.ts'
import { cpu, figure, latency, lineOf, percent, perSecond, ratio } from '../row.ts'
import type { Row } from '../row.ts'
import { median } from '../spread.ts'
import type { ServiceGiven } from '../contenders/prepare.ts'
import { sqliteFile, startService } from './start-service.ts'

const wrongRest =
  'it is compared with 18 steps more, each of which is an HMAC of `node:crypto` (2 to 3 µs). Tried: `crypto.hash` twice instead of `createHmac`, which takes as long; `@noble/hashes`, which takes longer; ' +
  'and an HMAC-SHA-1 of our own, with which it was 0.92. A package for security has no hash function of its own.'

export const code: Row = {
  name: 'code',
  title: 'A code at the service',
  work:
    'Eight clients at a time, and then 32, send `POST /domains/{domainId}/sessions` with the code of a hardware token to a service with a SQLite file, and eight with a wrong code. ' +
    'The work by hand is the statements, hashes, decryption and answer of such a call on node:http, with shared commits, and without validation or limits. ' +
    'The limit is node:http with better-sqlite3, which parses the same body and commits one row, synced to the disk, for each request.',
  columns: [perSecond, cpu, latency],
  chart: 'perSecond',
  async measure(run) {
    const service = await startService(sqliteFile(run.folder, 'code'))
    const limit = await startContender<{ url: string }>('contenders/commit-limit.ts', [sqliteFile(run.folder, 'limit')])
    const byHand = await startContender<ServiceGiven>('contenders/code-by-hand.ts', [sqliteFile(run.folder, 'by-hand')])
    const codes = await startLoad('rest-code', service.given)
    const wrongCodes = await startLoad('rest-code', { ...service.given, wrong: true })
    const codesByHand = await startLoad('rest-code', byHand.given)
    const body = JSON.stringify({ user: { username: 'codes-1' }, otp: '123456' })
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const writes = await startLoad('request', { url: limit.given.url, method: 'POST', path: '/', headers, body })
    const entries = (atATime: number) => [
      {
        name: `second-factor, ${atATime} at a time`,
        ours: true,
        load: codes,
        counted: { contender: service },
        atATime,
      },
      { name: `the same work by hand, ${atATime}`, load: codesByHand, counted: { contender: byHand }, atATime },
      {
        name: `node:http + better-sqlite3, one commit each, ${atATime}`,
        load: writes,
        counted: { contender: limit },
        atATime,
      },
    ]
    const wrongEntry = {
      name: 'second-factor, a wrong code, 8 at a time',
      ours: true,
      load: wrongCodes,
      counted: { contender: service },
    }
    // The wrong codes are measured next to the right ones that they are compared with.
    const measured = await interleave([wrongEntry, ...entries(8), ...entries(32)], run)
    for (const load of [codes, wrongCodes, codesByHand, writes]) load.stop()
    for (const contender of [service, byHand, limit]) await contender.stop()
    const perSecondOf = (sample: Sample) => sample.perSecond
    const contenderTime = (sample: Sample) => sample.cpu['contender'] ?? Number.NaN
    const shares = ([ownResult, hand, raw]: readonly Measured[]) => ({
      ofLimit: ratio(ownResult, raw, perSecondOf),
      ofHand: percent(ratio(ownResult, hand, perSecondOf)),
      handOfLimit: percent(ratio(hand, raw, perSecondOf)),
    })
    const [few, many] = [shares(measured.slice(1, 4)), shares(measured.slice(4))]
    const raw = measured[3]
    const wrongShare = ratio(measured[0], measured[1], contenderTime)
    // What is not processor time is the disk.
    const wait = figure(median(raw?.samples.map((sample) => 1000 / sample.perSecond - contenderTime(sample)) ?? []))
    return {
      lines: [...measured.slice(1), ...measured.slice(0, 1)].map(lineOf),
      goals: [
        {
          figure: 'processor time of a wrong code at the service, compared with a right one',
          value: wrongShare,
          reach: 1.2,
          atMost: true,
          unit: 'times',
          rest: wrongRest,
        },
        {
          figure: 'codes at the service, compared with the limit',
          value: few.ofLimit,
          reach: 0.7,
          unit: 'of it',
          rest:
            `The limit waits for the disk with each request, ${wait} ms here, and the service once for many. So this share depends on the disk. ` +
            `The same statements, hashes and decryption by hand, and nothing else, reach ${few.handOfLimit} of the limit, and the service reaches ${few.ofHand} of that. ` +
            'What the service does besides is the key, its rights, the limits, the contract of the body and of the answer, the policy of the domain and the audit ' +
            'trail. Their profile is flat: no function takes more than 3 % of a code. Tried, with gain: transactions that wait until no further one comes before ' +
            'they begin (45 % more codes with eight clients); ids of sessions that begin with the time, so that their index grows at its end (4 %); no index of all sessions by user (5 to 9 %); a right code ' +
            'that writes three rows instead of five (7 to 10 % less processor time); the pages of savepoints in memory instead of a temporary file (a seventh ' +
            'less); paths compared by segment instead of by a regular expression each (6 %); fewer checkpoints (2 %); and, together 23 % less: one lock instead of ' +
            'two for each user, domain and user read within the transaction, random bytes from a pool, bodies without a parser, no router, headers of a caller ' +
            'parsed once, rows with fixed places. Without gain: results of SQLite as arrays, reads on the connection that writes, pages of another size, a longer ' +
            'wait for further transactions.',
        },
      ],
      findings: [
        `With eight clients, the service reaches ${percent(few.ofLimit)} of the limit, and ${few.ofHand} of the work by hand. With 32, it reaches ${percent(many.ofLimit)} and ${many.ofHand}.`,
        `The limit waits for the disk with each request, ${wait} ms. Concurrent transactions of the service wait together, so it does more when more clients ask at a time.`,
        `A wrong code needs ${figure(wrongShare)} times the processor time of a right one: ${wrongRest}`,
        `The same code again is ${codes.facts.replayed ? 'accepted' : 'denied'}.`,
      ],
    }
  },
}
