import { describe, expect, it } from 'vitest'

import { listen } from '../../../src/service/engine/http/listen.ts'
import { createService } from '../../../src/service/index.ts'
import { inFullRun } from '../../support/full-run.ts'
import { run, useDatabase } from './run-command.ts'

const { place, admin, json } = useDatabase()

describe('second-factor apikey', () => {
  inFullRun('second-factor apikey shows a key only when it is created', async () => {
    const createdKey = await json('apikey', 'create')
    const listed = await admin('apikey', 'list')
    const listedJson = await json('apikey', 'list')

    expect(createdKey).toEqual({
      key: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      role: 'admin',
      domain: null,
      createdAt: expect.any(Number),
      usedAt: null,
    })
    expect(listedJson).toHaveLength(2)
    for (const key of [createdKey.key, place.apiKey]) {
      expect(listed.stdout + JSON.stringify(listedJson)).not.toContain(key)
    }
  })

  inFullRun('second-factor apikey limits only keys of role auth to a domain', async () => {
    const limited = await json('apikey', 'create', '--role', 'auth', '--domain', 'Intranet')
    const refused = await admin('apikey', 'create', '--domain', 'Intranet')

    expect(limited).toMatchObject({ role: 'auth', domain: place.domainId })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('only keys of role auth')
    expect((await admin('apikey', 'list')).stdout).toMatch(/^auth +Intranet/m)
  })

  inFullRun('second-factor apikey revokes a key for a running service', async () => {
    const service = await createService({ database: place.database })
    const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
    const { key, id } = await json('apikey', 'create')
    const ping = async () =>
      (
        await fetch(`http://127.0.0.1:${listening.port}/api/ping`, {
          headers: { authorization: `Service key="${key}"` },
        })
      ).status

    const statusBefore = await ping()
    const unasked = await admin('apikey', 'revoke', id)
    const statusUnconfirmed = await ping()
    const { code } = await admin('apikey', 'revoke', id.slice(0, 10), '--yes')
    const statusAfter = await ping()
    const closed = listening.close()
    await service.close()
    await closed

    expect([unasked.code, code]).toEqual([2, 0])
    expect([statusBefore, statusUnconfirmed, statusAfter]).toEqual([200, 200, 401])
  })

  it('second-factor apikey does not print a key that was typed instead of an id', async () => {
    const { stderr, code } = await admin('apikey', 'revoke', place.apiKey, '--yes')

    expect(code).toBe(2)
    expect(stderr).not.toContain(place.apiKey)
  })

  inFullRun('second-factor apikey does not revoke keys of another organization', async () => {
    await run('init', '--database', place.database, '--organization', 'Other')
    const [foreign] = await json('apikey', 'list', '--organization', 'Other')

    const { code } = await admin('apikey', 'revoke', foreign.id, '--yes', '--organization', 'Organization')

    expect(code).toBe(1)
    expect(await json('apikey', 'list', '--organization', 'Other')).toHaveLength(1)
  })
})
