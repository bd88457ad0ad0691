import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { previewCode } from '../support/device-signer.ts'
import { run } from './admin/run-command.ts'
import { start } from './command.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'second-factor-limits-'))
let template: string
let folder: string
let database: string

beforeAll(async () => {
  template = newFolder()
  await run('init', '--database', join(template, 'mfa.sqlite'))
})
beforeEach(() => {
  folder = newFolder()
  database = join(folder, 'mfa.sqlite')
  cpSync(template, folder, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true }))
afterAll(() => rmSync(template, { recursive: true }))

/** The service as its operator starts it. */
async function serve(...args: string[]) {
  const service = start('serve', '--database', database, '--port', '0', ...args)
  await service.printed(/listens/)
  const [origin = ''] = /http:[^ ]+/.exec(service.stdout()) ?? []
  return {
    origin,
    guess: async (from: string) => (await previewCode(origin, 'aaaaaaaaaa', { 'x-forwarded-for': from })).status,
    /** Lines of its log. */
    end: async () => {
      service.stop()
      const { stderr } = await service.ended
      return stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    },
  }
}

describe('second-factor serve behind a proxy', () => {
  it('second-factor serve behind a proxy limits and audits the phone’s address with --trust-proxy', async () => {
    const { guess, end } = await serve('--trust-proxy', 'loopback', '--tries-per-address', '2')
    const statuses: number[] = []
    for (const from of ['192.0.2.7', '192.0.2.7', '192.0.2.7', '192.0.2.8']) statuses.push(await guess(from))
    await end()

    const { stdout } = await run('audit', 'export', '--database', database)

    const failed = stdout.split('\n').filter((line) => line.includes('activation.failed'))
    expect(statuses).toEqual([404, 404, 429, 404])
    expect(failed.map((line) => (JSON.parse(line) as { address: string }).address)).toEqual([
      '192.0.2.7',
      '192.0.2.7',
      '192.0.2.7',
      '192.0.2.8',
    ])
  })

  it('second-factor serve ignores the X-Forwarded-For header without --trust-proxy', async () => {
    const { guess, end } = await serve('--tries-per-address', '2')
    const statuses = [await guess('192.0.2.7'), await guess('192.0.2.8'), await guess('192.0.2.9')]
    await end()

    expect(statuses).toEqual([404, 404, 429])
  })

  it.each([
    ['--trust-proxy', 'everybody'],
    ['--trust-proxy', '0.0.0.0/0'],
    ['--tries-per-address', '0'],
    ['--tries-per-service', 'many'],
    ['--tries-alert', '-1'],
    ['--pushed-users-per-address', '1.5'],
    ['--requests-per-second', '1e3'],
    ['--audit-retention', '36501'],
  ])('second-factor serve refuses %s %s in one line that names the option and its range', async (flag, value) => {
    const { code, stderr } = await run('serve', '--database', database, flag, value)

    expect([code, stderr]).toEqual([2, expect.stringMatching(/^.*Expected.*\d.*\n$|^.*It .*\n$/)])
    expect(stderr).toContain(flag)
  })
})

describe('the log of second-factor serve at its default level', () => {
  it('the default log of second-factor serve has audit heads, and a warning for a rejected API key without the key', async () => {
    const key = 'Zq9'.repeat(21) + 'x'
    const { origin, end } = await serve()
    for (let round = 0; round < 3; round += 1) {
      await fetch(`${origin}/api/organization`, { headers: { authorization: `Contoso key="${key}"` } })
    }

    const lines = await end()

    const linesWith = (message: string) => lines.filter(({ msg }) => msg === message)
    expect(linesWith('no valid API key')).toEqual([
      expect.objectContaining({
        level: 40,
        address: '127.0.0.1',
        reason: 'other_scheme',
        scheme: 'Contoso',
        wanted: { scheme: 'Service', mediaType: 'application/vnd.service.v1+json' },
      }),
    ])
    expect(linesWith('more requests without a valid API key')).toEqual([
      expect.objectContaining({ level: 40, count: 2 }),
    ])
    expect(linesWith('audit head')).toEqual([
      expect.objectContaining({ sequence: 2, hash: expect.stringMatching(/^\w{64}$/) }),
    ])
    expect(linesWith('request')).toEqual([])
    expect(JSON.stringify(lines)).not.toContain(key.slice(0, 8))
  })

  it('the log of second-factor serve contains each request with --log-requests', async () => {
    const { origin, end } = await serve('--log-requests')
    await fetch(`${origin}/api/organization`)

    expect((await end()).filter(({ msg }) => msg === 'request')).toHaveLength(1)
  })
})
