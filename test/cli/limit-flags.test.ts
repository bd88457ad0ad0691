import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'

import { serveCommand } from '../../src/cli/commands/serve.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { run } from './admin/run-command.ts'
import { start } from './command.ts'

/** Everything that `--help` prints, also what stands after the options. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
  return text
}

describe('the flags of second-factor serve', () => {
  const flags = new Map(serveCommand().options.map((option) => [option.attributeName(), option]))
  const help = helpOf(serveCommand())
  const limits = Object.entries(ServiceOptions.shape.limits.unwrap().shape)

  it.each(limits)(
    'a flag of second-factor serve sets the limit %s of createService(), with its default, unit and range in --help',
    (name, schema) => {
      const flag = flags.get(name)

      expect(flag?.long).toBe(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
      expect(flag?.defaultValue).toBe(schema.parse(undefined))
      expect(flag?.flags).toMatch(/ <[a-z]+>$/)
      expect(flag?.description).toMatch(/; (at least \d+|\d+ to \d+)$/)
    },
  )

  it('the flags of second-factor serve and the environment cover each option of createService() that is not code', () => {
    const reached: Record<keyof ServiceOptions, string | undefined> = {
      database: 'database',
      listenDatabase: 'listenDatabase',
      keys: 'MFA_KEYS',
      vendor: 'mediaType',
      // Code, which a command line cannot express.
      clock: undefined,
      random: undefined,
      // Lowered in tests only.
      pinHashCost: undefined,
      logger: 'logLevel',
      smtp: 'MFA_SMTP_URL',
      notify: 'MFA_NOTIFY_MAIL',
      authenticatorUrl: 'authenticatorUrl',
      push: 'pushSubject',
      auditRetention: 'auditRetention',
      approvalRetention: 'approvalRetention',
      bypassCodes: 'MFA_BYPASS_CODES',
      passkeys: 'refuseClonedPasskeys',
      console: 'consoleUrl',
      limits: 'requestsPerSecond',
      basePath: 'basePath',
      trustProxy: 'trustProxy',
      logRequests: 'logRequests',
      metrics: 'metricsPort',
    }
    const known = [...flags.keys(), ...help.matchAll(/MFA_\w+/g)].map(String)

    expect(Object.keys(reached).sort()).toEqual(Object.keys(ServiceOptions.shape).sort())
    expect(known).toEqual(expect.arrayContaining(Object.values(reached).filter((name) => name !== undefined)))
  })

  it('the flags of second-factor serve limit the requests per second of one API key', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-flags-'))
    const database = join(folder, 'mfa.sqlite')
    const { apiKey } = (await run('init', '--database', database, '--json')).json as { apiKey: string }
    const service = start('serve', '--database', database, '--port', '0', '--requests-per-second', '2')
    await service.printed(/listens/)
    const [origin = ''] = /http:[^ ]+/.exec(service.stdout()) ?? []

    const { headers } = await fetch(`${origin}/api/organization`, {
      headers: { authorization: `Service key="${apiKey}"` },
    })
    service.stop()
    await service.ended
    rmSync(folder, { recursive: true })

    expect(headers.get('ratelimit-policy')).toBe('"key";q=2;w=1')
  })
})
