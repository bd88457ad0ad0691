import { chmodSync, readFileSync, writeFileSync } from 'node:fs'

import { describe, expect, it, onTestFinished } from 'vitest'

import { createService } from '../../src/service/index.ts'
import { listen } from '../../src/service/engine/http/listen.ts'
import { inFullRun } from '../support/full-run.ts'
import { run, useDatabase } from './admin/run-command.ts'

const { place, file, json } = useDatabase()
const apiKey = 'Ab1'.repeat(21) + 'Z'
const domainId = '0123456789abcdef0123456789abcdef01234567'

function keyFile(text = `${apiKey}\n`, mode = 0o600): string {
  writeFileSync(file('key'), text)
  chmodSync(file('key'), mode)
  return file('key')
}

const init = (...args: string[]) => run('init', '--database', place.database, '--organization', 'Old', ...args)
const organizations = async () => {
  const service = await createService({ database: place.database, push: false })
  onTestFinished(() => service.close())
  return (await service.administration.organizations()).map(({ name }) => name)
}

describe('init with the configuration of existing clients', () => {
  inFullRun(
    'init with the configuration of existing clients creates a service that they can call unchanged',
    async () => {
      const { stdout, stderr, code } = await init('--api-key-file', keyFile(), '--domain-id', domainId)
      const service = await createService({ database: place.database, push: false })
      const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
      onTestFinished(async () => {
        const closed = listening.close()
        await service.close()
        await closed
      })

      const headers = { authorization: `Service key="${apiKey}"`, accept: 'application/vnd.service.v1+json' }
      const response = await fetch(`http://127.0.0.1:${listening.port}/api/domains/${domainId}`, { headers })

      expect([code, stderr]).toEqual([0, ''])
      expect(await response.json()).toMatchObject({ id: domainId, name: 'My app' })
      expect(stdout).toContain(domainId)
    },
  )

  it('init neither prints nor stores an existing client’s API key itself', async () => {
    const { stdout } = await init('--api-key-file', keyFile())
    const printed = await run('init', '--database', place.database, '--json', '--organization', 'Other')

    expect(stdout).not.toContain(apiKey)
    expect(Object.keys(printed.json)).toEqual(['organizationId', 'domainId', 'apiKey'])
    expect(readFileSync(place.database).includes(apiKey)).toBe(false)
    expect(readFileSync(`${place.database}-wal`, { flag: 'a+' }).includes(apiKey)).toBe(false)
  })

  inFullRun('init omits an existing client’s API key from the JSON', async () => {
    const { json: created } = await init('--api-key-file', keyFile(), '--json')

    expect(Object.keys(created)).toEqual(['organizationId', 'domainId'])
  })

  it.each([
    ['is too short', 'a'.repeat(63)],
    ['is too long', 'a'.repeat(65)],
    ['has another character', `${'a'.repeat(63)}-`],
    ['is two keys', `${apiKey}\n${apiKey}\n`],
    ['is missing', '\n'],
  ])('init refuses an API key that %s, and does not repeat it', async (_, text) => {
    const { stdout, stderr, code } = await init('--api-key-file', keyFile(text))

    expect(code).toBe(2)
    expect(stderr).toContain('--api-key-file')
    expect(stderr).toContain('64 letters and digits')
    expect(stdout + stderr).not.toContain('aaaa')
    expect(stdout + stderr).not.toContain(apiKey)
    expect(await organizations()).toEqual(['Organization'])
  })

  it.each(['', 'abc', domainId.toUpperCase(), `${domainId}0`])(
    'init refuses a domain id of another form (%s)',
    async (id) => {
      const { stderr, code } = await init('--domain-id', id)

      expect(code).toBe(2)
      expect(stderr).toContain('--domain-id')
      expect(stderr).toContain('40 hexadecimal digits')
    },
  )

  it('init rejects a domain id that is in use by any organization, and creates nothing', async () => {
    const { stderr, code } = await init('--domain-id', place.domainId)

    expect([code, stderr]).toEqual([1, `A domain with the id ${place.domainId} already exists.\n`])
    expect(await organizations()).toEqual(['Organization'])
  })

  it('init rejects an API key that is in use, and creates nothing', async () => {
    const { stdout, stderr, code } = await init('--api-key-file', keyFile(place.apiKey))

    expect([code, stderr]).toEqual([1, 'The API key is already in use.\n'])
    expect(stdout).toBe('')
    expect(await organizations()).toEqual(['Organization'])
  })

  it('init warns when other users of the machine can read the API key', async () => {
    const { stderr, code } = await init('--api-key-file', keyFile(undefined, 0o644))

    expect(code).toBe(0)
    expect(stderr).toContain(`chmod 600 ${file('key')}`)
  })

  inFullRun('init records an existing client’s API key in the audit trail, like any other', async () => {
    await init('--api-key-file', keyFile())

    const entries = await json('audit', 'list', '--event', 'api_key.created')

    expect(entries).toHaveLength(2)
    expect(JSON.stringify(entries)).not.toContain(apiKey)
  })
})
