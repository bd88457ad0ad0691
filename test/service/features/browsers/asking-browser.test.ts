import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { endUserSessions } from '../../../../src/service/features/people/end-sessions.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import { unique } from '../codes/code-holder.ts'
import { passByCode } from './known-browser.ts'
import { keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

describe.each(mainEngines)('the browser that asks, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let node: OpenedService

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database }, { bypassEnabled: true })
    node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
  })
  afterAll(async () => {
    await node.close()
    await running.close()
  })

  /** A person with a device, whom browsers ask. */
  async function arrange() {
    const person = await running.enroll(unique())
    const user = { id: person.user.id }
    const ask = async (body: object = {}) => {
      const request = { user, challenge: random128(), unknownBrowser: 'number', ...body }
      const { json, status } = await running.call('POST', person.sessions, { body: request })
      expect(status).toBe(200)
      return json.id as string
    }
    const state = async (id: string) => (await running.call('GET', `${person.sessions}/${id}`)).json.state as string
    const ids = async () => (await person.pending()).map(({ id }) => id)
    const warnings = async () => (await person.pending()).map(({ neverPassed = false }) => neverPassed)
    const pass = async (browser?: string) => {
      const { json: bypass } = await running.call('POST', `/users/${user.id}/bypasscodes`, {
        body: { usesAllowed: 1, expirationTime: 0 },
      })
      return (await passByCode(running, { user, bypasscode: bypass.code, browser }))?.id
    }
    return { ...person, ask, state, ids, warnings, pass }
  }

  it('a browser that asks many times at once replaces its own request and no other browser’s', async () => {
    const person = await arrange()
    const [own, other] = [random128(), random128()]
    const otherRequestId = await person.ask({ binding: other })

    const requestIds = await Promise.all(Array.from({ length: 4 }, () => person.ask({ binding: own })))

    const pending = await person.ids()
    expect(pending).toHaveLength(2)
    expect(pending).toContain(otherRequestId)
    const states = await Promise.all(requestIds.map((id) => person.state(id)))
    expect(states.toSorted()).toEqual(['cancelled', 'cancelled', 'cancelled', 'pending'])
  })

  it('replacing a sign-in request wakes the callers that wait for it', async () => {
    const person = await arrange()
    const binding = random128()
    const first = await person.ask({ binding })
    const waiting = running.call('GET', `${person.sessions}/${first}`, { headers: { prefer: 'wait=30' } })

    await person.ask({ binding })

    expect((await waiting).json).toMatchObject({ state: 'cancelled', reason: 'cancelled' })
  })

  it('a browser’s new sign-in request does not replace a request of another user', async () => {
    const [alice, bob] = [await arrange(), await arrange()]
    const binding = random128()
    const first = await alice.ask({ binding })

    await bob.ask({ binding })

    expect(await alice.state(first)).toBe('pending')
  })

  it('a sign-in request that names no browser replaces nothing, even if all else is equal', async () => {
    const person = await arrange()
    const same = { ipAddress: '203.0.113.7', attributes: [{ key: 'Browser', value: 'Firefox' }] }

    await person.ask(same)
    await person.ask(same)

    expect(await person.ids()).toHaveLength(2)
  })

  it('a browser in which the user has never passed is new, even if its reported details are known', async () => {
    const person = await arrange()
    const facts = { ipAddress: '203.0.113.7', attributes: [{ key: 'Browser', value: 'Firefox' }] }
    const browser = await person.pass()

    await person.ask({ ...facts, browser })
    await person.ask({ ...facts, browser: random128() })
    await person.ask(facts)

    expect(await person.warnings()).toEqual([true, true, false])
  })

  it('a known browser does not become new when the user’s factors change', async () => {
    const person = await arrange()
    const browser = await person.pass()
    const { json: token } = await running.call('POST', '/hardware', {
      body: { alias: 'Key', serialNumber: unique(), type: 'TOTP6', timeStep: 30, seed: '31'.repeat(20) },
    })
    await running.call('PUT', `/users/${person.user.id}/hardware/${token.id}`)
    await running.call('DELETE', `/users/${person.user.id}/bypasscodes`)

    await person.ask({ browser })

    const path = `/domains/${running.domain.id}/users/${person.user.id}/browsers/recognize`
    expect((await running.call('POST', path, { body: { browser } })).status).toBe(404)
    expect(await person.warnings()).toEqual([false])
  })

  it('a browser is new again after an administrator ends the user’s sessions, because one may be an attacker’s', async () => {
    const person = await arrange()
    const browser = await person.pass()
    await endUserSessions(node.ctx, { organizationId: running.organization.id, userId: person.user.id })

    await person.ask({ browser })

    expect(await person.warnings()).toEqual([true])
  })

  inFullRun('a browser is new again after the user reports a request', async () => {
    const person = await arrange()
    const browser = await person.pass()
    await person.ask({ browser })
    const [request] = await person.pending()
    await person.device.answer(request!.id, { nonce: request!.nonce, decision: 'report' })
    await running.clock.advance(16 * 60)

    await person.ask({ browser })

    expect(await person.warnings()).toEqual([true])
  })

  it('a request from a caller that does not distinguish browsers never warns of a new browser', async () => {
    const person = await arrange()

    await person.ask({ unknownBrowser: undefined })

    expect(await person.warnings()).toEqual([false])
  })

  it('only the first request of the challenge that set up the device skips the new-browser warning', async () => {
    const person = await arrange()

    await person.ask({ enrolling: true })
    await person.ask({ enrolling: true })

    expect(await person.warnings()).toEqual([true, false])
  })
})
