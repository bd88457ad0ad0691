import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { Factor } from '../../src/contract/factor.ts'
import { createClient } from '../../src/client/client.ts'
import { createDevice } from '../../src/device/index.ts'
import { runIn } from '../cli/admin/run-command.ts'
import { startPostgresProxy } from '../support/postgres-proxy.ts'
import type { PostgresProxy } from '../support/postgres-proxy.ts'
import { openPostgres } from '../support/postgres.ts'
import type { Postgres } from '../support/postgres.ts'
import { serve } from './command.ts'
import type { Served } from './command.ts'
import { expressionsOf, parseExposition, selectorsOf } from './exposition.ts'
import type { Exposition } from './exposition.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const readText = (path: string) => readFileSync(root + path, 'utf8')

/** Metrics of the backup scripts, blackbox_exporter and Patroni, which some alerts use. */
const otherPrograms = /^(second_factor_backup|probe|patroni)_/

const env = { MFA_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` }

interface Tenant {
  readonly apiKey: string
  readonly domainId: string
}

let postgres: Postgres
let proxy: PostgresProxy
let tenant: Tenant
let served: Served
let metricsUrl: string

beforeAll(async () => {
  postgres = await openPostgres()
  const direct = await postgres.createDatabase()
  proxy = await startPostgresProxy(direct)
  tenant = (await runIn(env, 'init', '--database', direct, '--json')).json as Tenant
  served = await serve(proxy.url, env, ['--metrics-port', '0'])
  metricsUrl = /metrics at ([^)]+)\)/.exec(served.stdout())?.[1] ?? ''
  await signIns()
})
afterAll(async () => {
  served.kill()
  await proxy.close()
  await postgres.stop()
})

const clientOf = () => createClient({ baseUrl: `${served.origin}/api`, apiKey: tenant.apiKey })

/** One approval, one report, one wrong code. */
async function signIns(): Promise<void> {
  const client = clientOf()
  const { domainId } = tenant
  const user = await client.users.create({ username: 'alice', name: 'Alice', email: 'alice@example.com' })
  await client.domains.addUser(domainId, user.id)
  const token = await client.tokens.issue(domainId, user.id)
  const device = createDevice()
  const account = await device.activate(served.origin, token.code ?? '', { name: 'Phone' })
  for (const decision of ['approve', 'report'] as const) {
    await client.sessions.create(domainId, { user: { username: 'alice' } })
    const [request] = (await device.requests(account)).requests ?? []
    await device.answer(account, request!, { decision })
  }
  await client.sessions.create(domainId, { user: { username: 'alice' }, otp: '000000' })
}

async function scrape(): Promise<Exposition> {
  const response = await fetch(metricsUrl)
  expect(response.status).toBe(200)
  return parseExposition(await response.text())
}

/** The sum of all series that have these labels. */
const valueOf = (exposition: Exposition, name: string, labels: Record<string, string> = {}) =>
  exposition.samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)

describe('the metrics of second-factor serve', () => {
  it('the metrics count sign-ins by outcome and factor, and measure how long people take', async () => {
    const metrics = await scrape()

    const settled = (labels: Record<string, string>) => valueOf(metrics, 'second_factor_sessions_settled_total', labels)
    expect(settled({ outcome: 'approved', factor: 'push' })).toBe(1)
    expect(settled({ outcome: 'reported', factor: 'push' })).toBe(1)
    expect(settled({ outcome: 'wrong_code', factor: 'otp' })).toBe(1)
    expect(valueOf(metrics, 'second_factor_session_answer_seconds_count', { outcome: 'approved' })).toBe(1)
    expect(valueOf(metrics, 'second_factor_sessions_pending')).toBe(0)
    expect(valueOf(metrics, 'second_factor_ready')).toBe(1)
    expect(valueOf(metrics, 'second_factor_database_wait_seconds_count', { purpose: 'transaction' })).toBeGreaterThan(5)
    const sinceWrite = Date.now() / 1000 - valueOf(metrics, 'second_factor_database_last_write_timestamp_seconds')
    expect(sinceWrite).toBeLessThan(60)
  })

  it('the metrics start at 0 for each factor, so that an alert sees the first event', async () => {
    const { samples } = await scrape()

    const settled = samples.filter(({ name }) => name === 'second_factor_sessions_settled_total')
    const factorsOf = (outcome: string) =>
      new Set(settled.filter(({ labels }) => labels['outcome'] === outcome).map(({ labels }) => labels['factor']))
    expect(factorsOf('approved')).toEqual(new Set(Factor.options))
    expect(factorsOf('wrong_code')).toEqual(new Set(['otp', 'email', 'bypass']))
    expect(factorsOf('wrong_passkey')).toEqual(new Set(['passkey']))
  })

  it('the metrics have a help text with a unit, and labels whose values callers cannot invent', async () => {
    const { help, samples } = await scrape()

    const own = Object.entries(help).filter(([name]) => name.startsWith('second_factor_'))
    expect(own.length).toBeGreaterThan(15)
    expect(own.filter(([, text]) => !/seconds\.|number of \w+|^1 when /.test(text))).toEqual([])
    const values = samples.flatMap(({ labels }) => Object.values(labels)).join(' ')
    expect(values).not.toMatch(/alice|[0-9a-f]{40}/)
  })

  it('the metrics match the table in the documentation, including labels', async () => {
    const { help, samples } = await scrape()

    const documented = [...readText('docs/metrics.md').matchAll(/^\| `(second_factor_\w+)` +\| ([^|]*)\|/gm)].map(
      ([, name = '', labels = '']) => [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)] as const,
    )
    const labelsOf = (metric: string) =>
      samples
        .filter(({ name }) => name.replace(/_(bucket|sum|count)$/, '') === metric)
        .flatMap(({ labels }) => Object.keys(labels))
        .filter((label) => label !== 'le')
    const exposedLabels = Object.keys(help)
      .filter((name) => name.startsWith('second_factor_'))
      .map((name) => [name, [...new Set(labelsOf(name))]] as const)
    expect(new Map(exposedLabels)).toEqual(new Map(documented))
  })

  it.each([
    ['deploy/grafana-dashboard.json', 'expr'],
    ['deploy/alerts.yml', 'expr'],
  ])('the metrics include every metric and label that %s uses', async (path) => {
    const { samples } = await scrape()
    const labelsByName = new Map<string, Set<string>>()
    for (const { name, labels } of samples) {
      labelsByName.set(name, new Set([...(labelsByName.get(name) ?? []), ...Object.keys(labels), 'job', 'instance']))
    }

    const expressions = expressionsOf(readText(path))

    expect(expressions.length).toBeGreaterThan(10)
    const own = expressions.flatMap(selectorsOf).filter(({ name }) => !otherPrograms.test(name))
    for (const { name, labels } of own) {
      const known = labelsByName.get(name)
      expect.soft(known, `${name} is scraped`).toBeDefined()
      expect.soft([...(known ?? [])], name).toEqual(expect.arrayContaining([...labels]))
    }
  })

  it('the metrics and the log report a database outage once, and its end', async () => {
    const client = clientOf()
    await proxy.cut()
    const ask = () => fetch(`${served.origin}/api/organization`, { headers })
    const headers = { authorization: `Service key="${tenant.apiKey}"` }

    const statuses = [await ask(), await ask(), await ask(), await ask()].map(({ status }) => status)
    const during = await scrape()
    await proxy.mend()
    const user = { username: `bob-${crypto.randomUUID()}`, name: 'Bob', email: 'b@example.com' }
    await expect.poll(() => client.users.create(user).catch(() => undefined)).toBeDefined()
    await served.printed(/"database available again"/)

    const lines = served.stderr().trimEnd().split('\n')
    const logEntries = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(statuses).toEqual([503, 503, 503, 503])
    expect(valueOf(during, 'second_factor_ready')).toBe(0)
    expect(valueOf(during, 'second_factor_database_errors_total', { part: 'read' })).toBeGreaterThanOrEqual(4)
    expect(logEntries.filter(({ msg }) => msg === 'database unavailable')).toMatchObject([
      { level: 50, reason: expect.any(String) },
    ])
    const [recovery] = logEntries.filter(({ msg }) => msg === 'database available again')
    expect(recovery?.['refused']).toBeGreaterThanOrEqual(4)
    expect(logEntries.filter(({ msg, err }) => msg === 'request failed' || err !== undefined)).toEqual([])
  })
})
