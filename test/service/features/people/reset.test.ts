import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { resetUser } from '../../../../src/service/features/people/reset.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { previewCode, random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { hardwareToken, unique } from '../codes/code-holder.ts'
import { passByCode } from '../browsers/known-browser.ts'
import { activateDevice, createTenant, keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

describe.each(mainEngines)('a user who is reset, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let node: OpenedService

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database }, { bypassEnabled: true })
    node = await openService(ServiceOptions.parse({ database, clock: running.clock, ...keysFor(database) }))
  })
  afterAll(async () => {
    await node.close()
    await running.close()
  })

  const domainPath = () => `/domains/${running.domain.id}`
  const reset = (userId: string) => resetUser(node.ctx, { organizationId: running.organization.id, userId })
  const issueFirst = (userId: string) => running.call('PUT', `${domainPath()}/users/${userId}/token/first`)

  /** A user with every kind of factor. */
  async function wealthy() {
    const person = await running.enroll(unique())
    const { id } = person.user
    const token = await hardwareToken(running)
    await running.call('PUT', `/users/${id}/hardware/${token.id}`)
    const path = `${domainPath()}/users/${id}`
    const bypass = await running.call('POST', `/users/${id}/bypasscodes`, {
      body: { usesAllowed: 9, expirationTime: 0 },
    })
    const moving = await running.call('PUT', `${path}/token/replacement`, { body: {} })
    const known = await passByCode(running, { user: { id }, bypasscode: bypass.json.code }, { rememberDays: 30 })
    const recognise = () => running.call('POST', `${path}/browsers/recognize`, { body: { browser: known?.id } })
    expect((await recognise()).status).toBe(200)
    return { ...person, id, token, bypass: bypass.json.code, moving: moving.json.code, recognise }
  }

  inFullRun('a user who is reset keeps no factor, even if one is being activated at that moment', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => wealthy()))

    await Promise.all(
      people.map((person) =>
        Promise.all([activateDevice(running.origin, running.clock, person.moving).catch(() => {}), reset(person.id)]),
      ),
    )

    const resetUsers = await Promise.all(people.map(({ id }) => running.call('GET', `/users/${id}`)))
    expect(resetUsers.map(({ json }) => [json.factors, json.everEnrolled])).toEqual(people.map(() => [[], false]))
  })

  it('a user who is reset cannot sign in with any earlier device, code, remembered browser or replacement code', async () => {
    const person = await wealthy()

    await reset(person.id)

    expect((await person.device.inbox()).status).toBe(403)
    expect(await person.ask({ otp: person.token.code() })).toMatchObject({ state: 'denied' })
    expect(await person.ask({ bypasscode: person.bypass })).toMatchObject({ state: 'denied' })
    expect((await previewCode(running.origin, person.moving)).status).toBe(404)
    expect((await person.recognise()).code).toBe('api.error.notfound.browser')
    const { json } = await running.call('GET', `/users/${person.id}`)
    expect(json).toMatchObject({ factors: [], hardware: '', bypasscodes: [], everEnrolled: false })
  })

  inFullRun('a user who is reset cannot use an approval from before the reset', async () => {
    const person = await wealthy()
    const challenge = random128()
    const session = await person.ask({ challenge })
    await person.device.answer(session.id, { nonce: (await person.pending())[0]!.nonce, decision: 'approve' })

    await reset(person.id)

    const redeemed = await running.call('POST', `${person.sessions}/${session.id}/redeem`, { body: { challenge } })
    expect(redeemed.code).toBe('api.error.conflict.state')
  })

  inFullRun('a user who is reset sets up exactly one first factor, as a new user does', async () => {
    const person = await wealthy()
    expect((await issueFirst(person.id)).code).toBe('api.error.conflict.enrolled')
    await reset(person.id)

    const { code } = (await issueFirst(person.id)).json
    const next = await activateDevice(running.origin, running.clock, code)

    expect((await next.device.inbox()).status).toBe(200)
    expect((await issueFirst(person.id)).code).toBe('api.error.conflict.enrolled')
    expect((await person.recognise()).code).toBe('api.error.notfound.browser')
  })

  inFullRun('resetting a user releases the hardware token for another user', async () => {
    const { id, token } = await wealthy()
    const next = await running.enroll(unique())

    await reset(id)

    expect((await running.call('PUT', `/users/${next.user.id}/hardware/${token.id}`)).status).toBe(200)
  })

  inFullRun('a user who is reset must belong to the organization', async () => {
    const { organization } = await createTenant(running.service, running.origin)
    const { id } = await wealthy()

    const foreign = resetUser(node.ctx, { organizationId: organization.id, userId: id })

    await expect(foreign).rejects.toThrow(RangeError)
    expect((await running.call('GET', `/users/${id}`)).json.everEnrolled).toBe(true)
  })
})
