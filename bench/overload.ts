/**
 * `npm run build && node bench/overload.ts [seconds]`: what a service does that is asked for more than it can serve, with
 * and without its early refusals. Requests come at a steady rate, whatever became of those before them, as from many
 * callers; each asks for a push session, which is one transaction. The service is a process of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { command, serve } from '../test/processes/command.ts'
import { addDevices } from '../test/support/crowd/devices.ts'
import { createHttpClient } from '../test/support/crowd/http-client.ts'

const seconds = Number(process.argv[2] ?? 10)
/** A caller who has waited for so long has gone; milliseconds. */
const callerTimeout = 10_000
const people = 20_000

const ways = {
  'early refusals': [],
  none: ['--concurrent-requests', '1000000', '--response-time', '1000000'],
} as const

interface Outcome {
  readonly served: number[]
  refused: number
  late: number
}

async function load(way: readonly string[], rate: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-overload-'))
  const database = join(folder, 'mfa.sqlite')
  const { json } = await command(['init', '--database', database, '--json'])
  const { domainId, apiKey } = json as { domainId: string; apiKey: string }
  const { ids } = await addDevices(database, domainId, people)
  const service = await serve(database, {}, way)
  const client = createHttpClient(service.origin, '127.0.0.1')
  const outcome: Outcome = { served: [], refused: 0, late: 0 }

  async function ask(user: string): Promise<void> {
    const body = JSON.stringify({ user: { id: user } })
    const headers = {
      accept: 'application/vnd.service.v1+json; version=1.4',
      authorization: `Service key="${apiKey}"`,
      'content-type': 'application/vnd.service.v1+json; version=1.4',
      'content-length': String(body.length),
    }
    const startTime = performance.now()
    const { status } = await client.send({ method: 'POST', path: `/api/domains/${domainId}/sessions`, headers, body })
    const took = performance.now() - startTime
    if (status === 503) outcome.refused += 1
    else if (status !== 200 || took > callerTimeout) outcome.late += 1
    else outcome.served.push(took)
  }

  try {
    const requests: Promise<void>[] = []
    const startTime = performance.now()
    while (performance.now() - startTime < seconds * 1000) {
      const due = Math.floor(((performance.now() - startTime) / 1000) * rate)
      while (requests.length < due) {
        const { user } = ids[requests.length % people]!
        requests.push(ask(user).catch(() => void (outcome.late += 1)))
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await Promise.all(requests)
  } finally {
    service.kill()
    rmSync(folder, { recursive: true })
  }
  return outcome
}

const percentile = (times: readonly number[], part: number) =>
  times.length === 0
    ? '-'
    : `${times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))]?.toFixed(0)} ms`

console.log('asked a second | way | served a second | half within | 99 % within | refused | late or failed')
for (const rate of [400, 800, 1_600]) {
  for (const [name, way] of Object.entries(ways)) {
    const { served, refused, late } = await load(way, rate)
    const cells = [
      rate,
      name,
      (served.length / seconds).toFixed(0),
      percentile(served, 0.5),
      percentile(served, 0.99),
      refused,
      late,
    ]
    console.log(cells.join(' | '))
  }
}
process.exit()
