import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { root } from '../../../scripts/run.ts'
import { freePort } from '../service-nodes.ts'
import type { DoorService } from './door-service.ts'

export interface RadiusServer {
  readonly port: number
  readonly log: () => string
  readonly close: () => Promise<void>
}

export interface RadiusSettings {
  readonly mode: 'poll' | 'challenge' | 'direct'
  readonly wait?: number
  readonly users?: string
  readonly clients?: string
  /** Changes a file that was installed, by its path. */
  readonly change?: (text: string, path: string) => string
}

/** FreeRADIUS with the configuration of Debian, and the files of deploy/freeradius as docs/doors.md installs them. */
export async function startRadius(service: DoorService, settings: RadiusSettings): Promise<RadiusServer> {
  const { mode, wait = 25, users = everyone, clients = localClient, change = (text) => text } = settings
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-radius-'))
  const raddb = join(folder, 'raddb')
  const port = await freePort()
  cpSync('/etc/freeradius/3.0', raddb, { recursive: true, verbatimSymlinks: true })
  for (const name of readdirSync(join(raddb, 'sites-enabled'))) rmSync(join(raddb, 'sites-enabled', name))
  rmSync(join(raddb, 'mods-enabled/eap'))
  const installed = {
    'second-factor/dictionary': 'second-factor/dictionary',
    'second-factor/service.conf': 'second-factor/service.conf',
    'second-factor/settings.conf': 'second-factor/settings.conf',
    'mods-available/second_factor': 'mods-enabled/second_factor',
    'policy.d/second_factor': 'policy.d/second_factor',
    'sites-available/second-factor': 'sites-enabled/second-factor',
  }
  cpSync(join(root, 'deploy/freeradius/second-factor'), join(raddb, 'second-factor'), { recursive: true })
  for (const [source, target] of Object.entries(installed)) {
    const text = readFileSync(join(root, 'deploy/freeradius', source), 'utf8')
    writeFileSync(join(raddb, target), change(substitute(text), source), { mode: 0o600 })
  }
  appendFileSync(join(raddb, 'dictionary'), '$INCLUDE second-factor/dictionary\n')
  writeFileSync(join(raddb, 'clients.conf'), clients)
  writeFileSync(join(raddb, 'mods-config/files/authorize'), users)
  const radiusd = join(raddb, 'radiusd.conf')
  writeFileSync(radiusd, ownFolders(readFileSync(radiusd, 'utf8')))

  function substitute(text: string): string {
    return text
      .replaceAll('https://mfa.example/api', service.baseUrl)
      .replaceAll('0123456789abcdef0123456789abcdef01234567', service.domainId)
      .replaceAll('/etc/ssl/certs/ca-certificates.crt', service.caFile)
      .replaceAll('API-KEY', service.apiKey)
      .replaceAll('STATE-SECRET', 'f00d'.repeat(16))
      .replace('mode = "challenge"', `mode = "${mode}"`)
      .replace('wait = 25', `wait = ${wait}`)
      .replace('port = 1812', `port = ${port}`)
      .replace('ipaddr = *', 'ipaddr = 127.0.0.1')
  }

  function ownFolders(text: string): string {
    return text
      .replaceAll(/^\t(user|group) = freerad$/gm, '')
      .replace(/^logdir = .*$/m, `logdir = ${folder}`)
      .replace(/^run_dir = .*$/m, `run_dir = ${folder}`)
      .replace(/^db_dir = .*$/m, `db_dir = ${folder}`)
      .replace(/^raddbdir = .*$/m, `raddbdir = ${raddb}`)
      .replace(/^\tauth = no$/m, '\tauth = yes')
  }

  const logFile = join(folder, 'radius.log')
  writeFileSync(logFile, '')
  const log = () => readFileSync(logFile, 'utf8')
  const child = spawn('freeradius', ['-f', '-d', raddb, '-l', logFile], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  while (!log().includes('Ready to process requests')) {
    if (child.exitCode !== null) throw new Error(`FreeRADIUS did not start:\n${log()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    port,
    log,
    async close() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const localClient = `
client local {
	ipaddr = 127.0.0.1
	secret = testing123
	require_message_authenticator = yes
}
`
/** Everybody has the password "pw", and an attribute that comes with the Accept. */
const everyone = `
DEFAULT Cleartext-Password := "pw"
	Filter-Id := "staff"
`
