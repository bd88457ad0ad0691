import { describe, expect, it } from 'vitest'

import { createDevice } from '../../src/device/device.ts'
import { inFullRun } from '../support/full-run.ts'
import { startService } from '../support/running-service.ts'

const device = createDevice()

async function enrolled(username = 'alice') {
  const service = await startService()
  const { userId, code } = await service.enroll(username)
  const account = await device.activate(service.url, code, { name: 'Test' })
  return { service, userId, account }
}

describe('a device and the service', () => {
  it('a device shows the account of an activation code before it is added', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')

    const preview = await device.preview(service.url, code.toUpperCase())

    expect(preview).toMatchObject({
      organization: { name: 'Acme' },
      domain: { name: 'Wiki', keyType: 'NONE' },
      user: { username: 'alice' },
    })
  })

  it('the service accepts an activation code once', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    await device.activate(service.url, code, { name: 'Test' })

    const secondActivation = device.activate(service.url, code, { name: 'Test' })

    await expect(secondActivation).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
  })

  it('a device approves with the number of the web page', async () => {
    const { service, account } = await enrolled()
    const session = await service.ask('alice', { numberMatching: true, ipAddress: '203.0.113.7' })
    const { requests = [] } = await device.requests(account)

    const answered = await device.answer(account, requests[0]!, { decision: 'approve', number: session.number })

    expect(requests[0]).toMatchObject({ id: session.id, numberLength: 2, ipAddress: '203.0.113.7' })
    expect(JSON.stringify(requests)).not.toContain(`"${session.number}"`)
    expect(answered.state).toBe('approved')
    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })

  inFullRun.each([
    ['a denial', { decision: 'deny' }, 'user_denied'],
    ['a report', { decision: 'report' }, 'reported'],
    ['a wrong number', { decision: 'approve', number: '00' }, 'wrong_number'],
  ] as const)('the service denies a session after %s', async (_, answer, reason) => {
    const { service, account } = await enrolled()
    const session = await service.ask('alice', { numberMatching: true })
    const { requests = [] } = await device.requests(account)

    await device.answer(account, requests[0]!, answer)

    expect(await service.state(session.id)).toMatchObject({ state: 'denied', reason })
  })

  inFullRun('the service accepts the same answer twice, and then no other answer', async () => {
    const { service, account } = await enrolled()
    await service.ask('alice')
    const { requests = [] } = await device.requests(account)
    await device.answer(account, requests[0]!, { decision: 'deny' })

    const same = await device.answer(account, requests[0]!, { decision: 'deny' })
    const other = device.answer(account, requests[0]!, { decision: 'approve' })

    expect(same).toMatchObject({ state: 'denied' })
    await expect(other).rejects.toMatchObject({ code: 'api.error.conflict.state' })
  })

  inFullRun('the service delivers a request and its end to a held call', async () => {
    const { service, account } = await enrolled()
    const lists: number[] = []
    const stop = new AbortController()
    const arrivals = { one: Promise.withResolvers<void>(), none: Promise.withResolvers<void>() }
    const watching = device.watch(account, {
      signal: stop.signal,
      onChange: (requests) => {
        lists.push(requests.length)
        if (requests.length === 1) arrivals.one.resolve()
        else if (lists.includes(1)) arrivals.none.resolve()
      },
    })

    const session = await service.ask('alice')
    await arrivals.one.promise
    await service.client.sessions.cancel(service.domainId, session.id)
    await arrivals.none.promise
    stop.abort()
    await watching

    expect(lists.slice(-2)).toEqual([1, 0])
  })

  inFullRun('a watching device reports that its token was revoked', async () => {
    const { service, userId, account } = await enrolled()
    const watching = device.watch(account, { signal: new AbortController().signal, onChange: () => {} })

    // It may end before the call that revokes.
    const [ended] = await Promise.allSettled([watching, service.client.tokens.revoke(service.domainId, userId)])

    expect(ended).toMatchObject({ status: 'rejected', reason: { code: 'api.error.device.revoked' } })
  })

  it('a device that removes an account removes its key from the service', async () => {
    const { service, userId, account } = await enrolled()

    await device.remove(account)

    await expect(device.requests(account)).rejects.toMatchObject({ code: 'api.error.device.revoked' })
    await expect(service.client.tokens.get(service.domainId, userId)).rejects.toMatchObject({
      code: 'api.error.notfound.token',
    })
  })

  inFullRun('a device works with a clock that is an hour slow', async () => {
    const { service, account } = await enrolled()
    const slow = createDevice({
      clock: { now: () => Math.floor(Date.now() / 1000) - 3600, after: (ms, callback) => after(ms, callback) },
    })
    await service.ask('alice')

    const { requests } = await slow.requests(account)

    expect(requests).toHaveLength(1)
    expect(account.clockOffset).toBeGreaterThanOrEqual(3599)
  })
})

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds)
  return () => clearTimeout(timer)
}
