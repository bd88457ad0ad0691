import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { revokeAdministrator, setAdministratorRole } from '../../src/service/features/administrators/administration.ts'
import { addApiKey, revokeApiKey } from '../../src/service/features/domains/api-keys.ts'
import { administrator, origin, startConsole } from '../service/features/administrators/console-holder.ts'
import type { Console } from '../service/features/administrators/console-holder.ts'
import { createCall, newUser, v14 } from '../service/start-service.ts'
import { inFullRun } from '../support/full-run.ts'
import { openRaw } from '../support/raw-http.ts'

let folder: string
let running: Console
let userId: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-bodies-'))
  running = await startConsole(join(folder, 'mfa.sqlite'))
  userId = (await running.call('POST', '/users', { body: newUser('alice') })).json.id
  await running.call('PUT', `/domains/${running.domain.id}/users/${userId}`)
})
afterAll(async () => {
  await running.close()
  rmSync(folder, { recursive: true })
})
// Ceremonies are limited by address.
beforeEach(() => running.clock.skip(600))

/** Sends a request without its body. @returns a function that sends the body, once the caller has been authenticated. */
async function begin(method: string, path: string, headers: Readonly<Record<string, string>>, body: object) {
  const content = JSON.stringify(body)
  const connection = await openRaw(Number(new URL(running.origin).port))
  const lines = Object.entries({ ...headers, accept: v14, 'content-length': content.length, expect: '100-continue' })
  connection.send(
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`,
  )
  // The service asks for the body when it reads the request.
  await connection.answer()
  return async () => {
    running.clock.skip(1)
    connection.send(content)
    const { status } = await connection.answer()
    connection.end()
    return status
  }
}

describe('an administrator who sends the body of a request late', () => {
  async function beginUnlock(role: 'owner' | 'admin') {
    const { id, state } = await administrator(running, { role, domains: role === 'owner' ? [] : [running.domain.id] })
    const headers = { host: new URL(origin).host, origin, cookie: state.cookie ?? '' }
    const path = `/console/api/admin/people/${userId}/unlock`
    return { id, sendBody: await begin('POST', path, headers, { because: 'locked_out' }) }
  }

  inFullRun('an administrator who sends the body of a request late is served while their access lasts', async () => {
    const { sendBody } = await beginUnlock('admin')

    expect(await sendBody()).toBe(200)
  })

  it('an administrator who sends the body of a request late changes nothing after being revoked', async () => {
    const { id, sendBody } = await beginUnlock('owner')
    await revokeAdministrator(running.ctx, { organizationId: running.organization.id, id })

    expect(await sendBody()).toBe(401)
  })

  it('an administrator who sends the body of a request late changes nothing after being limited to another domain', async () => {
    const { id, sendBody } = await beginUnlock('admin')
    const organizationId = running.organization.id
    const other = await running.service.administration.createDomain(organizationId, { name: 'Other domain' })
    const change = { role: 'admin' as const, domains: [other.id] }
    await setAdministratorRole(running.ctx, { organizationId, id, version: 1 }, change)

    expect(await sendBody()).toBe(404)
  })
})

describe('an app that sends the body of a request late', () => {
  async function beginCreate() {
    const { id, key } = await addApiKey(running.ctx, running.organization.id, {})
    const headers = { host: 'localhost', authorization: `Service key="${key}"` }
    return { id, sendBody: await begin('POST', '/api/users', headers, newUser(`user-${id}`)) }
  }

  it('an app that sends the body of a request late is served while its API key is valid', async () => {
    const { sendBody } = await beginCreate()

    expect(await sendBody()).toBe(200)
  })

  it('an app that sends the body of a request late changes nothing after its API key was revoked', async () => {
    const { id, sendBody } = await beginCreate()
    await revokeApiKey(running.ctx, running.organization.id, id)

    expect(await sendBody()).toBe(401)
  })
})

describe('an app whose read is held', () => {
  async function holdSession() {
    const { id: keyId, key } = await addApiKey(running.ctx, running.organization.id, { role: 'auth' })
    const person = await running.enroll(`person-${keyId}`)
    const { id } = await person.ask()
    const waits = running.clock.timerSet(90)
    const headers = { prefer: 'wait=25' }
    const answer = createCall(running.origin, key)('GET', `${person.sessions}/${id}`, { headers })
    await waits
    const cancelled = () => running.call('DELETE', `${person.sessions}/${id}`)
    return { keyId, answer, cancelled }
  }

  it('an app whose read is held learns what it waits for while its API key is valid', async () => {
    const { answer, cancelled } = await holdSession()
    await cancelled()

    expect((await answer).json.state).toBe('cancelled')
  })

  it('an app whose read is held learns nothing after its API key was revoked', async () => {
    const { keyId, answer, cancelled } = await holdSession()
    await revokeApiKey(running.ctx, running.organization.id, keyId)
    await cancelled()

    const { status, text } = await answer
    expect([status, text.includes('cancelled')]).toEqual([401, false])
  })
})
