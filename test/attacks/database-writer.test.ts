import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { ServiceContext } from '../../src/service/engine/context/service-context.ts'
import { openDatabase } from '../service/engine/audit/recorded.ts'
import { hardwareToken, holder, member } from '../service/features/codes/code-holder.ts'
import { activateDevice, keysFor, startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { previewCode } from '../support/device-signer.ts'
import { engines, useEngine } from '../support/engines.ts'
import { inFullRun } from '../support/full-run.ts'

const pin = '4071'

/**
 * Mallory can write to the database, has no keys, knows alice's password, and has factors of her own. Each test moves
 * one of them to alice.
 */
describe.each(engines)('an attacker who writes to the database without its keys, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let database: ServiceContext['store']['db']
  let close: () => Promise<void>

  beforeAll(async () => {
    const address = await newDatabase()
    running = await startService({ database: address }, { keyType: 'PIN', bypassEnabled: true })
    const opened = await openDatabase(address, keysFor(address))
    database = opened.ctx.store.db
    close = opened.close
  })
  afterAll(async () => {
    await close()
    await running.close()
  })

  /** A member with a device that asks for a PIN. */
  async function deviceHolder() {
    const person = await member(running)
    const { json } = await running.call('PUT', `/domains/${running.domain.id}/users/${person.id}/token`)
    const activated = await activateDevice(running.origin, running.clock, json.code, { pin })
    const totp = new TOTP({ secret: Secret.fromBase32(activated.codeSecret) })
    return { ...person, ...activated, code: () => totp.generate({ timestamp: running.clock.now() * 1000 }) }
  }

  it('a database writer without keys does not pass with a hardware token that was moved to another user', async () => {
    const alice = await member(running)
    const mallory = await holder(running)

    await database.updateTable('hardwareToken').set({ userId: alice.id }).where('id', '=', mallory.token.id).execute()

    expect((await alice.signIn({ otp: mallory.token.code() })).state).not.toBe('approved')
  })

  it('a database writer without keys does not pass with an unassigned hardware token that was assigned in the database', async () => {
    const alice = await member(running)
    const token = await hardwareToken(running)

    await database.updateTable('hardwareToken').set({ userId: alice.id }).where('id', '=', token.id).execute()

    expect((await alice.signIn({ otp: token.code() })).state).not.toBe('approved')
  })

  inFullRun(
    'a database writer without keys does not pass with a seed that was copied to another user’s token',
    async () => {
      const [alice, mallory] = [await holder(running), await holder(running)]
      const { seed } = await database
        .selectFrom('codeGenerator')
        .select('seed')
        .where('id', '=', mallory.token.id)
        .executeTakeFirstOrThrow()

      await database.updateTable('codeGenerator').set({ seed }).where('id', '=', alice.token.id).execute()

      expect((await alice.signIn({ otp: mallory.token.code() })).state).not.toBe('approved')
    },
  )

  it('a database writer without keys does not pass with the offline codes of a device that was moved to another user', async () => {
    const [alice, mallory] = [await member(running), await deviceHolder()]

    await moveDevice(mallory.id, alice.id)

    expect((await alice.signIn({ otp: mallory.code() })).state).not.toBe('approved')
  })

  it('a database writer without keys does not approve with the PIN of a device that was moved to another user', async () => {
    const [alice, mallory] = [await member(running), await deviceHolder()]
    await moveDevice(mallory.id, alice.id)
    const aliceSession = await alice.signIn({})
    const [request] = await mallory.pending()

    const answer = await mallory.device.answer(aliceSession.id, { decision: 'approve', nonce: request!.nonce, pin })

    expect(answer.status).toBe(500)
    const session = await running.call('GET', `/domains/${running.domain.id}/sessions/${aliceSession.id}`)
    expect(session.json.state).toBe('pending')
  })

  it('an activation code whose token was moved to another user in the database activates no device', async () => {
    const [alice, mallory] = [await member(running), await member(running)]
    const path = `/domains/${running.domain.id}/users/${mallory.id}/token`
    const { code } = (await running.call('PUT', path)).json

    await database.updateTable('token').set({ userId: alice.id }).where('userId', '=', mallory.id).execute()

    expect((await previewCode(running.origin, code)).status).toBe(500)
  })

  it('a database writer without keys does not pass with a bypass code that was moved to another user', async () => {
    const [alice, mallory] = [await member(running), await member(running)]
    const body = { usesAllowed: 1, expirationTime: 0 }
    const { code } = (await running.call('POST', `${mallory.path}/bypasscodes`, { body })).json

    await database.updateTable('bypassCode').set({ userId: alice.id }).where('userId', '=', mallory.id).execute()

    expect((await alice.signIn({ bypasscode: code })).state).not.toBe('approved')
  })

  it('a hardware token that an administrator moves to another user stays usable', async () => {
    const [alice, bob] = [await holder(running), await member(running)]
    const ofAlice = await alice.signIn({ otp: alice.token.code() })

    await running.call('DELETE', `${alice.path}/hardware`)
    await running.call('PUT', `${bob.path}/hardware/${alice.token.id}`)
    await running.clock.advance(30)

    const ofBob = await bob.signIn({ otp: alice.token.code() })
    expect([ofAlice.state, ofBob.state]).toEqual(['approved', 'approved'])
  })

  inFullRun(
    'a database writer without keys cannot keep an administrator from releasing a token that was moved',
    async () => {
      const [alice, mallory] = [await member(running), await holder(running)]
      await database.updateTable('hardwareToken').set({ userId: alice.id }).where('id', '=', mallory.token.id).execute()

      const taken = await running.call('DELETE', `${alice.path}/hardware`)

      expect(taken.status).toBe(200)
      expect((await alice.show()).hardware).toBe('')
    },
  )

  /** With its token, and with the ids of both. */
  async function moveDevice(from: string, to: string): Promise<void> {
    await database.updateTable('token').set({ userId: to }).where('userId', '=', from).execute()
    await database.updateTable('device').set({ userId: to }).where('userId', '=', from).execute()
  }
})
