import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { mailRows } from '../../../../src/service/mail-rows.ts'
import { resetUser } from '../../../../src/service/features/people/reset.ts'
import { devicePaths } from '../../../../src/contract/device.ts'
import type { FactorNotice } from '../../../../src/contract/device-answers.ts'
import { announceChange } from '../../../../src/service/features/factors/announcements.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { sweep } from '../../../../src/service/upkeep/sweep.ts'
import { createDeviceCalls } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { startPushService } from '../../../support/push-service.ts'
import type { PushService } from '../../../support/push-service.ts'
import { bypassCodeOf, changePass, hardwareToken, member, unique } from '../codes/code-holder.ts'
import { claimMove } from '../devices/people.ts'
import { activateDevice, keysFor, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

/** The subject of the mail about each change. */
const subjects: Readonly<Record<string, string>> = {
  device_added: 'A device was added',
  device_replaced: 'Your device was replaced',
  device_removed: 'A device was removed',
  app_added: 'An authenticator app was added',
  app_replaced: 'Your authenticator app was replaced',
  app_removed: 'Your authenticator app was removed',
  hardware_added: 'A code generator was added',
  hardware_removed: 'Your code generator was removed',
  codes_made: 'New recovery codes were made',
  codes_removed: 'Recovery codes were removed',
}

/** Of the mail about one code that was made for the user. */
const handedOver = 'A recovery code was made for you'

const day = 24 * 60 * 60
const hour = 60 * 60

describe.each(mainEngines)('a change of factors, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let mail: MailServer
  let pushes: PushService
  let database: string
  let beside: Awaited<ReturnType<typeof openService>>
  let wiki: string

  beforeAll(async () => {
    mail = await startMailServer()
    pushes = await startPushService()
    database = await newDatabase()
    running = await startService(
      {
        database,
        smtp: smtp(),
        push: { agent: pushes.agent(), subject: 'mailto:admin@example.com' },
      },
      { bypassEnabled: true },
    )
    const options = { database, clock: running.clock, smtp: smtp(), ...keysFor(database) }
    beside = await openService(ServiceOptions.parse(options))
    wiki = (await running.service.administration.createDomain(running.organization.id, { name: 'Wiki' })).id
  })
  afterAll(async () => {
    await beside.close()
    await running.close()
    await mail.close()
    await pushes.close()
  })

  const smtp = () => ({ host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' })

  /** A device of the user in the domain, which the user joins if necessary. */
  async function activatedDevice(userId: string, domainId = wiki, activation: object = {}) {
    await running.call('PUT', `/domains/${domainId}/users/${userId}`)
    const { code } = (await running.call('PUT', `/domains/${domainId}/users/${userId}/token`)).json
    return activateDevice(running.origin, running.clock, code, activation)
  }

  const noticesOf = async ({
    device,
  }: Pick<Awaited<ReturnType<typeof activatedDevice>>, 'device'>): Promise<FactorNotice[]> =>
    (await read(await device.inbox())).json.notices ?? []

  /** A user with an address, a device in each of two domains, and neither notices nor mails. */
  async function owner(activation: object = {}) {
    const address = `${unique()}@example.com`
    // Without an address until both devices are set up, so that these use up none of the mails that a user gets in an hour.
    const { id } = await member(running, { email: null })
    const first = await activatedDevice(id, running.domain.id, activation)
    const second = await activatedDevice(id)
    for (const notice of await noticesOf(first)) await first.device.acknowledge(notice.id)
    await running.call('PUT', `/users/${id}`, { body: { email: address } })
    const mails = () => mail.mails.filter(({ to }) => to.includes(address))
    const path = `/domains/${running.domain.id}/users/${id}`
    /** Waits until the mail about the change has arrived. */
    const mailed = async () => {
      while (mails().length === 0) await mail.arrival()
      return mails().at(-1)!
    }
    return { ...first, id, address, first, second, path, mails, mailed }
  }
  type Owner = Awaited<ReturnType<typeof owner>>

  async function withApp(person: Owner) {
    const seed = '31'.repeat(20)
    const otp = () => codeAt({ seed, digits: 6 }, stepAt(running.clock.now(), 30))
    const body = { type: 'TOTP6', timeStep: 30, seed, otp: otp() }
    const pass = await changePass(running, person.id)
    return (more: object = {}) =>
      running.call('POST', `${person.path}/hardware`, { body: { ...body, first: false, pass, ...more } })
  }

  /** How to make each change, and the place that its notice names. */
  const changes: [string, string, (person: Owner) => Promise<() => Promise<unknown>>][] = [
    [
      'device_added',
      'Domain',
      async ({ id, path, second }) => {
        await running.call('DELETE', `${path}/token`)
        for (const { id: notice } of await noticesOf({ device: second.device })) await second.device.acknowledge(notice)
        const { code } = (await running.call('PUT', `/domains/${running.domain.id}/users/${id}/token`)).json
        return () => activateDevice(running.origin, running.clock, code)
      },
    ],
    [
      'device_replaced',
      'Domain',
      async ({ path }) => {
        const { code } = (await running.call('PUT', `${path}/token/replacement`, { body: {} })).json
        return () => activateDevice(running.origin, running.clock, code)
      },
    ],
    [
      'device_replaced',
      'Domain',
      async ({ device }) => {
        const { json: move } = await read(await device.call(devicePaths.move))
        const next = await claimMove(running, move.code)
        return () => device.call(devicePaths.confirmMove, { device: next.id })
      },
    ],
    [
      'device_removed',
      'Domain',
      async ({ path }) =>
        () =>
          running.call('DELETE', `${path}/token`),
    ],
    [
      'device_removed',
      'Domain',
      async ({ device }) =>
        () =>
          device.remove(),
    ],
    [
      'device_removed',
      'Domain',
      async ({ id, path }) => {
        await running.call('PUT', `/users/${id}/hardware/${(await hardwareToken(running)).id}`)
        const pass = await changePass(running, id)
        return () => running.call('POST', `${path}/factors/give-up`, { body: { what: 'device', pass } })
      },
    ],
    [
      'device_removed',
      'Locked',
      async (person) => {
        const { id } = await running.service.administration.createDomain(running.organization.id, {
          name: 'Locked',
          keyType: 'PIN',
          maxAllowedRetries: 1,
        })
        const locked = await activatedDevice(person.id, id, { pin: '4071' })
        await running.call('POST', `/domains/${id}/sessions`, { body: { user: { id: person.id } } })
        const [request] = await locked.pending()
        return () => locked.device.answer(request!.id, { nonce: request!.nonce, decision: 'approve', pin: '1704' })
      },
    ],
    ['app_added', 'Domain', async (person) => withApp(person)],
    [
      'app_replaced',
      'Domain',
      async (person) => {
        const enroll = await withApp(person)
        const { json } = await enroll()
        return () => enroll({ replaces: json.id })
      },
    ],
    [
      'app_removed',
      'Wiki',
      async (person) => {
        await (
          await withApp(person)
        )()
        return () => running.call('DELETE', `/users/${person.id}/hardware`)
      },
    ],
    [
      'app_removed',
      'Domain',
      async (person) => {
        await (
          await withApp(person)
        )()
        const pass = await changePass(running, person.id)
        const body = { what: 'hardware', pass }
        return () => running.call('POST', `${person.path}/factors/give-up`, { body })
      },
    ],
    [
      'hardware_added',
      'Wiki',
      async ({ id }) => {
        const token = await hardwareToken(running)
        return () => running.call('PUT', `/users/${id}/hardware/${token.id}`)
      },
    ],
    [
      'hardware_removed',
      'Wiki',
      async ({ id }) => {
        await running.call('PUT', `/users/${id}/hardware/${(await hardwareToken(running)).id}`)
        return () => running.call('DELETE', `/users/${id}/hardware`)
      },
    ],
    [
      'hardware_removed',
      'Wiki',
      async ({ id }) => {
        const token = await hardwareToken(running)
        await running.call('PUT', `/users/${id}/hardware/${token.id}`)
        return () => running.call('DELETE', `/hardware/${token.id}`)
      },
    ],
    [
      'codes_made',
      'Wiki',
      async ({ id }) =>
        () =>
          bypassCodeOf(running, id),
    ],
    [
      'codes_made',
      'Domain',
      async ({ id, path }) => {
        const pass = await changePass(running, id)
        const body = { usesAllowed: 1, expirationTime: 0, pass }
        return () => running.call('PUT', `${path}/bypasscodes`, { body })
      },
    ],
    [
      'codes_removed',
      'Wiki',
      async ({ id }) => {
        await bypassCodeOf(running, id)
        return () => running.call('DELETE', `/users/${id}/bypasscodes`)
      },
    ],
    [
      'codes_removed',
      'Wiki',
      async ({ id }) => {
        const code = await bypassCodeOf(running, id)
        return () => running.call('DELETE', `/bypasscodes/${code.id}`)
      },
    ],
  ]

  it.each(changes)(
    'a factor change of kind %s, in %s, notifies the remaining device and the address (%#)',
    async (kind, domain, prepare) => {
      const person = await owner()
      const change = await prepare(person)
      for (const { id } of await noticesOf(person.second)) await person.second.device.acknowledge(id)
      const place = domain === 'Wiki' ? running.organization.name : domain
      const findMail = () =>
        person.mails().find(({ headers }) => {
          const subject = headers.get('subject')
          return (
            subject === `${subjects[kind]} at ${place}` ||
            (kind === 'codes_made' && subject === `${handedOver} at ${place}`)
          )
        })
      expect(findMail()).toBeUndefined()

      await change()

      expect(await noticesOf(person.second)).toMatchObject([
        { kind, domain: { name: domain }, createdAt: running.clock.now() },
      ])
      while (!findMail()) await mail.arrival()
    },
  )

  it('a factor change is not shown on the device that was set up', async () => {
    const { second } = await owner()

    expect(await noticesOf(second)).toEqual([])
  })

  it('removing a device also removes its notices', async () => {
    const person = await owner()
    await bypassCodeOf(running, person.id)
    expect((await noticesOf(person.first)).length).toBe(1)

    await running.call('DELETE', `${person.path}/token`)

    const remainingNotices = beside.ctx.store.db
      .selectFrom('deviceNotice')
      .select('id')
      .where('deviceId', '=', person.signer.id!)
    expect(await remainingNotices.execute()).toEqual([])
  })

  inFullRun('a reset of all factors is mailed when no device is left', async () => {
    const person = await owner()

    await resetUser(beside.ctx, { organizationId: running.organization.id, userId: person.id })
    const { text, headers } = await person.mailed()

    expect(headers.get('subject')).toBe(`Your second factors were reset at ${running.organization.name}`)
    expect(text).toContain("If this wasn't you, tell your administrator.")
  })

  describe('a notice', () => {
    inFullRun('a notice of a factor change answers a held inbox read', async () => {
      const { id, second } = await owner()
      const first = await second.device.inbox()
      const etag = first.headers.get('etag') ?? ''
      const timer = running.clock.timerSet(20)
      const heldInbox = second.device.inbox({ prefer: 'wait=20', 'if-none-match': etag })
      await timer

      await bypassCodeOf(running, id)

      expect((await read(await heldInbox)).json.notices).toMatchObject([{ kind: 'codes_made' }])
    })

    inFullRun('a notice leaves the inbox when the device acknowledges it, however often that is', async () => {
      const { id, second } = await owner()
      await bypassCodeOf(running, id)
      const [notice] = await noticesOf(second)

      const answers = [await second.device.acknowledge(notice!.id), await second.device.acknowledge(notice!.id)]

      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(await noticesOf(second)).toEqual([])
    })

    it('a notice of a factor change is kept for 30 days, and then swept', async () => {
      const { id, second } = await owner()
      await bypassCodeOf(running, id)
      const created = running.clock.now()
      const at = async (time: number) => {
        const clock = { ...running.clock, now: () => time }
        const later = await startService({ database, clock })
        const calls = createDeviceCalls(later.origin, second.signer)
        const { json } = await read(await calls.inbox({}, { iat: time }))
        await later.close()
        return json.notices?.length ?? 0
      }
      const rows = async () => {
        const { db } = beside.ctx.store
        const query = db.selectFrom('deviceNotice').select('id').where('deviceId', '=', second.signer.id!)
        return (await query.execute()).length
      }

      expect([await at(created + 30 * day - 1), await at(created + 30 * day)]).toEqual([1, 0])
      expect(await rows()).toBe(1)
      await sweep({ ...beside.ctx, clock: { ...running.clock, now: () => created + 30 * day } })
      expect(await rows()).toBe(0)
    })

    it('the oldest notice makes room for a newer one when a device has twenty', async () => {
      const { id, second } = await owner()
      await bypassCodeOf(running, id)
      const [oldest] = await noticesOf(second)
      for (let count = 0; count < 10; count += 1) {
        const token = await hardwareToken(running)
        await running.call('PUT', `/users/${id}/hardware/${token.id}`)
        await running.call('DELETE', `/users/${id}/hardware`)
      }

      const notices = await noticesOf(second)

      expect(notices.length).toBe(20)
      expect(notices.map((notice) => notice.id)).not.toContain(oldest!.id)
    })

    it('a notice of a factor change wakes a closed authenticator with a message that carries its id and nothing else', async () => {
      const person = await owner()
      const { json } = await read(await person.second.device.push(pushes.subscribe()))
      expect(json.endpoint).toBeDefined()
      const count = pushes.messages.length

      await bypassCodeOf(running, person.id)
      await pushes.received(count + 1)

      const [notice] = await noticesOf(person.second)
      expect(pushes.messages.at(-1)!.json).toEqual({ notice: notice!.id })
    })

    it('a notice of a factor change is not stored, pushed or mailed when the change is rolled back', async () => {
      const { id, second, mails } = await owner()
      const deliveries: string[] = []
      const securityMails = {
        rows: mailRows,
        send: (userId: string) => void deliveries.push(userId),
        sent: () => Promise.resolve(),
        close: () => Promise.resolve(),
      }
      const pusher = { ...beside.ctx.pusher!, tell: () => void deliveries.push('pushed') }
      const ctx = { ...beside.ctx, securityMails, pusher }
      const organizationId = running.organization.id
      const transaction = beside.ctx.store.db.transaction().execute(async (db) => {
        await announceChange(db, ctx, { kind: 'codes_made', organizationId, userId: id })
        throw new Error('undone')
      })

      await expect(transaction).rejects.toThrow('undone')

      expect([await noticesOf(second), mails(), deliveries]).toEqual([[], [], []])
    })
  })

  describe('a mail about it', () => {
    inFullRun('a mail about a factor change says what changed, for which app and when, without a link', async () => {
      const person = await owner()
      const { code } = (await running.call('PUT', `${person.path}/token/replacement`, { body: {} })).json

      await activateDevice(running.origin, running.clock, code)
      const { text, headers, from } = await person.mailed()

      const format = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
      const time = format.format(running.clock.now() * 1000)
      expect([from, headers.get('subject')]).toEqual(['mfa@example.com', 'Your device was replaced at Domain'])
      expect(text.replaceAll('\r\n', '\n').trim()).toBe(
        [
          'Your device was replaced at Domain',
          'Device: Test',
          `Time: ${time} UTC`,
          "If this wasn't you, tell your administrator.",
          `Domain · ${running.organization.name}`,
        ].join('\n\n'),
      )
      expect(text).not.toContain('://')
    })

    it('each user gets at most five mails about factor changes an hour, and again an hour later', async () => {
      const person = await owner()
      for (let count = 0; count < 6; count += 1) {
        const code = await bypassCodeOf(running, person.id)
        await running.call('DELETE', `/bypasscodes/${code.id}`)
      }
      while (person.mails().length < 5) await mail.arrival()
      running.clock.skip(hour)

      await bypassCodeOf(running, person.id)
      while (person.mails().length < 6) await mail.arrival()

      expect(person.mails().length).toBe(6)
      const droppedMails = running.logged.filter(({ message }) => message === 'security mail dropped: too many')
      expect(droppedMails.filter(({ details }) => 'user' in details && details.user === person.id).length).toBe(7)
      expect(JSON.stringify(running.logged)).not.toContain(person.address)
    })
  })
})

describe('a failing mail server', () => {
  let running: Running
  let mail: MailServer

  beforeAll(async () => {
    mail = await startMailServer()
    running = await startService({ smtp: { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' } })
  })
  afterAll(async () => {
    await running.close()
    await mail.close()
  })
  const failures = () => running.logged.filter(({ message }) => message === 'security mail not sent')

  it('a mail server that rejects mail does not fail a factor change, and the log names no address', async () => {
    mail.refuse()

    const { user, device } = await running.enroll(unique())
    await expect.poll(() => failures().length).toBeGreaterThan(0)

    expect((await device.inbox()).status).toBe(200)
    expect(failures()[0]!.details).toMatchObject({ user: user.id })
    expect(String(Reflect.get(failures()[0]!.details, 'err'))).toContain('452')
    expect(JSON.stringify(running.logged)).not.toContain('somebody@example.com')
  })

  it('a mail server that hangs does not delay a factor change', async () => {
    mail.hang()
    const { user } = await running.enroll(unique())

    const { code } = await bypassCodeOf(running, user.id)

    expect(code).toMatch(/\d/)
    expect(mail.mails).toEqual([])
  })
})
