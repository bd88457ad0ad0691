import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { startDoorService } from '../support/doors/door-service.ts'
import type { DoorService } from '../support/doors/door-service.ts'
import { requirePrograms, show } from '../support/doors/programs.ts'
import { startRadius } from '../support/doors/radius-server.ts'
import type { RadiusServer } from '../support/doors/radius-server.ts'
import { freePort } from '../support/service-nodes.ts'

const deployed = (name: string) => readFileSync(join(root, 'deploy/ssh', name), 'utf8')

let folder: string
let service: DoorService
let radius: Record<'challenge' | 'poll', RadiusServer>
let sshd: Awaited<ReturnType<typeof startSshd>>
let radiusSshd: Awaited<ReturnType<typeof startSshd>>
let pollSshd: Awaited<ReturnType<typeof startSshd>>
const ids: Record<string, string> = {}

beforeAll(async () => {
  requirePrograms(
    ['/usr/sbin/sshd', 'openssh-server'],
    ['ssh', 'openssh-client'],
    ['curl', 'curl'],
    ['script', 'bsdutils'],
    ['freeradius', 'freeradius'],
    ['/usr/lib/freeradius/rlm_rest.so', 'freeradius-rest'],
    ['/lib/x86_64-linux-gnu/security/pam_radius_auth.so', 'libpam-radius-auth'],
  )
  folder = mkdtempSync(join(tmpdir(), 'second-factor-ssh-'))
  chmodSync(folder, 0o755)
  service = await startDoorService({ type: 'PAM', numberMatching: 'offered', requestTimeout: 60 })
  for (const name of ['ann', 'ben', 'eve']) ids[name] = (await service.enroll(name)).id
  // pam_radius 2.0.0 sends no Message-Authenticator: only a client on the same machine may do without.
  const clients = 'client ssh {\n\tipaddr = 127.0.0.1\n\tsecret = testing123\n\trequire_message_authenticator = no\n}\n'
  const [challenge, poll] = await Promise.all([
    startRadius(service, { mode: 'challenge', clients }),
    startRadius(service, { mode: 'poll', clients }),
  ])
  radius = { challenge, poll }
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'hostkey')])
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'id')])
  sshd = await startSshd('key', { pam: deployed('pam-second-factor'), conf: deployed('sshd-second-factor.conf') })
  const conf = 'UsePAM yes\nKbdInteractiveAuthentication yes\nPasswordAuthentication no\nPubkeyAuthentication no\n'
  const pam = deployed('pam-second-factor-radius')
  radiusSshd = await startSshd('challenge', { pam, conf })
  pollSshd = await startSshd('poll', { pam, conf, port: poll.port })
})
afterAll(async () => {
  await sshd?.close()
  await radiusSshd?.close()
  await pollSshd?.close()
  await Promise.all(Object.values(radius ?? {}).map((server) => server.close()))
  await service?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

interface Settings {
  readonly pam: string
  readonly conf: string
  /** Of the RADIUS server. */
  readonly port?: number
}

/** A real sshd that sees, by mounts of its own, the users, PAM files and the script of this test. */
async function startSshd(name: string, { pam, conf, port: radiusPort = radius.challenge.port }: Settings) {
  const own = join(folder, name)
  const port = await freePort()
  mkdirSync(own)
  cpSync('/etc/pam.d', join(own, 'pam.d'), { recursive: true, verbatimSymlinks: true })
  const script = join(own, 'second-factor-pam')
  writeFileSync(script, deployed('second-factor-pam').replace('/etc/second-factor/pam.conf', join(own, 'pam.conf')))
  chmodSync(script, 0o755)
  writeFileSync(join(own, 'pam.conf'), ownSettings(deployed('pam.conf')), { mode: 0o600 })
  writeFileSync(
    join(own, 'pam_radius.conf'),
    deployed('pam_radius_auth.conf')
      .replace('127.0.0.1:1812', `127.0.0.1:${radiusPort}`)
      .replace('RADIUS-SECRET', 'testing123'),
    { mode: 0o600 },
  )
  writeFileSync(
    join(own, 'pam.d/second-factor'),
    pam
      .replaceAll('/usr/local/libexec/second-factor-pam', script)
      .replaceAll('/etc/pam_radius_auth.conf', join(own, 'pam_radius.conf')),
  )
  // As docs/doors.md says: the line of common-auth is replaced.
  const usual = readFileSync('/etc/pam.d/sshd', 'utf8')
  writeFileSync(join(own, 'pam.d/sshd'), usual.replace('@include common-auth', '@include second-factor'))
  const users = ['ann', 'ben', 'eve', 'emergency']
  const lines = users.map((user, index) => `${user}:x:${60_001 + index}:65534::/tmp:/bin/sh\n`).join('')
  writeFileSync(join(own, 'passwd'), readFileSync('/etc/passwd', 'utf8') + lines)
  writeFileSync(
    join(own, 'shadow'),
    readFileSync('/etc/shadow', 'utf8') + users.map((user) => `${user}:*:19000::::::\n`).join(''),
  )
  writeFileSync(
    join(own, 'sshd_config'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${folder}/hostkey\nPidFile none\nStrictModes no\n` +
      `AuthorizedKeysFile ${folder}/id.pub\n${conf.replace('192.0.2.0/24', '127.0.0.0/8')}`,
  )
  const mounts = [
    [join(own, 'pam.d'), '/etc/pam.d'],
    [join(own, 'passwd'), '/etc/passwd'],
    [join(own, 'shadow'), '/etc/shadow'],
  ]
  const commands = [
    'mkdir -p /run/sshd',
    ...mounts.map(([from, to]) => `mount --bind ${from} ${to}`),
    `exec /usr/sbin/sshd -D -e -f ${own}/sshd_config`,
  ]
  const child = spawn('unshare', ['--mount', 'sh', '-ec', commands.join('\n')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  const ended = new Promise((resolve) => child.on('exit', resolve))
  for (let tries = 0; !log.includes('Server listening'); tries += 1) {
    if (child.exitCode !== null || tries > 200) throw new Error(`sshd did not start: ${log}`)
    await pause(50)
  }
  return {
    port,
    log: () => log,
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const ownSettings = (text: string) =>
  text
    .replace('https://mfa.example/api', service.baseUrl)
    .replace('0123456789abcdef0123456789abcdef01234567', service.domainId)
    .replace('API-KEY', service.apiKey)
    .replace('/etc/ssl/certs/ca-certificates.crt', service.caFile)

/** ssh on a terminal of its own. @param type What the person types when the pattern is on the screen. */
async function ssh(
  port: number,
  user: string,
  type: readonly (readonly [pattern: RegExp, answer: (screen: string) => Promise<string> | string])[],
): Promise<string> {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'NumberOfPasswordPrompts=1',
  ]
  const command = `ssh ${options.map((option) => `-o ${option}`).join(' ')} -i ${folder}/id -p ${port} ${user}@127.0.0.1 'echo in as $(whoami)'`
  const child = spawn('script', ['-qefc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] })
  let screen = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text))
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  for (const [pattern, answer] of type) {
    while (!pattern.test(screen.slice(seen)) && child.exitCode === null) await pause(30)
    if (child.exitCode !== null) break
    const shown = screen.slice(seen)
    seen = screen.length
    child.stdin.write(`${await answer(shown)}\r`)
  }
  await ended
  return screen
}

const numberOn = (screen: string) => /Type (\d\d) on your phone/.exec(screen)?.[1]

/** The person types the number on the phone, then Enter. */
const approve = (user: string) => async (screen: string) => {
  await service.answer(user, 'approve', numberOn(screen))
  return ''
}

describe('ssh with deploy/ssh', () => {
  it('ssh logs in with a public key, the number on the phone and Enter', async () => {
    const before = service.pushes(ids['ann'] ?? '')
    const screen = await ssh(sshd.port, 'ann', [[/Password:/, approve('ann')]])

    show(screen)
    expect(screen).toMatch(/Type \d\d on your phone, then press Enter here[\s\S]*in as ann/)
    expect(service.pushes(ids['ann'] ?? '') - before).toBe(1)
  })

  it('ssh denies whom the phone denies', async () => {
    const screen = await ssh(sshd.port, 'ann', [
      [
        /Password:/,
        async () => {
          await service.answer('ann', 'deny')
          return ''
        },
      ],
    ])

    expect(screen).toMatch(/Type \d\d on your phone/)
    expect(screen).not.toContain('in as')
  })

  it('ssh accepts a recovery code once, and takes the request off the phone', async () => {
    const { code } = await service.client.bypassCodes.create(ids['ben'] ?? '', { usesAllowed: 1, expirationTime: 60 })

    const first = await ssh(sshd.port, 'ben', [[/Password:/, () => code ?? '']])
    const pending = await service.pending('ben')
    const second = await ssh(sshd.port, 'ben', [[/Password:/, () => code ?? '']])

    expect(first).toContain('in as ben')
    expect(pending).toEqual([])
    expect(second).toMatch(/Type \d\d on your phone/)
    expect(second).not.toContain('in as')
  })

  it('ssh asks nobody without the public key', async () => {
    const before = service.pushes(ids['eve'] ?? '')
    const own = join(folder, 'other')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', own])
    const options = '-o BatchMode=no -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes'

    const ended = await new Promise((resolve) => {
      const child = spawn('sh', ['-c', `exec ssh ${options} -i ${own} -p ${sshd.port} eve@127.0.0.1 true </dev/null`])
      child.on('exit', resolve)
    })

    expect(ended).not.toBe(0)
    expect(service.pushes(ids['eve'] ?? '')).toBe(before)
  })

  it('ssh with a password and pam_radius shows the number as a prompt', async () => {
    const screen = await ssh(radiusSshd.port, 'ann', [
      [/Password:/, () => 'pw'],
      [/Or type a code/, approve('ann')],
    ])

    show(screen)
    expect(screen).toMatch(/Type \d\d on your phone, then press Enter\. Or type a code: [\s\S]*in as ann/)
  })

  it('ssh with pam_radius goes through four questions of a RADIUS server that polls', async () => {
    let number: string | undefined
    const screen = await ssh(pollSshd.port, 'ann', [
      [/Password:/, () => 'pw'],
      [
        /Or type a code/,
        (shown) => {
          number = numberOn(shown)
          return ''
        },
      ],
      [/No answer yet/, () => ''],
      [/No answer yet/, () => ''],
      [
        /No answer yet/,
        async () => {
          await service.answer('ann', 'approve', number)
          return ''
        },
      ],
    ])

    show(screen)
    expect(screen.match(/No answer yet/g)).toHaveLength(3)
    expect(screen).toContain('in as ann')
  })

  it('ssh denies everybody but the emergency user while the service is down', async () => {
    await service.stop()

    const screens = [
      await ssh(sshd.port, 'ann', [[/Password:/, () => '']]),
      await ssh(radiusSshd.port, 'ann', [[/Password:/, () => 'pw']]),
      await ssh(sshd.port, 'emergency', []),
    ]

    expect(screens.map((screen) => /in as \w+/.exec(screen)?.[0])).toEqual([undefined, undefined, 'in as emergency'])
  })
})
