import { execFile, execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { root } from '../../scripts/run.ts'
import { createCall, newUser } from '../service/start-service.ts'
import { createMachine, freePort } from '../support/operations/machine.ts'
import type { Machine } from '../support/operations/machine.ts'
import { blocksOf } from '../support/operations/page.ts'
import { unpackPackage } from '../support/packed-package.ts'
import { startSystemPostgres } from '../support/operations/system-postgres.ts'
import type { SystemPostgres } from '../support/operations/system-postgres.ts'

const run = promisify(execFile)

/** Everything by the programs of the page. Only systemd, Docker and the certificate's authority are replaced. */
const programs = {
  nginx: 'nginx -v',
  'systemd-analyze': 'systemd-analyze --version',
  curl: 'curl --version',
  openssl: 'openssl version',
  npm: 'npm --version',
  promtool: 'promtool --version',
}
for (const [name, command] of Object.entries(programs)) {
  try {
    execFileSync('sh', ['-c', command], { stdio: 'ignore' })
  } catch {
    throw new Error(
      `This test needs ${name}. On Debian: sudo apt-get install nginx systemd curl openssl npm postgresql prometheus`,
    )
  }
}

let folder: string
let unpacked: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-package-'))
  unpacked = await unpackPackage(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('one node behind a real nginx, installed by a real npm', () => {
  let machine: Machine
  let nginx: Nginx
  beforeAll(async () => {
    nginx = await createNginx()
    machine = createMachine({
      place: { port: await freePort(), metricsPort: await freePort(), nodePorts: [], postgres: '' },
      unpacked,
      standIns: false,
      nginx: nginx.act,
      env: { CURL_HOME: nginx.curlHome },
    })
    nginx.serveFrom(machine.place.root)
  })
  afterAll(() => {
    machine.close()
    nginx.close()
  })

  it(
    'one node behind a real nginx is set up, backed up, restored, upgraded, and gets new keys twice',
    { timeout: 600_000 },
    async () => {
      for (const section of [
        'Operations',
        'Install',
        'Start the service',
        'nginx and TLS',
        'Connect an app',
        'Health',
      ]) {
        await machine.follow(section)
      }
      for (const section of ['Metrics and alerts', 'Backup', 'Restore', 'Upgrade']) await machine.follow(section)
      const [rotate, remove, signal, putBack, ...remainingBlocks] = blocksOf('Keys')
      const keyFile = join(machine.place.root, 'var/lib/second-factor/mfa.sqlite.keys')
      await machine.carryOut(rotate!)
      await machine.carryOut(remove!)
      const keys = readFileSync(keyFile, 'utf8')
      rmSync(keyFile)
      await machine.carryOut(signal!)
      await machine.carryOut(putBack!)
      await machine.follow('Clock')

      expect(remainingBlocks).toEqual([])
      // A key that was just removed from the file may be in it again: the service looks every 10 seconds.
      expect(readFileSync(keyFile, 'utf8')).toContain(keys)
      expect(await machine.type('curl --fail --silent --show-error "https://$name/readyz"')).toContain('ok')
    },
  )

  it('systemd accepts the units of a node', async () => {
    const units = join(machine.place.root, 'etc/systemd/system')
    const names = [
      'second-factor.service',
      'second-factor.socket',
      'second-factor-backup.service',
      'second-factor-backup.timer',
      'second-factor@8787.service',
      'second-factor@8787.socket',
    ]

    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', ...names.map((name) => join(units, name))])

    expect(stderr).toBe('')
  })

  it(
    'the command leaves no file of another user next to the database, whoever runs it',
    { timeout: 60_000 },
    async () => {
      if (process.getuid?.() !== 0) throw new Error('This test needs root: only root can become another user.')
      const data = join(machine.place.root, 'var/lib/second-factor')
      execFileSync('chown', ['-R', 'nobody', data])
      openWay(data)
      openWay(join(machine.place.root, 'srv/second-factor'))

      await machine.units.stop()
      await machine.type('sudo second-factor user list')
      const owners = execFileSync('stat', ['-c', '%U', data, ...(await files(data))], { encoding: 'utf8' })

      expect(new Set(owners.trim().split('\n'))).toEqual(new Set(['nobody']))
      await machine.units.start()
    },
  )
})

describe('three nodes on PostgreSQL behind a real nginx', () => {
  let postgres: SystemPostgres
  let nginx: Nginx
  let front: Machine
  let nodes: Machine[] = []
  beforeAll(async () => {
    postgres = await startSystemPostgres()
    nginx = await createNginx()
    const ports = [await freePort(), await freePort(), await freePort()]
    const create = async (port = 0) =>
      createMachine({
        place: { port, metricsPort: await freePort(), nodePorts: ports, postgres: postgres.address },
        unpacked,
        standIns: false,
        nginx: nginx.act,
        env: { CURL_HOME: nginx.curlHome, ...postgres.env },
      })
    front = await create(await freePort())
    nodes = [await create(ports[0]), await create(ports[1]), await create(ports[2])]
    nginx.serveFrom(front.place.root)
  })
  afterAll(async () => {
    for (const machine of [front, ...nodes]) machine.close()
    nginx.close()
    await postgres.stop()
  })

  it(
    'three nodes behind a real nginx lose no request in a rolling restart, get new keys, and are restored',
    { timeout: 600_000 },
    async () => {
      await front.follow('PostgreSQL')
      for (const machine of [front, ...nodes]) {
        await machine.follow('Operations')
        await machine.follow('Install')
      }
      await hand(front, nodes, ['database', 'keys'])
      const apiKey = /API key +(\S+)/.exec(await followOnEach(nodes, 'Nodes'))?.[1] ?? ''
      await front.follow('nginx and TLS', ({ code }) => !code.includes('curl'))
      await front.follow('nginx in front of three nodes')
      const callers = startCallers(nginx, apiKey, 8)
      await callers.answered(100)
      await followOnEach(nodes, 'Rolling restart and upgrade')
      await callers.answered(100)
      const statuses = await callers.stop()

      await followOnEach(nodes, 'Key rotation on several nodes')
      const status = await nodes[0]!.type('sudo second-factor keys status')
      const call = createCall(`http://127.0.0.1:${nodes[0]!.place.port}`, apiKey)
      const { json: bob } = await call('POST', '/users', { body: newUser('bob') })
      const [dump, ...restore] = blocksOf('Backup of PostgreSQL')
      await nodes[0]!.carryOut(dump!)
      const { json: carol } = await call('POST', '/users', { body: newUser('carol') })
      for (const block of restore) {
        for (const node of block.nodes ? nodes : [nodes[0]!]) await node.carryOut(block)
      }
      const restored = [await call('GET', `/users/${bob.id}`), await call('GET', `/users/${carol.id}`)]
      await followOnEach(nodes, 'PgBouncer')
      const after = await call('GET', `/users/${bob.id}`)

      expect([...statuses.keys()]).toEqual([200])
      expect(status).toMatch(/^k\d{8} +first/m)
      expect(status).toMatch(/^k1 +yes +no +0 +0/m)
      expect(restored.map((answer) => answer.status)).toEqual([200, 404])
      expect(after.status).toBe(200)
    },
  )
})

describe('the containers', () => {
  it('the containers pass the linters', { timeout: 120_000 }, async () => {
    const compose = await run('npx', ['--yes', 'dclint@3', join(root, 'compose.yaml')], { cwd: folder })
    const image = await run('npx', ['--yes', 'dockerfilelint@1', join(root, 'Dockerfile')], { cwd: folder })

    expect(compose.stdout.trim()).toBe('')
    expect(image.stdout).toContain('Issues: None found')
  })

  it(
    'the containers get secrets that the service can read, in a folder closed to other users',
    { timeout: 60_000 },
    async () => {
      const machine = createMachine({
        place: { port: 0, metricsPort: 0, nodePorts: [], postgres: '' },
        unpacked,
        standIns: false,
      })
      onTestFinished(() => machine.close())
      await machine.follow('Containers')

      const listed = await machine.type('stat -c "%a %n" secrets secrets/*; cat secrets/keys secrets/database')
      expect(listed).toContain('700 secrets\n')
      expect(listed).toMatch(/^644 secrets\/keys$/m)
      expect(listed).toMatch(/^k1:[A-Za-z0-9+/]{43}=$/m)
      expect(listed).toMatch(/^postgres:\/\/second_factor:\S+@postgres\/second_factor$/m)
    },
  )

  it(
    'the containers run as a user who can write only to the data, and exit on SIGTERM',
    { timeout: 600_000 },
    async () => {
      if (process.getuid?.() !== 0) throw new Error('This test needs root: only root can become the user of the image.')
      const image = await buildLikeDocker(folder)
      const port = await freePort()
      const at = (text: string) => text.replaceAll('8787', String(port))

      execFileSync(image.node, ['bin/second-factor.js', 'init'], image.options)
      const service = spawn(image.node, [...image.command, '--port', String(port)], { ...image.options, stdio: 'pipe' })
      onTestFinished(() => void service.kill('SIGKILL'))
      await vi.waitFor(() => execFileSync(image.node, image.health.map(at), image.options), {
        timeout: 30_000,
        interval: 200,
      })
      service.kill('SIGTERM')
      const [code] = (await once(service, 'close')) as [number]

      expect(code).toBe(0)
      expect(
        execFileSync('find', [image.folder, '-user', '10001', '-not', '-path', '*/data*'], { encoding: 'utf8' }),
      ).toBe('')
    },
  )
})

/** Blocks for the nodes run on each of them; all others on the first. What is copied by hand is copied before. */
async function followOnEach(nodes: readonly Machine[], section: string): Promise<string> {
  const [first, ...otherNodes] = nodes
  let printed = ''
  for (const block of blocksOf(section)) {
    if (block.nodes) await hand(first!, otherNodes, ['keys'])
    for (const node of block.nodes ? nodes : [first!]) printed += await node.carryOut(block)
  }
  return printed
}

async function hand(from: Machine, to: readonly Machine[], names: readonly string[]): Promise<void> {
  for (const name of names) {
    const text = await from.type(`cat ${name}`)
    for (const machine of to) await machine.type(`cat > ${name} <<'END'\n${text.trim()}\nEND`)
  }
}

/** Gives other users access through each parent folder. */
function openWay(path: string): void {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    if (at.startsWith(tmpdir()) && at !== tmpdir()) chmodSync(at, 0o755)
  }
}

async function files(path: string): Promise<readonly string[]> {
  return execFileSync('find', [path, '-type', 'f'], { encoding: 'utf8' }).trim().split('\n')
}

interface Nginx {
  readonly act: (mode: 'test' | 'start') => Promise<void>
  /** The folder of its configuration. */
  readonly serveFrom: (machineRoot: string) => void
  readonly curlHome: string
  readonly port: number
  readonly certificate: () => string
  readonly close: () => void
}

/** The machine's nginx, on ports of its own, and a curl that finds it by the name of the page. */
async function createNginx(): Promise<Nginx> {
  const home = mkdtempSync(join(tmpdir(), 'second-factor-nginx-'))
  const [plain, tls] = [await freePort(), await freePort()]
  const name = 'mfa.example.com'
  let machine = ''
  let child: ChildProcess | undefined
  const certificates = join(home, 'certificates')
  mkdirSync(certificates)
  const certificate = join(certificates, 'fullchain.pem')
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=DNS:${name}`,
      '-keyout',
      join(certificates, 'privkey.pem'),
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  )
  writeFileSync(join(home, '.curlrc'), `connect-to = "${name}:443:127.0.0.1:${tls}"\ncacert = "${certificate}"\n`)

  function configure(): string {
    const site = readFileSync(join(machine, 'etc/nginx/conf.d/second-factor.conf'), 'utf8')
      .replaceAll(/^ *listen \[::\].*\n/gm, '')
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${tls} ssl`)
      .replaceAll(/\/\S*\/live\/mfa\.example\.com/g, certificates)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${home}/${kind};`)
      .join(' ')
    const file = join(home, 'nginx.conf')
    writeFileSync(
      file,
      `daemon off; pid ${home}/pid; error_log ${home}/error.log; events {} http { access_log off; ${temporary}\n${site}}\n`,
    )
    return file
  }

  return {
    async act(mode) {
      const file = configure()
      await run('nginx', ['-t', '-c', file, '-p', home])
      if (mode === 'test') return
      if (child) {
        const gone = once(child, 'close')
        child.kill('SIGTERM')
        await gone
      }
      child = spawn('nginx', ['-c', file, '-p', home], { stdio: 'ignore' })
      await vi.waitFor(() => fetch(`http://127.0.0.1:${plain}/`, { redirect: 'manual' }), { timeout: 10_000 })
    },
    serveFrom(path) {
      machine = path
    },
    curlHome: home,
    port: tls,
    certificate: () => readFileSync(certificate, 'utf8'),
    close() {
      child?.kill('SIGTERM')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Callers that create users one after the other, through nginx, on keep-alive connections. */
function startCallers({ port, certificate }: Nginx, apiKey: string, count: number) {
  const statuses = new Map<number | string, number>()
  let answers = 0
  const enough = new AbortController()
  let heard = () => {}
  const agent = new Agent({ keepAlive: true, maxSockets: count, ca: certificate(), servername: 'mfa.example.com' })

  const create = (username: string) =>
    new Promise<number | string>((resolve) => {
      const clientRequest = request(
        {
          agent,
          host: '127.0.0.1',
          port,
          method: 'POST',
          path: '/api/users',
          headers: { host: 'mfa.example.com', authorization: `Service key="${apiKey}"` },
        },
        (answer) => void answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
      )
      clientRequest.on('error', (error) => resolve(error.message))
      clientRequest.end(JSON.stringify(newUser(username)))
    })

  async function call(caller: number): Promise<void> {
    for (let number = 0; !enough.signal.aborted; number += 1) {
      const status = await create(`load-${caller}-${number}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      answers += 1
      heard()
    }
  }
  const calling = Promise.all(Array.from({ length: count }, (_, caller) => call(caller)))
  return {
    answered(more: number): Promise<void> {
      const targetCount = answers + more
      return new Promise((resolve) => {
        heard = () => {
          if (answers >= targetCount) resolve()
        }
      })
    },
    async stop() {
      enough.abort()
      await calling
      agent.destroy()
      return statuses
    },
  }
}

/** What the Dockerfile does, step by step, without Docker. */
async function buildLikeDocker(parent: string) {
  const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ').split('\n')
  const value = (name: string) => lines.findLast((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? ''
  const [build, install] = [join(parent, 'build'), join(parent, 'image')]
  const runs = lines.filter((line) => line.startsWith('RUN ')).map((line) => line.slice(4))
  const [packages = '', compile = '', production = ''] = runs
  const allowed = readFileSync(join(root, '.dockerignore'), 'utf8').matchAll(/^!(.+)$/gm)
  mkdirSync(build, { recursive: true })
  mkdirSync(join(install, 'scripts'), { recursive: true })
  for (const [, path = ''] of allowed) execFileSync('cp', ['-r', join(root, path), build])
  for (const path of ['package.json', 'package-lock.json', '.npmrc']) execFileSync('cp', [join(root, path), install])
  execFileSync('cp', [join(root, 'scripts/production-dependencies.ts'), join(install, 'scripts')])
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }
  for (const [command, cwd] of [
    [packages, build],
    [compile, build],
    [production, install],
  ] as const) {
    await run('sh', ['-c', command], { cwd, env, maxBuffer: 1e8 })
  }
  for (const path of ['bin', 'dist']) execFileSync('cp', ['-r', join(build, path), install])
  // The image contains Node. The user of the image may have no access to the Node of the tests.
  const node = join(parent, 'node')
  execFileSync('cp', [process.execPath, node])
  const data = join(install, 'data')
  execFileSync('install', ['-d', '-m', '700', '-o', '10001', '-g', '10001', data])
  execFileSync('chmod', ['-R', 'go-w,a+rX', install])
  execFileSync('chmod', ['700', data])
  chmodSync(parent, 0o755)
  const [entry = '', ...entryArguments] = JSON.parse(value('ENTRYPOINT')) as string[]
  const [, health = '[]'] = /CMD (\[.+\])$/.exec(value('HEALTHCHECK')) ?? []
  expect(entry).toBe('node')
  return {
    folder: install,
    node,
    command: [...entryArguments, ...(JSON.parse(value('CMD')) as string[])],
    health: (JSON.parse(health) as string[]).slice(1),
    options: {
      cwd: install,
      uid: 10_001,
      gid: 10_001,
      env: { NODE_ENV: 'production', MFA_DATABASE: join(data, 'mfa.sqlite') },
    },
  }
}
