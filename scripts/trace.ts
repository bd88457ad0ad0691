/**
 * Shows which functions of the package a request enters, by file: `node scripts/trace.ts` for a table of six trips. It counts entries, so
 * a value that is derived again and again stands out, and says nothing about time.
 *
 * `--files`: the files of each trip. `--functions`: the functions that it enters more than once. `--returns`: how often it comes back to a
 * file that it had left.
 */
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Session } from 'node:inspector/promises'
import { parseArgs } from 'node:util'

import express from 'express'
import session from 'express-session'

import { createDevice } from '../src/device/index.ts'
import { mfa } from '../src/index.ts'
import { embedded } from '../src/service/index.ts'
import { createBrowser } from '../test/support/browser.ts'
import { table } from './markdown-table.ts'
import { root } from './run.ts'

/** A file below src/, and how often its functions were entered. */
export type Entries = ReadonlyMap<string, number>

/** A function with its file, and how often it was entered. An asynchronous one is also entered each time it goes on. */
type Calls = ReadonlyMap<string, number>

/** The action of a person, and the functions that it enters. */
export interface Trip {
  readonly name: string
  readonly entries: Entries
  readonly calls: Calls
  /** The file of each entry, in their order; empty without `--returns`. */
  readonly order: readonly string[]
}

/** Filled by `scripts/trace-order.ts`. */
const records = (globalThis as { noted?: string[] }).noted ?? []

/** The way from a login to the page of one's own devices. */
export async function takeTrips(): Promise<readonly Trip[]> {
  const profiler = new Session()
  profiler.connect()
  await profiler.post('Profiler.enable')
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const app = await startApp()
  const trips: Trip[] = []
  const trip = async <T>(name: string, take: () => Promise<T>): Promise<T> => {
    await entriesOf(profiler)
    records.length = 0
    const result = await take()
    trips.push({ name, order: [...records], ...(await entriesOf(profiler)) })
    return result
  }
  try {
    const { browser } = app
    await browser.open('/sign-in')
    const device = createDevice()
    const { text: setUp } = await browser.visit('/account')
    const account = await device.activate(`${app.url}/mfa`, /#code=([a-z0-9]{10})/.exec(setUp)?.[1] ?? '', {
      name: 'Phone',
    })
    await browser.visit('/mfa')
    const waiting = await trip('the page of an open request', () => browser.open('/mfa'))
    const { requests = [] } = await trip('the inbox of a device', () => device.requests(account))
    const [request] = requests
    if (!request) throw new Error('no request is open')
    const number = /id="number">(\d+)</.exec(waiting.text)?.[1] ?? ''
    await trip('an approval on a device', () => device.answer(account, request, { decision: 'approve', number }))
    await trip('the end of a sign-in', () => browser.submit('/mfa/complete'))
    await trip('a page of the app, verified', () => browser.open('/account'))
    await trip('the page of one’s own devices', () => browser.open('/mfa/devices'))
    return trips
  } finally {
    await app.close()
    profiler.disconnect()
  }
}

/** The functions that were entered since the last call. */
async function entriesOf(profiler: Session): Promise<Pick<Trip, 'entries' | 'calls'>> {
  const { result } = await profiler.post('Profiler.takePreciseCoverage')
  const source = new URL(`file://${root}src/`).href
  const entries = new Map<string, number>()
  const calls = new Map<string, number>()
  for (const { url, functions } of result) {
    if (!url.startsWith(source)) continue
    // The first function of a file is the file itself.
    const count = functions.slice(1).reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0)
    if (count > 0) entries.set(url.slice(source.length), count)
    for (const { functionName, ranges } of functions.slice(1)) {
      const times = ranges[0]?.count ?? 0
      if (functionName !== '' && times > 1) calls.set(`${functionName} ${url.slice(source.length)}`, times)
    }
  }
  return { entries, calls }
}

/** An app whose login takes everybody for alice, and a browser. */
async function startApp() {
  const service = embedded({ database: ':memory:' })
  const app = express()
  app.use(session({ secret: 'trace', resave: false, saveUninitialized: false }))
  app.get('/sign-in', (req, res) => {
    Object.assign(req.session, { user: { username: 'alice' } })
    res.send('signed in')
  })
  app.use((req, _res, next) => {
    Object.assign(req, { user: (req.session as { user?: object }).user })
    next()
  })
  app.use(mfa({ service, provision: true }))
  app.get('/account', (_req, res) => void res.send('verified'))
  const server = createServer(app)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    browser: createBrowser(url),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await service.close()
    },
  }
}

/** How often the order comes back to a file of these folders that it had left, whatever else it enters in between. */
function returnsIn(order: readonly string[], folders: RegExp): number {
  const inside = order.filter((file) => folders.test(file))
  const visits = inside.filter((file, index) => file !== inside[index - 1])
  return visits.length - new Set(visits).size
}

/** The folders in which a feature of the package is told. */
const purposes: readonly (readonly [name: string, folders: RegExp])[] = [
  ['web half', /^(express|challenge)\//],
  ['service', /^service\/features\//],
  ['both', /^(express|challenge|service\/features)\//],
]

/** Runs this script again, with functions that note their files. */
function runNoting(): void {
  const first = new URL('trace-order.ts', import.meta.url).href
  const { status } = spawnSync(process.execPath, ['--import', first, ...process.argv.slice(1)], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}

function showReturns(trips: readonly Trip[]): void {
  const rows = trips.map(({ name, order }) => [
    name,
    ...purposes.map(([, folders]) => String(returnsIn(order, folders))),
  ])
  console.log(table([['Trip', ...purposes.map(([name]) => `Returns in ${name}`)], ...rows]).join('\n'))
}

/** The first two folders of a file. */
const roomOf = (file: string): string => file.split('/').slice(0, -1).slice(0, 2).join('/') || file

function byRoom(entries: Entries): readonly (readonly [string, number])[] {
  const rooms = new Map<string, number>()
  for (const [file, count] of entries) rooms.set(roomOf(file), (rooms.get(roomOf(file)) ?? 0) + count)
  return [...rooms].toSorted(([, first], [, other]) => other - first)
}

function list(title: string, counts: ReadonlyMap<string, number>): void {
  console.log(`\n${title}`)
  for (const [name, count] of [...counts].toSorted(([, first], [, other]) => other - first)) {
    console.log(`${String(count).padStart(6)}  ${name}`)
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      files: { type: 'boolean', default: false },
      functions: { type: 'boolean', default: false },
      returns: { type: 'boolean', default: false },
    },
  })
  if (values.returns && !('noted' in globalThis)) return runNoting()
  const trips = await takeTrips()
  if (values.returns) return showReturns(trips)
  const sum = (entries: Entries) => [...entries.values()].reduce((total, count) => total + count, 0)
  const rows = trips.map(({ name, entries }) => [
    name,
    String(entries.size),
    String(sum(entries)),
    byRoom(entries)
      .slice(0, 5)
      .map(([room, count]) => `${room} ${count}`)
      .join(', '),
  ])
  console.log(table([['Trip', 'Files', 'Entries', 'Most of them in'], ...rows]).join('\n'))
  for (const { name, entries, calls } of trips) {
    if (values.files) list(`${name}: files`, entries)
    if (values.functions) list(`${name}: functions that were entered more than once`, calls)
  }
}

if (import.meta.main) await main()
