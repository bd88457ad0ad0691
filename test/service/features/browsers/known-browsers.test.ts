import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { resetUser } from '../../../../src/service/features/people/reset.ts'
import { unlockUser } from '../../../../src/service/features/people/unlock.ts'
import { knownBrowser } from '../../../../src/service/features/browsers/statements.ts'
import { browsers as browsersFeature } from '../../../../src/service/features/browsers/feature.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import { member, unique } from '../codes/code-holder.ts'
import { browserUser, passByCode } from './known-browser.ts'
import { createTenant, keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const minute = 60
const day = 86_400

describe.each(mainEngines)('known browsers on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  /** Another process on the same database. */
  let node: OpenedService
  let mails: MailServer

  beforeAll(async () => {
    mails = await startMailServer()
    const database = await newDatabase()
    const smtp = { host: '127.0.0.1', port: mails.port, from: 'mfa@example.com' }
    running = await startService({ database, smtp }, { bypassEnabled: true, emailOtpEnabled: true })
    node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
  })
  afterAll(async () => {
    await node.close()
    await running.close()
    await mails.close()
  })

  const times = <T>(count: number, act: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => act(index)))
  const db = () => node.ctx.store.db
  const organizationId = () => running.organization.id

  /** A user with a device and a known browser, and requests from there and from elsewhere. */
  async function asked() {
    const person = await running.enroll(unique())
    const { call, domain } = running
    const { json: bypass } = await call('POST', `/users/${person.user.id}/bypasscodes`, {
      body: { usesAllowed: 9, expirationTime: 0 },
    })
    const user = { id: person.user.id }
    const browser = await passByCode(running, { user, bypasscode: bypass.code })
    const ask = async (from?: string) => {
      const body = { user, browser: from, challenge: random128() }
      const { status, code, headers } = await call('POST', person.sessions, { body })
      return status === 200 ? 'sent' : `${code} ${headers.get('retry-after')}`
    }
    const answerAll = async (decision: string) => {
      for (const { id, nonce } of await person.pending()) await person.device.answer(id, { nonce, decision })
    }
    const spend = async (from?: string) => {
      for (let round = 0; round < 5; round += 1) {
        await ask(from)
        await answerAll('deny')
      }
    }
    const path = `/domains/${domain.id}/users/${person.user.id}/browsers/recognize`
    const isKnown = async () => (await call('POST', path, { body: { browser: browser?.id } })).status === 200
    return { ...person, bypass: bypass.code as string, browser: browser?.id, ask, answerAll, spend, isKnown }
  }

  describe('a user', () => {
    inFullRun(
      'a user has at most twenty known browsers, even when passes in many browsers finish at the same time',
      async () => {
        const alice = await asked()
        const user = { id: alice.user.id }
        const { json } = await running.call('POST', `/users/${user.id}/bypasscodes`, {
          body: { usesAllowed: 40, expirationTime: 0 },
        })

        await times(30, () => passByCode(running, { user, bypasscode: json.code }))

        const rows = await db().selectFrom('knownBrowser').selectAll().where('userId', '=', user.id).execute()
        expect(rows).toHaveLength(20)
      },
    )

    it('a twenty-first known browser ends the one with the oldest pass', async () => {
      const alice = await browserUser(running)
      const browsers: (string | undefined)[] = []
      for (let count = 0; count < 21; count += 1) browsers.push((await alice.pass())?.id)

      const known = await Promise.all(browsers.map((browser) => alice.isKnown(browser)))

      expect(known).toEqual([false, ...Array<boolean>(20).fill(true)])
    })

    it('an e-mailed code does not make a browser a known one', async () => {
      const address = `${unique()}@example.com`
      const alice = await member(running, { email: address })
      const path = `/domains/${running.domain.id}/users/${alice.id}/otp`
      await running.call('POST', path, { body: { deliverableOTPType: 'EMAIL' } })
      const otp = mails.mails.find(({ to }) => to.includes(address))?.code

      const known = await passByCode(running, { user: { id: alice.id }, otp }, { rememberDays: 30 })

      expect(otp).toMatch(/^\d{6}$/)
      expect(known).toBeUndefined()
      expect((await alice.show()).everEnrolled).toBe(true)
    })

    inFullRun('an e-mailed code does not extend a known browser', async () => {
      const alice = await browserUser(running)
      const address = `${unique()}@example.com`
      await running.call('PUT', alice.path, { body: { email: address } })
      const known = await alice.pass()
      const row = () =>
        db().selectFrom('knownBrowser').selectAll().where('userId', '=', alice.id).executeTakeFirstOrThrow()
      const before = await row()
      running.clock.skip(day)
      await running.call('POST', `${alice.memberPath}/otp`, { body: { deliverableOTPType: 'EMAIL' } })
      const otp = mails.mails.find(({ to }) => to.includes(address))?.code

      const session = await passByCode(running, { user: { id: alice.id }, otp }, { id: known?.id, rememberDays: 30 })

      expect(otp).toMatch(/^\d{6}$/)
      expect(session).toBeUndefined()
      expect(await row()).toEqual(before)
    })

    inFullRun('a browser is known for 180 days after the user’s last pass, and then a sweep deletes it', async () => {
      const alice = await browserUser(running)
      const known = await alice.pass()
      const browserKey = { id: known?.id ?? '', domainId: running.domain.id, userId: alice.id }
      const end = running.clock.now() - 30 + 180 * day
      const look = async (now: number) => (await knownBrowser(db(), browserKey, now)) !== undefined

      const outcomes = [await look(end - 1), await look(end)]
      await browsersFeature.removals.expiredBrowsers.removeSome(db(), end - 1)
      const isKept = await look(end - 1)
      await browsersFeature.removals.expiredBrowsers.removeSome(db(), end)

      expect([...outcomes, isKept, await look(end - 1)]).toEqual([true, false, true, false])
    })

    it.each([
      ['is reset', (id: string) => resetUser(node.ctx, { organizationId: organizationId(), userId: id })],
      [
        'leaves one of two domains',
        async (id: string) => {
          const other = await running.service.administration.createDomain(organizationId(), { name: unique() })
          await running.call('PUT', `/domains/${other.id}/users/${id}`)
          await running.call('DELETE', `/domains/${running.domain.id}/users/${id}`)
        },
      ],
    ])('no known browser is left after the user %s', async (_what, end) => {
      const alice = await browserUser(running)
      await alice.pass()

      await end(alice.id)

      expect(await db().selectFrom('knownBrowser').selectAll().where('userId', '=', alice.id).execute()).toEqual([])
    })

    it('no known browser is left after the user answers “this was not me”', async () => {
      const { browser, ask, answerAll, isKnown } = await asked()
      const before = await isKnown()
      await ask(browser)

      await answerAll('report')

      expect([before, await isKnown()]).toEqual([true, false])
    })

    inFullRun('a user can be deleted together with all known browsers', async () => {
      const alice = await browserUser(running)
      await alice.pass()
      const browsersOfAlice = () => db().selectFrom('knownBrowser').selectAll().where('userId', '=', alice.id).execute()
      const { length: before } = await browsersOfAlice()

      const { status } = await running.call('DELETE', alice.path)

      expect([before, status, await browsersOfAlice()]).toEqual([1, 200, []])
    })
  })

  describe('codes', () => {
    it('codes are locked after ten wrong ones from known browsers and ten from elsewhere when 64 of each arrive at once', async () => {
      const alice = await browserUser(running)
      const known = await alice.pass()

      const answers = await Promise.all([
        times(64, () => alice.enter(alice.wrong(), known?.id)),
        times(64, () => alice.enter(alice.wrong())),
      ])

      expect(answers.map((each) => each.filter((answer) => answer === 'denied').length)).toEqual([10, 10])
    })

    it('codes are still accepted in a known browser while an attacker uses up the tries elsewhere', async () => {
      const alice = await browserUser(running)
      const known = await alice.pass()
      await alice.guess(10)
      expect(await alice.enter(alice.token.code())).toBe(`api.error.locked ${15 * minute}`)

      expect(await alice.enter(alice.token.code(), known?.id)).toBe('approved')
    })

    it('codes stay locked elsewhere after a correct code in a known browser, so that attackers gain no guesses', async () => {
      const alice = await browserUser(running)
      const known = await alice.pass()
      await alice.guess(10)
      await alice.enter(alice.token.code(), known?.id)
      await running.clock.advance(30)

      expect(await alice.enter(alice.token.code())).toMatch(/^api.error.locked/)
    })

    it('a browser cookie that is invented, ended or another user’s gives no second budget of codes', async () => {
      const [alice, mallory] = [await browserUser(running), await browserUser(running)]
      const [ended, foreign] = [await alice.pass(), await mallory.pass()]
      await running.call('DELETE', alice.browsers)
      await alice.guess(10)

      const answers = [ended?.id, foreign?.id, random128(), '', 'x'.repeat(3000)].map((browser) =>
        alice.enter(alice.wrong(), browser),
      )

      expect(new Set(await Promise.all(answers))).toEqual(new Set([`api.error.locked ${15 * minute}`]))
    })

    it('ten wrong codes from known browsers lock codes in all known browsers and nowhere else', async () => {
      const alice = await browserUser(running)
      const [browser, otherBrowser] = [await alice.pass(), await alice.pass()]
      await alice.guess(5, browser?.id)
      await alice.guess(5, otherBrowser?.id)

      expect(await alice.enter(alice.wrong(), browser?.id)).toBe(`api.error.locked ${15 * minute}`)
      expect(await alice.enter(alice.token.code())).toBe('approved')
    })

    it('fifty wrong codes each from known browsers and elsewhere lock codes until an administrator unlocks both', async () => {
      const alice = await browserUser(running)
      const known = await alice.pass()
      for (let round = 0; round < 5; round += 1) {
        await alice.guess(10)
        await alice.guess(10, known?.id)
        running.clock.skip(2 * 60 * minute)
      }
      const locked = [await alice.pauses(), await alice.pauses(known?.id)]

      await unlockUser(node.ctx, {
        organizationId: organizationId(),
        userId: alice.id,
        domainIds: [running.domain.id],
      })

      expect(locked).toEqual([{ codes: {} }, { codes: {} }])
      expect([await alice.pauses(), await alice.pauses(known?.id)]).toEqual([{}, {}])
    })
  })

  describe('requests to the device', () => {
    it('at most three requests from known browsers and three from elsewhere are sent when 64 of each arrive at once', async () => {
      const { browser, ask, isKnown } = await asked()
      // All connections to the database are open, so that none of the requests has to wait for one.
      await times(64, isKnown)

      const answers = await Promise.all([times(64, () => ask(browser)), times(64, () => ask())])

      expect(answers.map((each) => each.filter((answer) => answer === 'sent').length)).toEqual([3, 3])
    })

    it('requests are still sent from a known browser while an attacker uses up those from elsewhere', async () => {
      const { browser, ask, spend } = await asked()
      await spend()
      expect(await ask()).toMatch(/^api.error.toomanyrequests/)

      expect(await ask(browser)).toBe('sent')
    })

    it('requests are still sent from a known browser while an attacker keeps three requests pending', async () => {
      const { browser, ask } = await asked()
      for (let count = 0; count < 3; count += 1) await ask()

      expect([await ask(), await ask(browser)]).toEqual(['api.error.toomanyrequests 90', 'sent'])
    })

    inFullRun(
      'all known browsers together have a separate limit of requests, of the same size as elsewhere',
      async () => {
        const { user, bypass, browser, ask, answerAll, spend } = await asked()
        const second = await passByCode(running, { user: { id: user.id }, bypasscode: bypass })
        await spend(browser)

        expect(await ask(second?.id)).toBe(`api.error.toomanyrequests ${10 * minute}`)
        expect(await ask()).toBe('sent')
        await answerAll('deny')
      },
    )

    inFullRun('after an approval, requests are allowed again only in the browser that asked for it', async () => {
      const { browser, ask, answerAll, spend } = await asked()
      await spend()
      await ask(browser)
      await answerAll('approve')

      expect(await ask()).toMatch(/^api.error.toomanyrequests/)
    })

    inFullRun('requests are paused everywhere after the user answers “this was not me”', async () => {
      const { browser, ask, answerAll } = await asked()
      await ask()
      await answerAll('report')

      expect([await ask(), await ask(browser)]).toEqual(Array(2).fill(`api.error.toomanyrequests ${15 * minute}`))
    })
  })

  describe('the id of a browser', () => {
    it('the service creates browser ids and never adopts one from a request, so that a planted id is worthless', async () => {
      const [mallory, alice] = [await browserUser(running), await browserUser(running)]
      const planted = [(await mallory.pass())?.id, random128()]

      const issuedBrowsers = [await alice.pass({ id: planted[0] }), await alice.pass({ id: planted[1] })]

      expect(issuedBrowsers.map((browser) => planted.includes(browser?.id))).toEqual([false, false])
      expect([await alice.isKnown(planted[0]), await alice.isKnown(planted[1])]).toEqual([false, false])
      expect([await alice.isKnown(issuedBrowsers[0]?.id), await alice.isKnown(issuedBrowsers[1]?.id)]).toEqual([
        true,
        true,
      ])
    })

    it('a browser id has 128 random bits, and only its hash is stored', async () => {
      const known = await (await browserUser(running)).pass()

      const rows = await db().selectFrom('knownBrowser').selectAll().execute()

      expect(Buffer.from(known?.id ?? '', 'base64url')).toHaveLength(16)
      expect(JSON.stringify(rows)).not.toContain(known?.id)
    })

    it('a browser id is valid for the five users who passed last', async () => {
      const people = await times(6, () => browserUser(running))
      let browser: string | undefined
      for (const person of people) browser = (await person.pass({ id: browser }))?.id

      expect(await Promise.all(people.map((person) => person.isKnown(browser)))).toEqual([
        false,
        ...Array<boolean>(5).fill(true),
      ])
    })

    inFullRun('a browser id is replaced and no longer valid once another user has passed in the browser', async () => {
      const [alice, bob] = [await browserUser(running), await browserUser(running)]
      const first = await alice.pass()
      const second = await bob.pass({ id: first?.id })

      expect([await alice.isKnown(first?.id), await alice.isKnown(second?.id)]).toEqual([false, true])
    })

    inFullRun('a browser id is not replaced by a pass at another organization', async () => {
      const other = await createTenant(running.service, running.origin)
      const [alice, stranger] = [await browserUser(running), await browserUser({ ...running, ...other })]
      const known = await alice.pass()

      await stranger.pass({ id: known?.id })

      expect(await alice.isKnown(known?.id)).toBe(true)
    })
  })
})
