import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { command, serve, startScript } from '../../test/processes/command.ts'
import type { Served } from '../../test/processes/command.ts'
import { root } from '../../scripts/run.ts'
import { timeOf } from '../measuring/processor-time.ts'
import type { Row } from '../row.ts'
import { figure } from '../row.ts'
import { median } from '../spread.ts'
import { measureStarts, secondFactor } from '../start-time.ts'
import { peersFolder } from '../install-peers.ts'
import { firstSignIns, firstToSteady } from './first-sign-ins.ts'
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

const startRest = (libraries: string) =>
  `Its libraries alone, with a server that answers from SQLite, have ${libraries} MB, 47 MB of them pages of Node's program file. What remains are the schemas of the contract (4 MB), ` +
  'the code of the service (4 MB), the open database and its compiled statements (2 MB) and what the young generation of the heap has grown. Tried, with gain: Express, ' +
  'web-push, the console, the reference page, mails and the part for PostgreSQL are loaded when a request needs them (10 MB less); built files of ASCII characters, without comments ' +
  '(2.6 MB); fewer files, so that Node does not compile its path functions with its optimizing compiler (5 MB); the ranges of flags without JSON Schema (0.8 MB); bundled files. Without gain: a compile cache, fewer schemas. Not used: ' +
  '`--max-semi-space-size=1` and `--optimize-for-size` save 5 MB at the start, but cost processor time under load.'

const openRest =
  'Three fifths of the time go into the import, and two into opening. In a profile of eight starts, V8 compiles the built files (22 %), zod creates the schemas of the contract (21 %), ' +
  'the code of the service runs for the first time and opens the database (13 %), garbage is collected (9 %), modules of Node are loaded (8 %), better-sqlite3 is loaded and compiles statements (7 %), Kysely is ' +
  'created and builds the first statements (6 %), and Node finds and reads files (4 %); the rest is native code. Without all of the first two it would be 0.57 of the time. A new file also gets its schema. '

/** What was tried to open an embedded service sooner. The processor times were measured in turns, on a machine with other work. */
const openAttempts =
  'Tried: the key pair for push messages by Node instead of by web-push, which was 6 % of the time with a new file and is done; and ' +
  'the compile cache of Node (`NODE_COMPILE_CACHE`), which your app can turn on: 17 % less processor time with an existing file (285 instead of 345 ms) and 10 % less with a new one (397 instead of 441 ms).'

const firstRest =
  'V8 runs a function in its interpreter first and compiles it when it has run often, which is processor time as well. '

const firstAttempts =
  'A second after its start, `serve` with a SQLite file signs a made-up user in 300 times on a database in memory, which takes 24 MB more. Tried: without it, sign-ins 10 to 100 needed 2.4 times the processor time of later ones. ' +
  'Of 60 instead of 300, too few were compiled (2.1 times). V8’s flags did not help: `--always-sparkplug` 2.8 times, `--no-lazy-feedback-allocation` 2.4 times. On PostgreSQL there is no warm-up.'

/** `embedded()`, from its import until it is open. */
const embedding = (name: string, file: string) => ({
  name: `second-factor: embedded(), ${name}`,
  code: `const { embedded } = await import('second-factor/service')
    const logger = { info() {}, warn() {}, error() {} }
    await embedded({ database: ${JSON.stringify(file)}.replace('PID', process.pid), logger }).connect({ name: 'App' })`,
  folder: root,
})

export const start: Row = {
  name: 'start',
  title: 'Start',
  work:
    'What each package adds to the start of an app that has loaded Express, from its import to the middleware, each time in a new process; ' +
    'and `second-factor serve` with an existing SQLite file, from the start of the process to its first answer, compared with a server that only loads the same libraries. ' +
    'Sign-ins are codes that one client sends to `serve`, one after another, once it has warmed up.',
  columns: [
    { key: 'time', title: 'ms', unit: 'ms' },
    { key: 'cpu', title: 'CPU ms', unit: 'ms' },
    { key: 'memory', title: 'resident MB', unit: 'MB' },
  ],
  chart: 'time',
  lowerIsBetter: true,
  async measure(run) {
    const ownCandidates = secondFactor.map((candidate) => ({ ...candidate, name: 'second-factor: mfa()' }))
    const [existing, created] = [
      embedding('an existing file', sqliteFile(run.folder, 'embedded')),
      embedding('a new file', sqliteFile(run.folder, 'embedded-PID')),
    ]
    measureStarts([existing], 1)
    const added = measureStarts([...ownCandidates, existing, created, ...peers], run.rounds)
    const database = sqliteFile(run.folder, 'start')
    await command(['init', '--database', database])
    const served: Started[] = []
    const libraries: Started[] = []
    for (let round = 0; round < run.rounds; round++) {
      served.push(await started('/api/ping', () => serve(database)))
      libraries.push(await started('/', () => startScript(librariesAlone, { DATABASE: database })))
    }
    const valuesOf = (starts: readonly Started[]) => ({
      time: starts.map(({ time }) => time),
      cpu: starts.map(({ cpu }) => cpu),
      memory: starts.map(({ memory }) => memory),
    })
    const starts = await firstSignIns(sqliteFile(run.folder, 'first'), run.rounds)
    const valuesOfSignIns = (part: 'first' | 'steady') => ({
      time: starts.map((each) => each[part].time),
      cpu: starts.map((each) => each[part].cpu),
    })
    const { time, cpu, memory } = valuesOf(served)
    const opened = median(added.get(existing.name) ?? [])
    const rest = startRest(figure(median(valuesOf(libraries).memory)))
    return {
      lines: [
        ...[...added].map(([name, times]) => ({
          name,
          ours: name.startsWith('second-factor'),
          values: { time: times },
        })),
        { name: 'second-factor serve, first answer', ours: true, values: { time, cpu, memory } },
        { name: 'its libraries alone, first answer', values: valuesOf(libraries) },
        { name: 'sign-ins 10 to 100 after a start, each', ours: true, values: valuesOfSignIns('first') },
        { name: 'sign-ins after 3,000, each', ours: true, values: valuesOfSignIns('steady') },
      ],
      goals: [
        {
          figure: '`embedded()` from its import until it is open, with an existing file',
          value: opened,
          reach: 120,
          atMost: true,
          unit: 'ms',
          rest: openRest + openAttempts,
        },
        {
          figure: 'processor time of sign-ins 10 to 100 after a start, compared with later ones',
          value: firstToSteady(starts),
          reach: 1.5,
          atMost: true,
          unit: 'times',
          rest: firstRest + firstAttempts,
        },
        {
          figure: '`serve` answers after',
          value: median(time),
          reach: 300,
          atMost: true,
          unit: 'ms',
          rest,
        },
        {
          figure: 'memory of `serve` at its first answer',
          value: median(memory),
          reach: 80,
          atMost: true,
          unit: 'MB',
          rest,
        },
      ],
      findings: [
        `\`embedded()\` is open ${figure(opened)} ms after its import with an existing file, and ${figure(median(added.get(created.name) ?? []))} ms with a new one.`,
        `Sign-ins 10 to 100 after a start need ${figure(firstToSteady(starts))} times the processor time of later ones.`,
        `\`mfa()\` adds ${figure(median(added.get('second-factor: mfa()') ?? []))} ms to the start of an app.`,
        `\`serve\` answers after ${figure(median(time))} ms, with ${figure(median(memory))} MB.`,
      ],
    }
  },
}

const librariesAlone = fileURLToPath(new URL('../contenders/libraries.js', import.meta.url))

interface Started {
  /** Milliseconds. */
  readonly time: number
  /** Milliseconds. */
  readonly cpu: number
  /** Resident, MB. */
  readonly memory: number
}

/** Starts a server, until it has answered. */
async function started(path: string, run: () => Promise<Served>): Promise<Started> {
  const startTime = performance.now()
  const served = await run()
  await (await fetch(served.origin + path)).text()
  const time = performance.now() - startTime
  const pid = served.child.pid ?? 0
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(join('/proc', String(pid), 'status'), 'utf8')) ?? []
  const measured = { time, cpu: timeOf(pid), memory: Number(kilobytes) / 1024 }
  await served.stop()
  return measured
}
