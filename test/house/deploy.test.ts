import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { serveCommand } from '../../src/cli/commands/serve.ts'
import { stockFileLimit } from '../../src/admin-contract/stock-limits.ts'
import { synchronizeMembers } from '../../src/contract/domains.ts'
import { routes } from '../../src/service/routes/rest.ts'
import { readBlocks } from '../support/operations/page.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Seconds, as `serve` has it without an option. */
const drain: number = serveCommand().options.find(({ long }) => long === '--drain-seconds')?.defaultValue

describe('deploy/nginx.conf', () => {
  const conf = read('deploy/nginx.conf')
  /** The value of a directive in a block of the file. */
  const valueIn = (block: string, name: string) => new RegExp(`^ *${name} (.+);$`, 'm').exec(block)?.[1]
  const [, upstream = ''] = /^upstream \S+ \{\n([\s\S]*?)^\}/m.exec(conf) ?? []
  const [, pattern = '', synchronization = ''] = /location ~ (\S+) \{\n([\s\S]*?)^ {4}\}/m.exec(conf) ?? []
  const [, everything = ''] = /location \/ \{\n([\s\S]*?)^ {4}\}/m.exec(conf) ?? []
  const pathOf = (path: string) => `/api${path.replaceAll(/:\w+/g, 'f'.repeat(40))}`

  it('nginx.conf closes connections to the service before a drain ends', () => {
    const seconds = Number(/^(\d+)s$/.exec(valueIn(upstream, 'keepalive_timeout') ?? '')?.[1])

    expect(drain).toBeGreaterThan(0)
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThan(drain)
  })

  it('nginx.conf sends a request that a draining node did not take to another node', () => {
    expect(valueIn(everything, 'proxy_next_upstream')).toBe('error timeout http_503 non_idempotent')
  })

  it('nginx.conf sends a synchronization once, without buffering it', () => {
    expect(pathOf(synchronizeMembers.path)).toMatch(new RegExp(pattern))
    expect(valueIn(synchronization, 'proxy_next_upstream')).toBe('off')
    expect(valueIn(synchronization, 'proxy_request_buffering')).toBe('off')
  })

  it('nginx.conf treats no other change as a synchronization', () => {
    const changes = routes.map(({ endpoint }) => endpoint).filter(({ method }) => method !== 'GET')
    const matching = changes.filter(({ path }) => new RegExp(pattern).test(pathOf(path)))

    expect(matching).toEqual([synchronizeMembers])
  })

  it('nginx.conf allows a synchronization to be as large as the service does', () => {
    const megabytes = Number(/^(\d+)m$/.exec(valueIn(synchronization, 'client_max_body_size') ?? '')?.[1])

    expect(megabytes * 1024 * 1024).toBeGreaterThanOrEqual(synchronizeMembers.bodyLimit ?? Infinity)
  })

  it('nginx.conf allows a file of hardware tokens to be as large as the console does', () => {
    const megabytes = Number(/^(\d+)m$/.exec(valueIn(everything, 'client_max_body_size') ?? '')?.[1])

    expect(megabytes * 1024 * 1024).toBeGreaterThanOrEqual(stockFileLimit)
  })

  it('nginx.conf passes event streams on at once, and waits for held requests', () => {
    expect(valueIn(conf, 'proxy_buffering')).toBe('off')
    // `Prefer: wait=60` is the longest.
    expect(Number(/^(\d+)s$/.exec(valueIn(conf, 'proxy_read_timeout') ?? '')?.[1])).toBeGreaterThan(60)
  })

  it('nginx.conf overwrites the headers about the origin of a request', () => {
    expect(valueIn(conf, 'proxy_set_header X-Forwarded-For')).toBe('$remote_addr')
  })

  it('nginx.conf differs in containers only by the address of the service', () => {
    const address = /ipv4_address: (\S+)/.exec(services(read('compose.yaml'))['second-factor'] ?? '')?.[1]

    expect(read('deploy/nginx-compose.conf')).toBe(conf.replace('127.0.0.1:8787', `${address}:8787`))
  })
})

describe('examples/single-page-app/nginx.conf', () => {
  it('the nginx.conf of the example overwrites the headers that Express believes from a proxy', () => {
    const lines = read('examples/single-page-app/nginx.conf').split('\n')

    for (const header of ['X-Forwarded-For $remote_addr', 'X-Forwarded-Host $http_host', 'X-Forwarded-Proto $scheme']) {
      expect(lines).toContain(`  proxy_set_header ${header};`)
    }
  })
})

describe('deploy/second-factor@.service', () => {
  it('the template for several processes of a machine is the unit with a socket and a metrics port for each', () => {
    const template = read('deploy/second-factor.service')
      .replace(/^Description=.*$/m, '$& on port %i')
      .replaceAll('second-factor.socket', 'second-factor@%i.socket')
      .replace(/^ExecStart=.*$/m, '$& --metrics-port 1%i')
    const socket = read('deploy/second-factor.socket')
      .replace(/^Description=.*$/m, '$& on port %i')
      .replace(':8787', ':%i')

    expect(read('deploy/second-factor@.service')).toBe(template)
    expect(read('deploy/second-factor@.socket')).toBe(socket)
  })
})

describe('deploy/second-factor.service', () => {
  const unit = read('deploy/second-factor.service')

  it('the systemd unit waits for a drain to end before it kills the service', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(drain + 15)
  })

  it('the systemd unit runs as an unprivileged user that can write only to its own data', () => {
    for (const line of [
      'User=second-factor',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
    ]) {
      expect(unit.split('\n')).toContain(line)
    }
    expect(unit).not.toContain('ReadWritePaths')
  })

  it('the systemd unit keeps its socket over a restart', () => {
    expect(unit.split('\n')).toContain('Requires=second-factor.socket')
    expect(unit).toMatch(/^ExecStart=\/usr\/local\/bin\/node /m)
  })
})

describe('docs/high-availability.md', () => {
  const files = readBlocks(read('docs/high-availability.md')).filter((block) => block.class === 'file')

  it.each(files)('docs/high-availability.md shows $file exactly', ({ file = '', code }) => {
    expect(`${code}\n`).toBe(read(file))
  })

  it('docs/high-availability.md shows all files of the cluster', () => {
    const names = [
      'etcd.env',
      'haproxy.cfg',
      'patroni.yml',
      'pgbouncer.ini',
      'prometheus-cluster.yml',
      'second-factor-postgres-backup',
      'second-factor-postgres-backup.service',
      'second-factor-postgres-backup.timer',
    ]

    expect(new Set(files.map(({ file }) => file))).toEqual(new Set(names.map((name) => `deploy/${name}`)))
  })
})

describe('the files of the cluster', () => {
  const patroni = read('deploy/patroni.yml')
  const haproxy = read('deploy/haproxy.cfg')
  const secondsOf = (text: string, name: string) => Number(new RegExp(`\\b${name}:? (\\d+)`).exec(text)?.[1])

  it('Patroni promotes only standbys that have every acknowledged change', () => {
    expect(patroni).toMatch(/^ {4}synchronous_mode: true$/m)
  })

  it('HAProxy closes the connections of a frozen primary before Patroni can promote another member', () => {
    const oneCheck = secondsOf(haproxy, 'inter') + secondsOf(haproxy, 'timeout check')
    const fenced = secondsOf(haproxy, 'inter') + secondsOf(haproxy, 'fall') * oneCheck

    expect(haproxy).toMatch(/ on-marked-down shutdown-sessions$/m)
    expect(fenced).toBeLessThan(secondsOf(patroni, 'ttl') - secondsOf(patroni, 'loop_wait'))
  })

  it('a reload of HAProxy ends connections that are no longer checked', () => {
    expect(secondsOf(haproxy, 'hard-stop-after')).toBeLessThan(secondsOf(patroni, 'ttl'))
  })

  it('Patroni gives up the lock before it ends', () => {
    const needed = secondsOf(patroni, 'loop_wait') + 2 * secondsOf(patroni, 'retry_timeout')

    expect(needed).toBeLessThanOrEqual(secondsOf(patroni, 'ttl'))
  })

  it('PgBouncer does not make a failover longer', () => {
    expect(/^server_login_retry = (\d+)$/m.exec(read('deploy/pgbouncer.ini'))?.[1]).toBe('1')
  })
})

describe('Dockerfile', () => {
  const lines = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const values = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))

  it('the Dockerfile pins the Node major version of the tests', () => {
    const major = JSON.parse(read('package.json')).devDependencies.node.split('.')[0]

    expect(new Set(values('FROM').map((value) => value.split(' ')[0]))).toEqual(
      new Set([`node:${major}-bookworm-slim`]),
    )
  })

  it('the Dockerfile runs the service as a user who owns only the data', () => {
    expect(values('USER')).toEqual(['10001:10001'])
    expect(values('VOLUME')).toEqual(['/data'])
    expect(lines.filter((line) => line.includes('10001'))).toHaveLength(2)
  })

  it('the Dockerfile passes signals to Node directly', () => {
    for (const value of [...values('ENTRYPOINT'), ...values('CMD')]) expect(JSON.parse(value)).toBeInstanceOf(Array)
    expect(JSON.parse(values('ENTRYPOINT')[0] ?? '')[0]).toBe('node')
  })

  it('the Docker container is healthy when the service is ready', () => {
    const [, command = ''] = /CMD (\[.+\])$/.exec(values('HEALTHCHECK')[0] ?? '') ?? []

    expect(JSON.parse(command)[2]).toContain('http://127.0.0.1:8787/readyz')
  })

  it('the Docker build gets only the files that it reads', () => {
    const [first, ...exceptions] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))

    expect(first).toBe('*')
    expect(exceptions.every((line) => line.startsWith('!'))).toBe(true)
  })
})

describe('compose.yaml', () => {
  const text = read('compose.yaml')
  const all = Object.entries(services(text))

  it.each(all)('compose.yaml gives %s no privileges and a read-only file system', (_name, service) => {
    expect(service).toMatch(/^ {4}read_only: true$/m)
    expect(service).toMatch(/^ {4}cap_drop:\n {6}- ALL$/m)
    expect(service).toMatch(/^ {4}security_opt:\n {6}- no-new-privileges:true$/m)
    expect(service).not.toContain('privileged: true')
  })

  it.each(all)('compose.yaml gives %s no secret in its environment', (_name, service) => {
    const secrets = [...service.matchAll(/^ {6}(\w*(?:PASSWORD|KEYS|DATABASE|TOKEN|URL)\w*): (.*)$/gm)]

    expect(secrets.filter(([, name = '', value]) => !name.endsWith('_FILE') && value !== "''")).toEqual([])
  })

  it('compose.yaml waits for a drain to end before it kills the service', () => {
    const seconds = Number(/stop_grace_period: (\d+)s/.exec(services(text)['second-factor'] ?? '')?.[1])

    expect(seconds).toBeGreaterThan(drain + 15)
  })

  it('the service in compose.yaml trusts only the address of its nginx', () => {
    const nginx = /ipv4_address: (\S+)/.exec(services(text)['nginx'] ?? '')?.[1]

    expect(services(text)['second-factor']).toContain(`'--trust-proxy', '${nginx}'`)
  })
})

/** Each service by its name, as text. */
function services(compose: string): Readonly<Record<string, string>> {
  const [, section = ''] = /^services:\n([\s\S]*?)^\w/m.exec(compose) ?? []
  const parts = section.split(/^ {2}(?=\w)/m).filter((part) => part.trim() !== '')
  return Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf(':')), part]))
}
