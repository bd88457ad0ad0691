import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { run } from '../../cli/admin/run-command.ts'
import { serve } from '../../processes/command.ts'
import { child, heard } from './child.ts'
import { addDevices } from './devices.ts'
import { measurable, measure } from './measured.ts'
import type { Measured } from './measured.ts'
import type { PagesGiven, PagesReport, WayOfWaiting } from './pages.ts'
import type { Approval, PhonesGiven } from './phones.ts'
import type { WebAppGiven } from './web-app.ts'

export interface CrowdOptions {
  /** How many people. */
  readonly count: number
  /** How each waits, by their number; an event stream of the page by default. */
  readonly way?: (index: number) => WayOfWaiting
  /** Whether the devices hold their inboxes open. */
  readonly inboxes: boolean
  /** How long people may take, seconds. */
  readonly requestTimeout?: number
  /** How long a call of the web app to the service may take, milliseconds. */
  readonly timeout?: number
  /** What is placed between the web app and the service. @returns its address. */
  readonly between?: (origin: string) => Promise<string>
}

/** People who wait: browsers at a web app, devices at its service, each of them in processes of their own. */
export interface Crowd {
  readonly service: Measured
  readonly webApp: Measured
  /** Signs all people in, who then wait with an open inbox. @returns how long that took, seconds. */
  gather(): Promise<number>
  /** All people approve, so many at once. @returns the outcomes, as soon as all are known or the time (ms) is over. */
  approve(longest: number, atOnce?: number): Promise<Outcome>
  close(): Promise<void>
}

export interface Outcome {
  /** Since the first approval, milliseconds: when each page was told, and when it was passed; in order. */
  readonly told: readonly number[]
  readonly passed: readonly number[]
  /** Pages whose stream broke off, and was opened again. */
  readonly reconnected: number
  /** Steps that were made again, because the service was too busy for the first try. */
  readonly again: number
  readonly problems: readonly string[]
}

/** People of one process: each is two connections, and a process may have 20,000. */
const perProcess = 2_500

/** Starts `second-factor serve` and a web app with `mfa()`; no one waits yet. Requires `npm run build`. */
export async function startCrowd(options: CrowdOptions): Promise<Crowd> {
  const {
    count,
    way = () => 'stream',
    inboxes,
    requestTimeout = 600,
    timeout,
    between = (url: string) => url,
  } = options
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-crowd-'))
  const database = join(folder, 'mfa.sqlite')
  const { json } = await run('init', '--database', database, '--json')
  const { domainId, apiKey } = json as { domainId: string; apiKey: string }
  await run('domain', 'set', domainId, '--request-timeout', String(requestTimeout), '--database', database)
  const { ids, serviceId, privateKey } = await addDevices(database, domainId, count)
  const people = ids.map(({ device }, index) => ({ username: `user-${index}`, device, way: way(index) }))
  const sockets = { service: join(folder, 'service.sock'), webApp: join(folder, 'web-app.sock') }
  const service = await serve(database, measurable(sockets.service))
  const webApp = child('web-app', measurable(sockets.webApp))
  const clients: ChildProcess[] = []
  const baseUrl = `${await between(service.origin)}/api`
  webApp.send({ service: { baseUrl, apiKey, domainId }, timeout } satisfies WebAppGiven)
  const { url } = await heard<{ url: string }>(webApp)

  const groups = Array.from({ length: Math.ceil(count / perProcess) }, (_, index) => ({
    localAddress: `127.0.0.${index + 2}`,
    people: people.slice(index * perProcess, (index + 1) * perProcess),
    pages: undefined as ChildProcess | undefined,
    phones: undefined as ChildProcess | undefined,
    numbers: {} as Record<string, string>,
  }))
  const problems: string[] = []

  async function gatherGroup(group: (typeof groups)[number]): Promise<void> {
    const { localAddress, people: groupPeople } = group
    const pages = child('pages')
    const phones = child('phones')
    clients.push(pages, phones)
    Object.assign(group, { pages, phones })
    pages.send({ url, localAddress, people: groupPeople } satisfies PagesGiven)
    group.numbers = (await heard<{ numbers: Record<string, string> }>(pages)).numbers
    const identity = { serviceId, privateKey }
    phones.send({
      url: service.origin,
      localAddress,
      ...identity,
      people: groupPeople,
      held: inboxes,
    } satisfies PhonesGiven)
    problems.push(...(await heard<{ problems: string[] }>(phones)).problems)
  }

  return {
    service: measure(service.child.pid ?? 0, sockets.service),
    webApp: measure(webApp.pid ?? 0, sockets.webApp),
    async gather() {
      const start = performance.now()
      // One after the other: those who sign in are not what is measured.
      for (const group of groups) await gatherGroup(group)
      return (performance.now() - start) / 1000
    },
    async approve(longest, atOnce = 64) {
      const start = Date.now()
      const approving = groups.map(async ({ phones, numbers }) => {
        phones?.send({ numbers, atOnce: Math.ceil(atOnce / groups.length) } satisfies Approval)
        if (phones) problems.push(...(await heard<{ problems: string[] }>(phones)).problems)
      })
      let reports: PagesReport[] = []
      const passed = () => reports.flatMap((report) => Object.values(report.passed))
      const failures = () => reports.flatMap((report) => report.problems)
      while (passed().length + failures().length < count && Date.now() - start < longest) {
        await new Promise((resolve) => setTimeout(resolve, 250))
        reports = await Promise.all(groups.map(({ pages }) => ask<PagesReport>(pages)))
      }
      await Promise.race([Promise.all(approving), new Promise((resolve) => setTimeout(resolve, 1_000))])
      const since = (times: number[]) => times.map((time) => time - start).sort((a, b) => a - b)
      return {
        told: since(reports.flatMap((report) => Object.values(report.told))),
        passed: since(passed()),
        reconnected: reports.reduce((sum, report) => sum + report.reconnected, 0),
        again: reports.reduce((sum, report) => sum + report.again, 0),
        problems: [...problems, ...failures()],
      }
    },
    async close() {
      for (const each of [...clients, webApp]) each.kill('SIGKILL')
      service.kill()
      await Promise.all([...clients, webApp, service.child].map((each) => waitForEnd(each)))
      rmSync(folder, { recursive: true })
    },
  }
}

async function waitForEnd(process: ChildProcess): Promise<void> {
  if (process.exitCode === null && process.signalCode === null) await once(process, 'exit')
}

function ask<T>(process: ChildProcess | undefined): Promise<T> {
  if (!process) throw new Error('Nobody has gathered yet.')
  process.send({})
  return heard<T>(process)
}
