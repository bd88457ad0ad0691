import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createClient } from '../../../../src/client/client.ts'
import { oidcStateOf } from '../../../../src/service/oidc-state.ts'
import { embedded } from '../../../../src/service/embedded.ts'
import { SetupError } from '../../../../src/service-handle.ts'
import type { Connection } from '../../../../src/service-handle.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

/** The client that `mfa()` makes of a connection. */
function clientOf({ baseUrl, apiKey, vendor, fetch }: Connection) {
  return createClient({ baseUrl, apiKey, vendor, fetch })
}

describe('handles of the OpenID provider', () => {
  let running: Running
  let otherDomain: string

  beforeAll(async () => {
    running = await startService()
    otherDomain = (await running.service.administration.createDomain(running.organization.id, { name: 'Other' })).id
  })
  afterAll(() => running.close())

  it('a handle of a domain signs its users in, and is the same object at every call', async () => {
    const state = oidcStateOf(running.service)
    const { user } = await running.enroll('handle')
    const connection = await state.handleFor(running.domain.id).connect()
    const client = clientOf(connection)

    const session = await client.sessions.create(running.domain.id, { user: { id: user.id } })

    expect(session.state).toBe('pending')
    expect(state.handleFor(running.domain.id)).toBe(state.handleFor(running.domain.id))
    expect(await state.handleFor(running.domain.id).connect()).toBe(connection)
  })

  it('the key of a handle is worth nothing in another domain, and nothing over HTTP', async () => {
    const connection = await oidcStateOf(running.service).handleFor(running.domain.id).connect()
    const client = clientOf(connection)
    const { user } = await running.enroll('elsewhere')

    await expect(client.sessions.create(otherDomain, { user: { id: user.id } })).rejects.toMatchObject({
      code: 'api.error.notfound.domain',
    })
    const headers = { authorization: `Service key="${connection.apiKey}"` }
    expect((await running.call('GET', '/ping', { headers })).status).toBe(401)
  })

  it('an unknown domain has no connection, and an unknown service no state', async () => {
    await expect(oidcStateOf(running.service).handleFor('0'.repeat(40)).connect()).rejects.toThrow(RangeError)
    expect(() => oidcStateOf({})).toThrow(SetupError)
  })

  it('the handle of a domain that does not exist is forgotten', async () => {
    const state = oidcStateOf(running.service)
    const handle = state.handleFor('1'.repeat(40))

    await expect(handle.connect()).rejects.toThrow(RangeError)

    expect(state.handleFor('1'.repeat(40))).not.toBe(handle)
  })

  inFullRun('an embedded service has a state, which opens it', async () => {
    const service = embedded({ database: ':memory:' })
    const state = oidcStateOf(service)

    expect((await state.keys()).jwks.keys).toHaveLength(1)
    await service.close()
  })

  it('requests of an address are limited as at the REST interface', async () => {
    const limited = await startService({ limits: { requestsPerSecond: 2 } })
    const state = oidcStateOf(limited.service)

    const waits = [await state.admit('192.0.2.1'), await state.admit('192.0.2.1'), await state.admit('192.0.2.1')]

    expect(waits).toEqual([0, 0, 1])
    expect(await state.admit('192.0.2.2')).toBe(0)
    await limited.close()
  })
})
