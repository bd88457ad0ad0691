import { createClient } from '../../src/client/client.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { command, serve } from '../../test/processes/command.ts'
import { createRestCaller } from '../loads/rest-caller.ts'
import { addCodeUsers, addPushUsers, codeOf } from '../loads/second-steps.ts'
import { timeOf } from '../measuring/processor-time.ts'
import type { Row } from '../row.ts'
import { figure } from '../row.ts'
import { median } from '../spread.ts'
import { untilIdle } from './first-sign-ins.ts'
import { sqliteFile } from './start-service.ts'

/** Sign-ins a second, for so many seconds. */
const [rate, seconds] = [4, 20] as const
const count = rate * seconds

export const lowRate: Row = {
  name: 'low-rate',
  title: 'Few sign-ins',
  work:
    `Codes, and then complete pushes, come to \`second-factor serve\` with a SQLite file at an even ${rate} a second, for ${seconds} seconds each. Before them, the service has nothing to do for as long, and what it needs then is subtracted. ` +
    'Between two sign-ins, a processor does other things and sleeps, so each costs more than one of many. There is no peer.',
  columns: [
    { key: 'total', title: 'CPU ms a second', unit: 'ms' },
    { key: 'cpu', title: 'CPU ms each', unit: 'ms' },
  ],
  chart: 'total',
  lowerIsBetter: true,
  async measure(run) {
    // Each takes a minute, whatever the length of the other rows.
    const rounds = Math.min(run.rounds, 2)
    const database = sqliteFile(run.folder, 'low-rate')
    const { json } = await command(['init', '--database', database, '--json'])
    const { apiKey, domainId } = json as { apiKey: string; domainId: string }
    const service = await serve(database)
    const pid = service.child.pid ?? 0
    const url = service.origin.replace('127.0.0.1', 'localhost')
    const client = createClient({ baseUrl: `${url}/api`, apiKey })
    const seeds = await addCodeUsers({ client, domainId }, count * rounds)
    const push = await addPushUsers({ client, domainId, urls: [url], apiKey }, systemClock, 8)
    const { post } = createRestCaller(url, apiKey)
    const unused = [...seeds.entries()]
    const enterCode = async () => {
      const [index, seed] = unused.pop() ?? [0, '']
      const body = { user: { username: `codes-${index}` }, otp: codeOf(seed, systemClock.now()) }
      const { state } = await post<{ state: string }>(`/domains/${domainId}/sessions`, body)
      if (state !== 'approved') throw new Error(`the code was ${state}`)
    }
    await untilIdle(pid)
    const idle: number[] = []
    const codes: number[] = []
    const pushes: number[] = []
    for (let round = 0; round < rounds; round++) {
      idle.push(await processorTime(pid, () => Promise.resolve()))
      codes.push(await processorTime(pid, enterCode))
      pushes.push(await processorTime(pid, push))
    }
    await service.stop()
    const aSecond = (times: readonly number[]) => times.map((time) => time / seconds)
    const each = (times: readonly number[]) => times.map((time, round) => (time - (idle[round] ?? 0)) / count)
    return {
      lines: [
        { name: 'nothing to do', ours: true, values: { total: aSecond(idle) } },
        { name: `${rate} codes a second`, ours: true, values: { total: aSecond(codes), cpu: each(codes) } },
        { name: `${rate} pushes a second`, ours: true, values: { total: aSecond(pushes), cpu: each(pushes) } },
      ],
      goals: [],
      findings: [
        `With nothing to do, \`serve\` needs ${figure(median(aSecond(idle)))} ms of processor time a second.`,
        `At ${rate} a second, a code needs ${figure(median(each(codes)))} ms more, and a push ${figure(median(each(pushes)))} ms.`,
      ],
    }
  },
}

/** Starts a unit of work at each moment that is due. @returns the processor time of the process, milliseconds. */
async function processorTime(pid: number, unit: () => Promise<void>): Promise<number> {
  const [before, startTime] = [timeOf(pid), performance.now()]
  const running: Promise<void>[] = []
  for (let index = 1; index <= count; index++) {
    running.push(unit())
    const due = startTime + (index / rate) * 1000
    await new Promise((resolve) => void setTimeout(resolve, Math.max(0, due - performance.now())))
  }
  await Promise.all(running)
  return timeOf(pid) - before
}
