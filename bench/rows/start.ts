import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { command, serve } from '../../test/processes/command.ts'
import { timeOf } from '../measuring/processor-time.ts'
import type { Row } from '../row.ts'
import { figure } from '../row.ts'
import { median } from '../spread.ts'
import { measureStarts, secondFactor } from '../start-time.ts'
import { peersFolder } from '../install-peers.ts'
import { sqliteFile } from './start-service.ts'

const peers = [
  {
    name: 'express-openid-connect: auth()',
    code: `const { default: connect } = await import('express-openid-connect')
      connect.auth({
        issuerBaseURL: 'https://a.example', baseURL: 'http://localhost', clientID: 'c', secret: 's'.repeat(32) })`,
  },
  {
    name: 'better-auth: betterAuth()',
    code: `const { betterAuth } = await import('better-auth')
      const { twoFactor } = await import('better-auth/plugins')
      betterAuth({ secret: 's'.repeat(32), baseURL: 'http://localhost', plugins: [twoFactor()] })`,
  },
  {
    name: 'passport: session()',
    code: `const { default: passport } = await import('passport')
      passport.session()`,
  },
].map((peer) => ({ ...peer, folder: peersFolder }))

const startRest =
  'An empty Node process has 44 MB, and 59 MB once `node:http` is loaded. What is alive on the heap afterwards is 10 MB: contract with its schemas 2 MB, ' +
  'the service 3 MB, zod, Kysely, commander and pino 3 MB, the open database with its compiled statements 1.5 MB. ' +
  '9 MB are the young generation of the heap, which the modules fill while they start, and 10 MB are pages of Node itself that TLS, cryptography, ' +
  'SQLite and the garbage collector touch. These alone make 88 MB. Schemas that are created when they are first used would save 2 MB at most, and would make ' +
  'the contract harder to read. Tried, with gain: Express is loaded when a request needs it (6 MB less), bundled files, a compile cache. ' +
  'Not used: `--max-semi-space-size=1` and `--optimize-for-size` save 9 MB at the start, but cost processor time under load.'

export const start: Row = {
  name: 'start',
  title: 'Start',
  work:
    'What each package adds to the start of an app that has loaded Express, from its import to the middleware, each time in a new process; ' +
    'and `second-factor serve` with an existing SQLite file, from the start of the process to its first answer.',
  columns: [
    { key: 'time', title: 'ms', unit: 'ms' },
    { key: 'cpu', title: 'CPU ms', unit: 'ms' },
    { key: 'memory', title: 'resident MB', unit: 'MB' },
  ],
  chart: 'time',
  lowerIsBetter: true,
  async measure(run) {
    const own = secondFactor.map((candidate) => ({ ...candidate, name: 'second-factor: mfa()' }))
    const added = measureStarts([...own, ...peers], run.rounds)
    const database = sqliteFile(run.folder, 'start')
    await command(['init', '--database', database])
    const served: { time: number; cpu: number; memory: number }[] = []
    for (let round = 0; round < run.rounds; round++) served.push(await startServe(database))
    const of = (key: keyof (typeof served)[number]) => served.map((one) => one[key])
    return {
      lines: [
        ...[...added].map(([name, time]) => ({ name, ours: name.startsWith('second-factor'), values: { time } })),
        {
          name: 'second-factor serve, first answer',
          ours: true,
          values: { time: of('time'), cpu: of('cpu'), memory: of('memory') },
        },
      ],
      goals: [
        {
          figure: '`serve` answers after',
          value: median(of('time')),
          reach: 300,
          atMost: true,
          unit: 'ms',
          rest: startRest,
        },
        {
          figure: 'memory of `serve` at its first answer',
          value: median(of('memory')),
          reach: 80,
          atMost: true,
          unit: 'MB',
          rest: startRest,
        },
      ],
      findings: [
        `\`mfa()\` adds ${figure(median(added.get('second-factor: mfa()') ?? []))} ms to the start of an app.`,
        `\`serve\` answers after ${figure(median(of('time')))} ms, with ${figure(median(of('memory')))} MB.`,
      ],
    }
  },
}

async function startServe(database: string) {
  const begun = performance.now()
  const served = await serve(database)
  await (await fetch(`${served.origin}/api/ping`)).text()
  const time = performance.now() - begun
  const pid = served.child.pid ?? 0
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(join('/proc', String(pid), 'status'), 'utf8')) ?? []
  const measured = { time, cpu: timeOf(pid), memory: Number(kilobytes) / 1024 }
  await served.stop()
  return measured
}
