import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { root } from '../../scripts/run.ts'
import { startDoorService } from '../support/doors/door-service.ts'
import type { DoorService } from '../support/doors/door-service.ts'
import { requirePrograms, show } from '../support/doors/programs.ts'
import { freePort } from '../support/service-nodes.ts'

const deployed = (name: string) => readFileSync(join(root, 'deploy/openvpn', name), 'utf8')

const people = ['ann', 'ben', 'cyd', 'dan', 'eve']
/** A limit that systemd sets for the server. */
const limit = (name: string) =>
  Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(deployed('second-factor-limits.conf'))?.[1])

let folder: string
let service: DoorService
let server: Running
let port: number
const ids: Record<string, string> = {}

interface Running {
  readonly log: () => string
  readonly printed: (pattern: RegExp) => Promise<void>
  readonly ended: Promise<void>
  readonly stop: () => Promise<void>
}

function openvpn(file: string): Running {
  return run('openvpn', ['--config', file])
}

function run(program: string, args: readonly string[]): Running {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (log += text))
  }
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  return {
    log: () => log,
    async printed(pattern) {
      for (const end = Date.now() + 40_000; !pattern.test(log); await pause(50)) {
        if (child.exitCode !== null || Date.now() > end) throw new Error(`no ${pattern} in:\n${log}`)
      }
    },
    ended,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

beforeAll(async () => {
  requirePrograms(['openvpn', 'openvpn'], ['curl', 'curl'], ['openssl', 'openssl'], ['prlimit', 'util-linux'])
  folder = mkdtempSync(join(tmpdir(), 'second-factor-openvpn-'))
  service = await startDoorService({ type: 'RADIUS', numberMatching: 'offered', requestTimeout: 60 })
  for (const name of people) ids[name] = (await service.enroll(name)).id
  createCertificates()
  port = await freePort()
  mkdirSync(join(folder, 'tmp'))
  const script = join(folder, 'second-factor-auth')
  const spy = join(folder, 'spy')
  const place = (text: string) =>
    text
      .replaceAll('/etc/openvpn/', `${folder}/`)
      .replaceAll('/usr/local/libexec/second-factor-auth', script)
      .replaceAll('/run/second-factor-openvpn', `${folder}/tmp`)
      .replace('https://mfa.example/api', service.baseUrl)
      .replace('0123456789abcdef0123456789abcdef01234567', service.domainId)
      .replace('API-KEY', service.apiKey)
      .replace('/etc/ssl/certs/ca-certificates.crt', service.caFile)
      .replace('user openvpn', 'user nobody')
      .replace('group openvpn', 'group nogroup')
      .replace('port 1194', `port ${port}\nlocal 127.0.0.1`)
      .replace('reneg-sec 3600', 'reneg-sec 30')
  writeFileSync(script, place(deployed('second-factor-auth')), { mode: 0o755 })
  writeFileSync(spy, `#!/bin/sh\ncat "$1" >>${folder}/typed\nexec ${script} "$1"\n`, { mode: 0o755 })
  writeFileSync(
    join(folder, 'second-factor.conf'),
    place(deployed('second-factor.conf')).replace('Office', 'Head Office'),
    { mode: 0o600 },
  )
  writeFileSync(join(folder, 'typed'), '')
  writeFileSync(
    join(folder, 'server.conf'),
    place(deployed('server.conf')).replace(`${script} via-file`, `${spy} via-file`),
  )
  execFileSync('openvpn', ['--genkey', 'auth-token', join(folder, 'auth-token.key')])
  for (const readable of [folder, service.folder]) chmodSync(readable, 0o755)
  const [nobody = 0, nogroup = 0] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'nobody']).toString()))
  for (const name of ['tmp', 'typed', 'second-factor.conf']) chownSync(join(folder, name), nobody, nogroup)
  const limits = `--nproc=${limit('LimitNPROC')}`
  server = run('prlimit', [limits, 'openvpn', '--config', join(folder, 'server.conf')])
  await server.printed(/Initialization Sequence Completed/)
}, 60_000)
afterAll(async () => {
  await server?.stop()
  await service?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

function createCertificates(): void {
  const openssl = (command: string) =>
    execFileSync('sh', ['-ec', `cd ${folder} && openssl ${command} 2>openssl.log`], { stdio: 'inherit' })
  const authority = 'basicConstraints=critical,CA:TRUE'
  openssl(`req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=CA -keyout ca.key -out ca.crt -addext ${authority}`)
  for (const [file, name, usage] of [
    ['server', 'vpn.example', 'serverAuth'],
    ...people.map((user) => [user, user, 'clientAuth'] as const),
  ] as const) {
    const extensions = `keyUsage=digitalSignature\nextendedKeyUsage=${usage}\n`
    writeFileSync(join(folder, 'extensions'), extensions)
    openssl(`req -newkey rsa:2048 -nodes -subj /CN=${name} -keyout ${file}.key -out request.pem`)
    openssl(
      `x509 -req -in request.pem -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out ${file}.crt`,
    )
  }
}

/** A real client. @param certificate Whose. */
function connect(user: string, { password = 'push', certificate = user, more = '' } = {}): Running {
  const file = join(folder, `${user}-${certificate}-client.ovpn`)
  writeFileSync(join(folder, `${user}.login`), `${user}\n${password}\n`, { mode: 0o600 })
  const text = deployed('client.ovpn')
    // Only the server has a device: otherwise its packets would not leave this machine.
    .replace('dev tun', 'dev null\nifconfig-noexec\nroute-noexec')
    .replace('remote vpn.example 1194', `remote 127.0.0.1 ${port}\nnobind\nconnect-retry-max 1`)
    .replace('cert client.crt', `cert ${certificate}.crt`)
    .replace('key client.key', `key ${certificate}.key`)
    .replace(/^auth-user-pass$/m, `auth-user-pass ${user}.login\nauth-retry none`)
  writeFileSync(file, `${text}\n${more}`)
  const client = openvpn(file)
  onTestFinished(() => client.stop())
  return client
}

/** The newest token that a client of this user has sent in place of a password, when it renegotiated. */
async function tokenOf(user: string): Promise<string> {
  for (const end = Date.now() + 40_000; Date.now() < end; await pause(100)) {
    const typed = readFileSync(join(folder, 'typed'), 'utf8')
    const tokens = [...typed.matchAll(new RegExp(`^${user}\\n(SESS_ID.*)$`, 'gm'))]
    const [, token] = tokens.at(-1) ?? []
    if (token) return token
  }
  throw new Error(`${user} has sent no token`)
}

/** The request on the phone of a user, once it is there. */
async function requestOf(user: string) {
  for (const end = Date.now() + 20_000; Date.now() < end; await pause(50)) {
    const [request] = await service.pending(user)
    if (request) return request
  }
  throw new Error(`no request reached the phone of ${user}`)
}

const pushes = (user: string) => service.pushes(ids[user] ?? '')

describe('OpenVPN with deploy/openvpn', () => {
  it('OpenVPN connects after the phone has approved, serves others meanwhile, and asks nobody when it renegotiates', async () => {
    const [before, beforeBen] = [pushes('ann'), pushes('ben')]
    const waiting = connect('ben')
    const client = connect('ann')
    await service.answer('ann', 'approve')
    await client.printed(/Initialization Sequence Completed/)
    const benStillWaits = !waiting.log().includes('Initialization Sequence Completed')
    await service.answer('ben', 'approve')
    await waiting.printed(/Initialization Sequence Completed/)
    // A renegotiation, and then data that keeps the connection.
    await server.printed(/ann\/.*soft reset[\s\S]*ann\/.*(Control Channel|Data Channel)/)
    await server.printed(/ben\/.*soft reset/)
    await pause(2_000)

    const resets = server.log().match(/^.*(ann|ben)\/.*soft reset.*$/gm) ?? []
    show(
      server
        .log()
        .match(/^.*TLS: Username.*$/gm)
        ?.join('\n'),
      `\n${resets.length} renegotiations`,
    )
    expect(benStillWaits).toBe(true)
    expect(resets.length).toBeGreaterThan(0)
    expect(client.log()).not.toContain('AUTH_FAILED')
    expect([pushes('ann') - before, pushes('ben') - beforeBen]).toEqual([1, 1])
  })

  it('OpenVPN asks people while many others have not answered, within the limits of its systemd unit', async () => {
    const clients = people.map((user) => connect(user))
    const asked = await Promise.all(people.map((user) => requestOf(user)))
    for (const user of people) await service.answer(user, 'approve')
    await Promise.all(clients.map((client) => client.printed(/Initialization Sequence Completed/)))

    expect(limit('TasksMax')).toBe(limit('LimitNPROC'))
    expect(asked.map((request) => JSON.stringify(request).includes('Head Office'))).toEqual(people.map(() => true))
  })

  it('OpenVPN tells whom the phone denies that the second factor was not approved', async () => {
    const client = connect('ann')
    await service.answer('ann', 'deny')
    await client.ended

    expect(client.log()).toMatch(/AUTH_FAILED.*The second factor was not approved/)
    expect(client.log()).not.toContain('Initialization Sequence Completed')
  })

  it('OpenVPN accepts a recovery code in place of the password once', async () => {
    const { code = '' } = await service.client.bypassCodes.create(ids['ben'] ?? '', {
      usesAllowed: 1,
      expirationTime: 60,
    })
    const before = pushes('ben')

    const first = connect('ben', { password: code })
    await first.printed(/Initialization Sequence Completed/)
    await first.stop()
    const second = connect('ben', { password: code })
    await second.ended

    expect(second.log()).toContain('AUTH_FAILED')
    expect(pushes('ben')).toBe(before)
  })

  it('OpenVPN asks nobody for a person with the certificate of another', async () => {
    const before = pushes('ann')
    const client = connect('ann', { certificate: 'ben' })
    await client.ended

    expect(client.log()).toContain('AUTH_FAILED')
    expect(pushes('ann')).toBe(before)
  })

  it('OpenVPN accepts a token only with the certificate of the person who got it', async () => {
    const first = connect('ben', { more: 'reneg-sec 5' })
    await service.answer('ben', 'approve')
    await first.printed(/Initialization Sequence Completed/)
    const token = await tokenOf('ben')
    await first.stop()
    const before = [pushes('ann'), pushes('ben')]

    const stolen = connect('ben', { certificate: 'ann', password: token })
    // A client that connects does not end.
    await Promise.race([stolen.ended, stolen.printed(/Initialization Sequence Completed/)])
    const changed = connect('ben', { password: `${token.slice(0, -8)}AAAAAAAA` })
    await changed.ended
    const own = connect('ben', { password: token })
    await own.printed(/Initialization Sequence Completed/)

    expect([stolen.log(), changed.log()].map((log) => log.includes('AUTH_FAILED'))).toEqual([true, true])
    expect([pushes('ann'), pushes('ben')]).toEqual(before)
  })

  it('OpenVPN connects nobody while the service is down', async () => {
    await service.stop()
    const client = connect('ann')
    await client.ended

    expect(client.log()).toContain('AUTH_FAILED')
  })
})
