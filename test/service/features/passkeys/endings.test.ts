import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { resetUser } from '../../../../src/service/features/people/reset.ts'
import { readRevocations } from '../../../../src/service/upkeep/revocations.ts'
import { settleRestored } from '../../../../src/service/upkeep/restored.ts'
import { correctFutureTimes } from '../../../../src/service/upkeep/future-times.ts'
import { sweep } from '../../../../src/service/upkeep/sweep.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import { hardwareToken, unique } from '../codes/code-holder.ts'
import { passkeyHolder, passkeyPage, passkeyUser } from './passkey-holder.ts'
import { keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { inFullRun } from '../../../support/full-run.ts'

describe.each(mainEngines)('passkeys and ceremonies, on %s', (engine) => {
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

  const rows = async (userId: string) => {
    const { db } = node.ctx.store
    const passkeys = await db.selectFrom('passkey').select('id').where('userId', '=', userId).execute()
    const ceremonies = await db.selectFrom('passkeyCeremony').select('kind').where('userId', '=', userId).execute()
    return { passkeys: passkeys.length, ceremonies: ceremonies.length }
  }

  /** A user with a passkey and an unfinished ceremony. */
  async function someone() {
    const person = await passkeyHolder(running)
    const challenge = random128()
    const { json: options } = await person.startUse({ challenge })
    const answer = () => person.finishUse({ challenge, passkey: person.authenticator.use(options) })
    return { ...person, answer }
  }

  inFullRun('passkeys and ceremonies end when their user is deleted', async () => {
    const person = await someone()

    const { status } = await running.call('DELETE', person.path)

    expect(status).toBe(200)
    expect(await rows(person.id)).toEqual({ passkeys: 0, ceremonies: 0 })
  })

  it('passkeys and ceremonies end with the last membership of their user', async () => {
    const person = await someone()

    await running.call('DELETE', person.memberPath)

    expect(await rows(person.id)).toEqual({ passkeys: 0, ceremonies: 0 })
    expect(await person.show()).toMatchObject({ factors: [], passkeys: [] })
  })

  it('passkeys stay with a user who leaves one of two domains, and the ceremonies of that domain end', async () => {
    const person = await someone()
    const domain = await running.service.administration.createDomain(running.organization.id, { name: unique() })
    await running.call('PUT', `/domains/${domain.id}/users/${person.id}`)

    await running.call('DELETE', person.memberPath)
    const elsewhere = passkeyPage({ call: running.call, domain }, person)

    expect(await rows(person.id)).toEqual({ passkeys: 1, ceremonies: 0 })
    expect(await elsewhere.listPasskeys()).toHaveLength(1)
  })

  it('passkeys and ceremonies end for users whom a synchronization leaves without a domain', async () => {
    const { administration } = running.service
    const domain = await administration.createDomain(running.organization.id, { name: unique() })
    const there = { ...running, domain }
    const person = await passkeyHolder(there)

    await running.call('PUT', `/domains/${domain.id}/users`, { body: [] })

    expect(await rows(person.id)).toEqual({ passkeys: 0, ceremonies: 0 })
  })

  it('passkeys and ceremonies end with a reset, after which a first passkey can be added', async () => {
    const person = await someone()

    await resetUser(node.ctx, { organizationId: running.organization.id, userId: person.id })
    const before = await rows(person.id)
    const added = await person.addPasskey()

    expect(before).toEqual({ passkeys: 0, ceremonies: 0 })
    expect((await person.answer()).json).toMatchObject({ state: 'denied' })
    expect(added.status).toBe(200)
  })

  it('a sweep removes ceremonies that have ended, and never passkeys', async () => {
    const person = await someone()
    running.clock.skip(299)
    await sweep(node.ctx)
    const early = await rows(person.id)

    running.clock.skip(1)
    await sweep(node.ctx)

    expect(early).toEqual({ passkeys: 1, ceremonies: 1 })
    expect(await rows(person.id)).toEqual({ passkeys: 1, ceremonies: 0 })
  })

  it('a passkey ceremony from a clock that was ahead grants nothing', async () => {
    const person = await someone()
    const { db } = node.ctx.store
    const expiresAt = running.clock.now() + 86_400
    await db.updateTable('passkeyCeremony').set({ expiresAt }).where('userId', '=', person.id).execute()

    expect((await person.answer()).json).toMatchObject({ state: 'denied' })
    await correctFutureTimes(node.ctx, (now) => ({ future: now, now }))
    expect(await rows(person.id)).toEqual({ passkeys: 1, ceremonies: 0 })
  })

  it('adding or removing a passkey makes the user’s known browsers unknown', async () => {
    const person = await passkeyHolder(running)
    const recognized = async (browser: string) =>
      (await running.call('POST', `${person.memberPath}/browsers/recognize`, { body: { browser } })).status
    const passed = async () => {
      const session = await person.usePasskey({ redeem: { browser: { rememberDays: 1 } } })
      return (session as unknown as { browser: { id: string } }).browser.id
    }

    const first = await passed()
    const known = await recognized(first)
    const { json: added } = await person.addPasskey({ pass: await person.pass() })
    const afterAdding = await recognized(first)
    const second = await passed()
    await running.call('DELETE', `${person.passkeys}/${added.id}`)
    const afterRemoving = await recognized(second)

    expect([known, afterAdding, afterRemoving]).toEqual([200, 404, 404])
  })

  it('browsers of users without passkeys stay known when the database gets the tables for passkeys', async () => {
    const person = await passkeyUser(running)
    const token = await hardwareToken(running)
    await running.call('PUT', `${person.path}/hardware/${token.id}`)
    const body = { user: { id: person.id }, otp: token.code(), challenge: random128(), redeem: { browser: {} } }
    const { json } = await running.call('POST', person.sessions, { body })
    const { db } = node.ctx.store

    const stored = await db.selectFrom('knownBrowser').select('factors').where('userId', '=', person.id).execute()

    // As it was made before there were passkeys: devices, then hardware tokens.
    const { createHash } = await import('node:crypto')
    const digest = createHash('sha256')
      .update(JSON.stringify([[], [token.id]]))
      .digest('base64url')
    expect(json.browser).toBeDefined()
    expect(stored).toEqual([{ factors: digest }])
  })

  it('an attacker who writes to the database without its keys cannot give a passkey to another user', async () => {
    const [alice, mallory] = [await passkeyHolder(running), await passkeyHolder(running)]
    const { db } = node.ctx.store
    const { id } = mallory.passkey

    await db.updateTable('passkey').set({ userId: alice.id }).where('id', '=', id).execute()
    const challenge = random128()
    const { json: options } = await alice.startUse({ challenge })
    const passkey = mallory.authenticator.use(options, { userHandle: null })
    const { json: session } = await alice.finishUse({ challenge, passkey })

    expect(options.allowCredentials).toHaveLength(2)
    expect(session).toMatchObject({ state: 'denied', reason: 'wrong_passkey' })
  })

  it('passkeys that the log lists as removed are removed again after a backup was restored', async () => {
    const person = await someone()
    const { id } = person.passkey
    const at = running.clock.now() + 1
    const facts = { passkey: id, domain: running.domain.id, user: person.id }
    const log = JSON.stringify({ revocation: { event: 'passkey.removed', at, facts } })

    const { applied } = await settleRestored(node.ctx, readRevocations(log))

    expect(applied).toBe(1)
    expect(await rows(person.id)).toEqual({ passkeys: 0, ceremonies: 0 })
  })

  it('the removal of a passkey is logged for a restore', async () => {
    const person = await passkeyHolder(running)

    await running.call('DELETE', `${person.passkeys}/${person.passkey.id}`)

    const revoked = running.logged.filter(({ message }) => message === 'revoked')
    expect(JSON.stringify(revoked)).toContain(person.passkey.id)
  })
})
