import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createDevice, currentCode } from '../../../../src/device/index.ts'
import type { Account } from '../../../../src/device/index.ts'
import { endAllAccess } from '../../../../src/service/upkeep/restored-statements.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { useQuickPins } from '../../../support/quick-pins.ts'
import { entriesOf, openDatabase } from '../../engine/audit/recorded.ts'
import { unique } from '../codes/code-holder.ts'
import { keysFor, newUser, quickHash, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const pin = '4071'
const noCode = { code: 'api.error.notfound.activationcode' }
const tooLate = { code: 'api.error.conflict.state' }

describe.each(mainEngines)('a move to another device, on %s,', (engine) => {
  useQuickPins()
  const newDatabase = useEngine(engine)
  let running: Running
  let node: OpenedService
  let withPin: string
  const device = createDevice({ clock: { now: () => running.clock.now(), after: () => () => {} } })

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database, pinHashCost: quickHash })
    node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
    const domain = { name: 'With PIN', keyType: 'PIN', maxAllowedRetries: 3 } as const
    withPin = (await running.service.administration.createDomain(running.organization.id, domain)).id
  })
  afterAll(async () => {
    await node.close()
    await running.close()
  })

  /** A user with a device. */
  async function owner(domainId = running.domain.id, secret?: string) {
    const { id } = (await running.call('POST', '/users', { body: newUser(unique()) })).json
    const path = `/domains/${domainId}/users/${id}`
    await running.call('PUT', path)
    const { code } = (await running.call('PUT', `${path}/token`)).json
    const account = await device.activate(running.origin, code, { name: 'Old phone', pin: secret })
    const ask = async (more: object = {}) =>
      (await running.call('POST', `/domains/${domainId}/sessions`, { body: { user: { id }, ...more } })).json
    return { account, id, path, ask }
  }

  const claim = (code: string, name = 'New phone') => device.claimMove(running.origin, code, name)

  /** A new device that waits for the old one. */
  async function claimed(account: Account) {
    const { code } = await device.beginMove(account, { pin })
    const waiting = await claim(code)
    expect(await device.collectMove(waiting)).toBeUndefined()
    return { waiting, shownClaim: (await device.moveClaim(account))! }
  }

  it('a device move serves one device when two scan the same code', async () => {
    const { account } = await owner()
    const { code } = await device.beginMove(account)

    const results = await Promise.allSettled([claim(code, 'A'), claim(code, 'B')])

    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: noCode })
  })

  inFullRun(
    'a device move gives the account to the device that the old one confirms, and ends the old one',
    async () => {
      const { account, ask, path } = await owner()
      const before = await ask()
      const { waiting, shownClaim } = await claimed(account)
      expect(shownClaim).toMatchObject({ device: waiting.id, name: 'New phone', requested: true })

      await device.confirmMove(account, shownClaim)
      const moved = (await device.collectMove(waiting))!

      expect(moved).toMatchObject({ id: waiting.id, user: account.user, domain: account.domain })
      await expect(device.requests(account)).rejects.toMatchObject({ code: 'api.error.device.moved' })
      expect((await running.call('GET', `${path}/token`)).json.state).toBe('active')
      const after = await ask()
      const { requests = [] } = await device.requests(moved)
      expect(requests.map(({ id }) => id)).toEqual([after.id])
      expect(before.id).not.toBe(after.id)
      expect(await device.answer(moved, requests[0]!, { decision: 'approve' })).toMatchObject({ state: 'approved' })
    },
  )

  inFullRun('a device move ends requests and web sessions and is audited, as a replacement is', async () => {
    const { account, ask, id } = await owner()
    const { waiting, shownClaim } = await claimed(account)
    const pending = await ask()
    const epoch = () =>
      node.ctx.store.db.selectFrom('user').select('epoch').where('id', '=', id).executeTakeFirstOrThrow()
    const before = await epoch()

    await device.confirmMove(account, shownClaim)

    const path = `/domains/${running.domain.id}/sessions/${pending.id}`
    expect((await running.call('GET', path)).json).toMatchObject({ state: 'cancelled' })
    expect(await epoch()).not.toEqual(before)
    const about = (await entriesOf(node.ctx.store.db)).filter(({ facts }) => facts.user === id)
    expect(about.map(({ event, actor }) => [event, actor.id]).slice(-4)).toEqual([
      ['session.created', expect.any(String)],
      ['device.revoked', account.id],
      ['session.cancelled', account.id],
      ['activation.used', waiting.id],
    ])
  })

  it('a device move leaves everything as it is until the old device confirms', async () => {
    const { account } = await owner()
    const { waiting } = await claimed(account)

    expect(await device.collectMove(waiting)).toBeUndefined()
    await expect(device.requests({ ...account, ...waiting })).rejects.toMatchObject({
      code: 'api.error.device.unknown',
    })
    expect((await device.requests(account)).requests).toEqual([])
  })

  it('a device move takes place only while the person asks for it on the new device', async () => {
    const { account } = await owner()
    const { code } = await device.beginMove(account)
    await claim(code)
    const shownClaim = (await device.moveClaim(account))!

    expect(shownClaim.requested).toBe(false)
    await expect(device.confirmMove(account, shownClaim)).rejects.toMatchObject(tooLate)
  })

  it('a device move is confirmed for the device that was shown, and for no other', async () => {
    const { account } = await owner()
    const first = await claimed(account)
    const second = await claimed(account)

    await expect(device.confirmMove(account, first.shownClaim)).rejects.toMatchObject(tooLate)

    expect(await device.collectMove(second.waiting)).toBeUndefined()
    await expect(device.collectMove(first.waiting)).rejects.toMatchObject(noCode)
  })

  it('a device move gives the account to nobody but the holder of the key', async () => {
    const { account } = await owner()
    const { waiting, shownClaim } = await claimed(account)
    const thief = await claimed((await owner()).account)
    await device.confirmMove(account, shownClaim)

    const stolen = device.collectMove({ ...waiting, privateKey: thief.waiting.privateKey })

    await expect(stolen).rejects.toMatchObject({ code: 'api.error.unauthorized' })
  })

  it.each([
    ['is wrong', async () => 'A'.repeat(22)],
    [
      'has expired',
      async (account: Account) => {
        const { code } = await device.beginMove(account)
        running.clock.skip(30)
        return code
      },
    ],
    [
      'has an end that a clock ahead has set',
      async (account: Account) => {
        running.clock.skip(3600)
        const { code } = await device.beginMove(account)
        running.clock.skip(-3600)
        return code
      },
    ],
    [
      'was used',
      async (account: Account) => {
        const { code } = await device.beginMove(account)
        await claim(code)
        return code
      },
    ],
    [
      'was replaced by a new one',
      async (account: Account) => {
        const { code } = await device.beginMove(account)
        await device.beginMove(account)
        return code
      },
    ],
    [
      'was withdrawn',
      async (account: Account) => {
        const { code } = await device.beginMove(account)
        await device.cancelMove(account)
        return code
      },
    ],
    [
      'belongs to a device that was removed',
      async (account: Account) => {
        const { code } = await device.beginMove(account)
        await device.remove(account)
        return code
      },
    ],
    [
      'may have been used after the backup that was restored',
      async (account: Account) => {
        const { code } = await device.beginMove(account)
        await node.ctx.store.db.transaction().execute((tx) => endAllAccess(tx, running.clock.now()))
        return code
      },
    ],
  ] satisfies [string, (account: Account) => Promise<string>][])(
    'a device move refuses a code that %s, always with the same error',
    async (_, make) => {
      const code = await make((await owner()).account)

      await expect(claim(code)).rejects.toMatchObject(noCode)
    },
  )

  it('a device move stores no code that a reader of the database could use', async () => {
    const { account } = await owner()

    const { code } = await device.beginMove(account)

    const rows = await node.ctx.store.db.selectFrom('deviceMove').selectAll().execute()
    expect(rows.find(({ deviceId }) => deviceId === account.id)?.codeLookup).toBeTypeOf('string')
    expect(JSON.stringify(rows)).not.toContain(code)
  })

  it('a device move ends two minutes after the scan if nobody confirms', async () => {
    const { account } = await owner()
    const { waiting, shownClaim } = await claimed(account)

    running.clock.skip(120)

    expect(await device.moveClaim(account)).toBeUndefined()
    await expect(device.confirmMove(account, shownClaim)).rejects.toMatchObject(tooLate)
    await expect(device.collectMove(waiting)).rejects.toMatchObject(noCode)
  })

  inFullRun('a device move ends on both devices when either of them cancels', async () => {
    const { account } = await owner()
    const first = await claimed(account)

    await device.cancelMove(account)
    await expect(device.collectMove(first.waiting)).rejects.toMatchObject(noCode)

    const second = await claimed(account)
    await device.abandonMove(second.waiting)
    expect(await device.moveClaim(account)).toBeUndefined()
    await expect(device.confirmMove(account, second.shownClaim)).rejects.toMatchObject(tooLate)
  })

  it('a device move that is confirmed and canceled at once leaves the account on one of the devices', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { account } = await owner()
      const { waiting, shownClaim } = await claimed(account)

      const early = round % 2 === 0 ? undefined : device.abandonMove(waiting)
      const [confirmed, abandoned] = await Promise.allSettled([
        device.confirmMove(account, shownClaim),
        early ?? device.abandonMove(waiting),
      ])

      const moved = abandoned.status === 'fulfilled' ? abandoned.value?.id : 'failed'
      expect(moved).toBe(confirmed.status === 'fulfilled' ? waiting.id : undefined)
    }
  })

  inFullRun('a device move that was confirmed cannot be canceled: the new device gets the account', async () => {
    const { account } = await owner()
    const { waiting, shownClaim } = await claimed(account)
    await device.confirmMove(account, shownClaim)

    const moved = (await device.abandonMove(waiting))!

    expect(await device.requests(moved)).toMatchObject({ requests: [] })
  })

  inFullRun('a device move ends when an administrator revokes the device', async () => {
    const { account, path } = await owner()
    const { waiting, shownClaim } = await claimed(account)

    await running.call('DELETE', `${path}/token`)

    await expect(device.confirmMove(account, shownClaim)).rejects.toMatchObject({ code: 'api.error.device.revoked' })
    await expect(device.collectMove(waiting)).rejects.toMatchObject(noCode)
  })

  describe('where a PIN is required,', () => {
    it.each([
      ['no PIN', undefined],
      ['a wrong PIN', '9999'],
    ])('a device move that requires a PIN does not begin with %s', async (_, typed) => {
      const { account } = await owner(withPin, pin)

      await expect(device.beginMove(account, { pin: typed })).rejects.toMatchObject({ code: 'api.error.invalid.pin' })

      const rows = node.ctx.store.db.selectFrom('deviceMove').select('deviceId').where('deviceId', '=', account.id)
      expect(await rows.execute()).toEqual([])
    })

    it('a device move counts wrong PINs and revokes the token after the last', async () => {
      const { account } = await owner(withPin, pin)
      const wrong = () => device.beginMove(account, { pin: '9999' })

      await expect(wrong()).rejects.toMatchObject({ triesLeft: 2 })
      await expect(wrong()).rejects.toMatchObject({ triesLeft: 1 })
      await expect(wrong()).rejects.toMatchObject({ code: 'api.error.device.revoked' })
    })

    inFullRun('a device move keeps the PIN, which the new device asks for once', async () => {
      const { account, ask } = await owner(withPin, pin)
      const { waiting, shownClaim } = await claimed(account)
      await device.confirmMove(account, shownClaim)

      await expect(device.collectMove(waiting)).rejects.toMatchObject({ code: 'api.error.invalid.pin' })
      await expect(device.collectMove(waiting, { pin: '9999' })).rejects.toMatchObject({ triesLeft: 2 })
      const moved = (await device.collectMove(waiting, { pin }))!

      await ask()
      const { requests = [] } = await device.requests(moved)
      const approved = await device.answer(moved, requests[0]!, { decision: 'approve', pin })
      expect(approved.state).toBe('approved')
      const { code: otp } = (await currentCode(moved, running.clock.now(), pin))!
      expect((await ask({ otp })).state).toBe('approved')
    })

    it('a device move checks no PIN before the old device has confirmed', async () => {
      const { account } = await owner(withPin, pin)
      const { waiting } = await claimed(account)

      expect(await device.collectMove(waiting, { pin: '9999' })).toBeUndefined()
      expect(await device.collectMove(waiting, { pin })).toBeUndefined()
    })
  })
})
