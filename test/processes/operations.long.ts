import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { Client } from 'pg'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { createCall, newUser } from '../service/start-service.ts'
import { createMachine, freePort } from '../support/operations/machine.ts'
import type { Machine } from '../support/operations/machine.ts'
import { longForm, readBlocks, shortForm } from '../support/operations/page.ts'
import { unpackPackage } from '../support/packed-package.ts'
import { startPostgres } from '../support/postgres.ts'
import type { Postgres } from '../support/postgres.ts'

let folder: string
let unpacked: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-package-'))
  unpacked = await unpackPackage(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('docs/operations.md', () => {
  const blocks = readBlocks()

  it.each(blocks.filter((block) => block.class === 'file'))(
    'docs/operations.md shows $file exactly',
    ({ file = '', code }) => {
      expect(`${code}\n`).toBe(readFileSync(join(root, file), 'utf8'))
    },
  )

  it('docs/operations.md has only commands that tests run', () => {
    const followed = new Set<string>([...shortForm.oneNode, ...shortForm.threeNodes, ...longForm])
    const commands = blocks.filter((block) => ['run', 'machine', 'postgres'].includes(block.class))

    expect(commands.filter(({ section }) => !followed.has(section)).map(({ line }) => line)).toEqual([])
    expect(commands.length).toBeGreaterThan(40)
  })

  it('docs/operations.md installs the Node version that the tests run on', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const versions = readFileSync(join(root, 'docs/operations.md'), 'utf8').match(/(?<=\bv)\d+\.\d+\.\d+/g)

    expect(new Set(versions)).toEqual(new Set([devDependencies.node]))
  })

  it('docs/operations.md explains only messages that exist', () => {
    const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')
    const [, table = ''] = page.split('## Messages')
    const messages = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, message = '']) => message)
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, 'src', name), 'utf8'))

    expect(messages.length).toBeGreaterThan(5)
    expect(messages.filter((message) => !sources.some((source) => source.includes(message)))).toEqual([])
  })
})

describe('one node, from an empty machine, by the commands of docs/operations.md', () => {
  let machine: Machine
  let front: string
  beforeAll(async () => {
    const [port, metricsPort] = [await freePort(), await freePort()]
    front = `http://127.0.0.1:${port}`
    machine = createMachine({ place: { port, metricsPort, nodePorts: [], postgres: '', front, drain: 0 }, unpacked })
  })
  afterAll(() => machine.close())

  it(
    'one node set up by docs/operations.md serves an app, is backed up, restored and upgraded',
    { timeout: 300_000 },
    async () => {
      const follow = async (section: (typeof shortForm.oneNode)[number]) => machine.follow(section)
      const umask = await machine.type('umask')
      await follow('Operations')
      await follow('Install')
      const started = await follow('Start the service')
      await follow('nginx and TLS')
      await follow('Connect an app')
      const gated = await pageOf(await machine.type('cat app.env'), 'alice')
      await follow('Health')
      await follow('Metrics and alerts')
      const metrics = await machine.type('cat metrics.txt')

      const call = createCall(front, /API key +(\S+)/.exec(started)?.[1] ?? '')
      const { json: bob } = await call('POST', '/users', { body: newUser('bob') })
      const backup = await follow('Backup')
      const { json: carol } = await call('POST', '/users', { body: newUser('carol') })
      await call('DELETE', `/users/${bob.id}`)
      const restored = await follow('Restore')
      const [bobAfter, carolAfter] = [await call('GET', `/users/${bob.id}`), await call('GET', `/users/${carol.id}`)]
      await follow('Upgrade')

      expect(started).toContain('{"status":"ok"}')
      expect((await machine.type('stat -c "%a %n" app.env')).trim()).toBe('600 app.env')
      // With a stricter umask, the service could not read the files that `sudo npm install` adds later.
      expect(await machine.type('umask')).toBe(umask)
      expect(gated).toContain('Set up')
      expect(metrics).toContain('second_factor_')
      expect(backup).toMatch(/^mfa-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z\.sqlite$/m)
      expect(restored).toContain('1 applied again')
      expect([bobAfter.status, carolAfter.status]).toEqual([404, 404])
      expect(statSync(join(machine.place.root, 'var/lib/second-factor/mfa.sqlite')).mode & 0o777).toBe(0o600)
      expect(machine.units.journal()).not.toMatch(/"level":(50|"error")/)
    },
  )
})

describe('three nodes on PostgreSQL, by the commands of docs/operations.md', () => {
  let server: Postgres
  let admin: string
  let nodes: Machine[] = []
  let database: Machine
  beforeAll(async () => {
    server = await startPostgres()
    admin = await server.createDatabase()
    const { host } = new URL(admin)
    const ports = [await freePort(), await freePort(), await freePort()]
    const create = async (port = 0) =>
      createMachine({
        place: {
          port,
          metricsPort: await freePort(),
          nodePorts: ports,
          postgres: host,
          front: `http://127.0.0.1:${port}`,
          drain: 0,
        },
        unpacked,
      })
    database = await create(ports[0])
    nodes = [await create(ports[0]), await create(ports[1]), await create(ports[2])]
  })
  afterAll(async () => {
    for (const machine of [database, ...nodes]) machine.close()
    await server.stop()
  })

  it(
    'three nodes set up by docs/operations.md start, answer for each other, and restart one after another',
    { timeout: 300_000 },
    async () => {
      await database.follow('PostgreSQL', (block) => block.class !== 'postgres')
      await createOwnDatabase(admin, await database.type('cat database'))
      const secrets = [await database.type('cat database'), await database.type('cat keys')]
      for (const node of nodes) {
        await node.follow('Operations')
        await node.follow('Install')
        await node.type(`umask 077; echo '${secrets[0]?.trim()}' > database; echo '${secrets[1]?.trim()}' > keys`)
      }
      const output = await followOnEach(nodes, 'Nodes')
      const apiKey = /API key +(\S+)/.exec(output)?.[1] ?? ''
      const [first, second, third] = nodes.map(({ place }) => createCall(`http://127.0.0.1:${place.port}`, apiKey))
      const { json: user } = await first!('POST', '/users', { body: newUser('alice') })
      const read = await second!('GET', `/users/${user.id}`)
      await database.follow('Operations')
      await database.follow('Install')
      await database.type('sudo install -m 644 "$deploy/nginx.conf" /etc/nginx/conf.d/second-factor.conf')
      await database.follow('nginx in front of three nodes')
      const upstream = await database.type('cat /etc/nginx/conf.d/second-factor.conf')
      await nodes[0]?.follow('Several processes on one machine')
      const readBetween = await first!('GET', `/users/${user.id}`)
      await followOnEach(nodes, 'Rolling restart and upgrade')
      const readAfter = await third!('GET', `/users/${user.id}`)

      expect([read.status, readBetween.status, readAfter.status]).toEqual([200, 200, 200])
      for (const { place } of nodes) expect(upstream).toContain(`server 127.0.0.1:${place.port} max_fails=0;`)
    },
  )
})

/** Blocks for the nodes run on each of them, one after the other. All other blocks run on the first node. */
async function followOnEach(nodes: readonly Machine[], section: string): Promise<string> {
  const [first] = nodes
  let printed = ''
  for (const block of readBlocks().filter((candidate) => candidate.section === section)) {
    for (const node of block.nodes ? nodes : [first]) printed += await node?.carryOut(block)
  }
  return printed
}

/** Does the same as `psql` and `createdb` with their long options. */
async function createOwnDatabase(admin: string, address: string): Promise<void> {
  const { password } = new URL(address.trim())
  const client = new Client(admin)
  await client.connect()
  await client.query(`CREATE ROLE second_factor LOGIN PASSWORD '${password}'`)
  await client.query('CREATE DATABASE second_factor OWNER second_factor')
  await client.end()
}

/** The first page behind `mfa()`, in an app with these settings as its environment. */
async function pageOf(settings: string, username: string): Promise<string> {
  const values = Object.fromEntries(
    settings
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2)),
  )
  const app = express()
  app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: true }))
  app.use(
    mfa({
      service: { baseUrl: values.MFA_BASE_URL, apiKey: values.MFA_API_KEY, domainId: values.MFA_DOMAIN_ID },
      // The service listens on a loopback address here, which a phone cannot open.
      authenticatorUrl: 'https://mfa.example',
      user: () => ({ username }),
    }),
  )
  const { text } = await request.agent(app).get('/mfa').set('Accept', 'text/html').redirects(1)
  return text
}
