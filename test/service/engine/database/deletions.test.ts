import { Secret } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { hardwareToken } from '../../features/codes/code-holder.ts'
import { createTenant, keysFor, read, startService } from '../../start-service.ts'
import type { Running, Tenant } from '../../start-service.ts'

describe.each(engines)('a removed user, on %s,', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let opened: OpenedService

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database }, { bypassEnabled: true, emailOtpEnabled: true })
    // Used to check state that is not visible over HTTP.
    opened = await openService(ServiceOptions.parse({ database, clock: running.clock, ...keysFor(database) }))
  })
  afterAll(async () => {
    await opened.close()
    await running.close()
  })

  let count = 0

  type Out = (member: { userId: string; domainId: string }) => Promise<{ status: number }>
  const ways: [string, Out][] = [
    ['by deleting the user', ({ userId }) => running.call('DELETE', `/users/${userId}`)],
    [
      'by removing them from the domain',
      ({ userId, domainId }) => running.call('DELETE', `/domains/${domainId}/users/${userId}`),
    ],
    [
      'by omitting them from a synchronization',
      ({ domainId }) => running.call('PUT', `/domains/${domainId}/users`, { body: [] }),
    ],
  ]

  /** A user with one of each resource in the domain of the service. */
  async function furnished(name: string) {
    const { call, domain, clock } = running
    // A test that runs again finds nobody of that name.
    count += 1
    const username = `${name} ${count}`
    const enrolled = await running.enroll(username)
    const { user } = enrolled
    const token = await hardwareToken(running)
    await call('PUT', `/users/${user.id}/hardware/${token.id}`)
    const bypass = (
      await call('POST', `/users/${user.id}/bypasscodes`, { body: { usesAllowed: 9, expirationTime: 60 } })
    ).json
    await opened.ctx.store.db
      .insertInto('emailCode')
      .values({
        domainId: domain.id,
        userId: user.id,
        codeLookup: username,
        wrongTries: 0,
        expiresAt: clock.now() + 600,
      })
      .execute()
    return { ...enrolled, token, bypass, out: { userId: user.id, domainId: domain.id } }
  }

  const addBack = async (userId: string, domainId: string) =>
    running.call('PUT', `/domains/${domainId}/users/${userId}`)

  describe.each(ways)('%s', (way, out) => {
    it('a removed user has no token, and the device is notified at once', async () => {
      const person = await furnished(`token ${way}`)
      const etag = (await person.device.inbox()).headers.get('etag') ?? ''
      const begun = running.clock.timerSet(25)
      const heldInbox = person.device.inbox({ 'if-none-match': etag, prefer: 'wait=25' })
      await begun

      expect((await out(person.out)).status).toBe(200)

      expect((await read(await heldInbox)).code).toBe('api.error.device.revoked')
      await addBack(person.user.id, person.out.domainId)
      const token = await running.call('GET', `/domains/${person.out.domainId}/users/${person.user.id}/token`)
      expect(token.code).toMatch(/^api\.error\.notfound\.(token|user)$/)
    })

    inFullRun('a removed user has no pending session, and waiting callers are notified at once', async () => {
      const person = await furnished(`session ${way}`)
      const { id } = await person.ask()
      const [request] = await person.pending()
      const begun = running.clock.timerSet(25)
      const heldSession = person.held(id, 25)
      await begun

      await out(person.out)

      expect((await heldSession).json).toMatchObject({ id, state: 'cancelled', reason: 'cancelled' })
      expect((await person.device.answer(id, { nonce: request!.nonce, decision: 'approve' })).status).toBe(403)
    })

    inFullRun('removing a user releases the hardware token for other users', async () => {
      const person = await furnished(`hardware ${way}`)
      const other = await running.enroll(`heir ${way}`)

      await out(person.out)
      await addBack(other.user.id, person.out.domainId)

      expect((await person.token.show()).user).toBe('')
      const assigned = await running.call('PUT', `/users/${other.user.id}/hardware/${person.token.id}`)
      expect(assigned.status).toBe(200)
    })

    inFullRun('a removed user has no valid code, even after being added again', async () => {
      const person = await furnished(`codes ${way}`)
      const { user, token, bypass, codeSecret, ask } = person
      // While the user can still use them.
      const before = [await ask({ bypasscode: bypass.code })]

      await out(person.out)
      await addBack(user.id, person.out.domainId)

      expect(before.map(({ state }) => state)).toEqual(['approved'])
      expect((await running.call('GET', `/bypasscodes/${bypass.id}`)).code).toBe('api.error.notfound.bypasscode')
      const offline = codeAt({ seed: Secret.fromBase32(codeSecret).hex, digits: 6 }, stepAt(running.clock.now(), 30))
      const sessions = await Promise.all(
        [{ bypasscode: bypass.code }, { otp: token.code() }, { otp: offline }].map((code) => ask(code)),
      )
      for (const session of sessions) expect(session.state).not.toBe('approved')
      const { db } = opened.ctx.store
      const rows = await db.selectFrom('emailCode').select('codeLookup').where('userId', '=', user.id).execute()
      expect(rows).toEqual([])
      const generators = await db
        .selectFrom('codeGenerator')
        .innerJoin('device', 'device.id', 'codeGenerator.id')
        .select('codeGenerator.id')
        .where('device.userId', '=', user.id)
        .execute()
      expect(generators).toEqual([])
    })
  })

  describeInFullRun.each(ways.slice(1))('%s, for one of two domains', (way, out) => {
    it('removing a user from one of two domains keeps everything that is valid for the other', async () => {
      const person = await furnished(`two ${way}`)
      const { user, token, bypass } = person
      const other = await running.service.administration.createDomain(running.organization.id, { name: `Other ${way}` })
      await running.call('PUT', `/domains/${other.id}/users/${user.id}`)
      const there = await running.call('PUT', `/domains/${other.id}/users/${user.id}/token`)

      await out(person.out)

      expect((await person.device.inbox()).status).toBe(403)
      expect((await running.call('GET', `/users/${user.id}`)).json).toMatchObject({
        domains: [other.id],
        hardware: token.id,
        bypasscodes: [bypass.id],
      })
      expect((await running.call('GET', `/domains/${other.id}/users/${user.id}/token`)).json).toEqual(there.json)
    })
  })

  inFullRun('deleting one user of many domains and organizations does not affect any others', async () => {
    const [gone, stays] = [await furnished('goes'), await furnished('stays')]
    const elsewhere: Tenant = await createTenant(running.service, running.origin)
    const same = (
      await elsewhere.call('POST', '/users', { body: { username: 'goes', name: 'N', email: 'e@example.com' } })
    ).json

    await running.call('DELETE', `/users/${gone.user.id}`)

    expect((await elsewhere.call('GET', `/users/${same.id}`)).json).toEqual(same)
    expect((await stays.device.inbox()).status).toBe(200)
    expect((await stays.token.show()).user).toBe(stays.user.id)
    expect((await running.call('GET', `/users/${gone.user.id}`)).code).toBe('api.error.notfound.user')
  })
})
