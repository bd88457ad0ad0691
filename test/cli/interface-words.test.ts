import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { createService } from '../../src/service/index.ts'
import type { ServiceOptions } from '../../src/service/index.ts'
import { serve } from '../processes/command.ts'
import { mainEngines, useEngine } from '../support/engines.ts'
import { keysFor } from '../service/start-service.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { run } from './admin/run-command.ts'

let folder: string
let database: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-words-'))
  database = join(folder, 'mfa.sqlite')
  vi.stubEnv('MFA_DATABASE', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

async function served(options: ServiceOptions) {
  const service = await createService({ push: false, ...options })
  onTestFinished(() => service.close())
  return { ...service.vendor, basePath: service.basePath }
}

describeInFullRun.each(mainEngines)('the words that init stores, on %s', (engine) => {
  const newDatabase = useEngine(engine)

  it('the interface words that init stores are used by every service on the database by default', async () => {
    const place = await newDatabase()
    const keys = keysFor(place)
    vi.stubEnv('MFA_KEYS', keys.keys)
    const words = ['--scheme', 'Acme', '--media-type', 'acme', '--base-path', '/mfa/api']

    await run('init', '--database', place, ...words)

    const stored = { scheme: 'Acme', mediaType: 'acme', basePath: '/mfa/api' }
    expect(await served({ database: place, ...keys })).toEqual(stored)
    expect(await served({ database: place, ...keys, basePath: '', vendor: { scheme: 'Other' } })).toEqual({
      ...stored,
      basePath: '',
      scheme: 'Other',
    })
  })
})

describe('the words of the REST interface', () => {
  inFullRun('the words of the REST interface are Service, service and /api by default', async () => {
    await run('init', '--database', database)

    expect(await served({ database })).toEqual({ scheme: 'Service', mediaType: 'service', basePath: '/api' })
  })

  inFullRun('the words of the REST interface stay stored when init adds an organization', async () => {
    await run('init', '--database', database, '--scheme', 'Acme', '--media-type', 'acme')
    await run('init', '--database', database, '--organization', 'B', '--media-type', 'other')
    await run('init', '--database', database, '--organization', 'C')

    expect(await served({ database })).toEqual({ scheme: 'Acme', mediaType: 'other', basePath: '/api' })
  })

  inFullRun(
    'the words of the REST interface come from an option, then the environment, then the database',
    async () => {
      const words = ['--scheme', 'Stored', '--media-type', 'stored', '--base-path', '/stored']
      const { json } = await run('init', '--database', database, ...words, '--json')
      const env = { MFA_MEDIA_TYPE: 'env', MFA_BASE_PATH: '/env' }
      const running = await serve(database, env, ['--base-path', '/given'])
      onTestFinished(() => running.kill())

      const headers = { authorization: `Stored key="${json.apiKey}"` }
      const response = await fetch(`${running.origin}/given/organization`, { headers })

      expect(running.stdout()).toContain(`REST interface at ${running.origin}/given)`)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/vnd.env.v1+json'])
      expect(await running.stop()).toBe(0)
    },
  )

  it.each([
    ['--scheme', 'two words', 'RFC 9110'],
    ['--media-type', 'a/b', 'RFC 6838'],
    ['--base-path', 'api', 'must begin with a slash'],
  ])(
    'an invalid word of the REST interface is refused with the name of its option: %s %s',
    async (option, value, reason) => {
      const { stderr, code } = await run('init', '--database', database, option, value)

      expect(code).toBe(2)
      expect(stderr).toContain(option)
      expect(stderr).toContain(reason)
    },
  )

  it('an invalid word of the REST interface is rejected with the name of its variable', async () => {
    vi.stubEnv('MFA_BASE_PATH', 'api')

    const { stderr, code } = await run('init', '--database', database)

    expect(code).toBe(2)
    expect(stderr).toContain('MFA_BASE_PATH')
  })
})

describeInFullRun('the line "Next:" of init', () => {
  const next = async (...args: string[]) => /^Next +(.*)$/m.exec((await run('init', ...args)).stdout)?.[1]

  it('the Next: line of init repeats the options, so that it can be copied', async () => {
    const place = join(folder, "Alice's data.sqlite")

    const line = await next('--database', place, '--scheme', 'Acme', '--base-path', '')

    expect(line).toBe(`second-factor serve --database '${folder}/Alice'\\''s data.sqlite' --base-path '' --scheme Acme`)
  })

  it('the Next: line of init omits values from the environment, which serve reads too', async () => {
    vi.stubEnv('MFA_DATABASE', database)
    vi.stubEnv('MFA_MEDIA_TYPE', 'acme')

    expect(await next()).toBe('second-factor serve')
  })
})
