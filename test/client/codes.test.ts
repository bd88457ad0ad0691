import { describe, expect, it, onTestFinished } from 'vitest'

import { codeAt, stepAt } from '../../src/service/features/codes/totp.ts'
import { inFullRun } from '../support/full-run.ts'
import { startMailServer } from '../support/mail-server.ts'
import { startService } from '../support/running-service.ts'

const seed = '3132333435363738393031323334353637383930'

async function withUser() {
  const mailServer = await startMailServer()
  onTestFinished(() => mailServer.close())
  const service = await startService({
    domain: { bypassEnabled: true, emailOtpEnabled: true },
    service: { smtp: { host: '127.0.0.1', port: mailServer.port, from: 'mfa@example.com' } },
  })
  const { userId } = await service.enroll('alice')
  return { ...service, userId, mailServer }
}

describe('the client', () => {
  inFullRun('the client creates, lists, renames, assigns, releases and deletes hardware tokens', async () => {
    const { client, userId, ask } = await withUser()
    const { hardware } = client

    const token = await hardware.create({ serialNumber: '1', type: 'TOTP6', timeStep: 30, seed })
    await hardware.rename(token.id, 'Key ring')
    await hardware.assign(userId, token.id)
    const ofUser = await hardware.getOfUser(userId)
    const session = await ask('alice', { otp: codeAt({ seed, digits: 6 }, stepAt(Date.now() / 1000, 30)) })
    await hardware.release(userId)
    const released = await hardware.get(token.id)
    const list = await hardware.list()
    await hardware.delete(token.id)

    expect(ofUser).toEqual({ ...token, alias: 'Key ring', user: userId })
    expect(session).toMatchObject({ state: 'approved', factor: 'otp' })
    expect(released).toEqual({
      ...token,
      alias: 'Key ring',
      syncState: 'Synchronized',
      lastUsedAt: expect.any(Number),
    })
    expect(list).toEqual([released])
    await expect(hardware.get(token.id)).rejects.toMatchObject({ code: 'api.error.notfound.hardware' })
  })

  inFullRun('the client creates, lists, reads and deletes bypass codes', async () => {
    const { client, userId, ask } = await withUser()
    const { bypassCodes } = client

    const bypassCode = await bypassCodes.create(userId, { usesAllowed: 2, expirationTime: '60' })
    const session = await ask('alice', { bypasscode: bypassCode.code ?? '' })
    const read = await bypassCodes.get(bypassCode.id)
    const list = await bypassCodes.list(userId)
    await bypassCodes.delete(bypassCode.id)
    await bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 0 })
    await bypassCodes.deleteAll(userId)

    expect(session).toMatchObject({ state: 'approved', factor: 'bypass' })
    expect(read).toEqual({ ...bypassCode, usesRemaining: 1 })
    expect(list).toEqual([read])
    expect(await bypassCodes.list(userId)).toEqual([])
    await expect(bypassCodes.get(bypassCode.id)).rejects.toMatchObject({ code: 'api.error.notfound.bypasscode' })
  })

  inFullRun('the client sends a code by e-mail, and says when the next one can be sent', async () => {
    const { client, domainId, userId, ask, mailServer } = await withUser()

    await client.sessions.sendCode(domainId, userId, 'email')
    const secondMail = client.sessions.sendCode(domainId, userId, 'email')

    await expect(secondMail).rejects.toMatchObject({
      code: 'api.error.toomanyrequests',
      retryAfter: expect.any(Number),
    })
    expect(await ask('alice', { otp: mailServer.mails[0]?.code })).toMatchObject({ state: 'approved', factor: 'email' })
  })

  it('the client names the wrong input without showing the seed', () => {
    return expect(
      withUser().then(({ client }) =>
        client.hardware.create({ serialNumber: '1', type: 'TOTP6', timeStep: 30, seed: 'secret' }),
      ),
    ).rejects.toThrow('POST /hardware: seed must be 32 to 128 hexadecimal digits')
  })
})
