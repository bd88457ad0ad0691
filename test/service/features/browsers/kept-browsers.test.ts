import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Session } from '../../../../src/contract/sessions.ts'
import { resetUser } from '../../../../src/service/features/people/reset.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { appOrigin, createBrowserKey } from '../../../support/browser-key.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { entriesOf, openDatabase } from '../../engine/audit/recorded.ts'
import { changePass, hardwareToken, unique } from '../codes/code-holder.ts'
import { passkeyPage } from '../passkeys/passkey-holder.ts'
import { keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const day = 86_400
const number = { unknownBrowser: 'number' }
const strict = { unknownBrowser: 'passkey' }
const closed = { unknownBrowser: 'deny' }
const refused = { state: 'denied', reason: 'unknown_browser' }
const change = { purpose: 'change_devices' }

describe.each(mainEngines)('kept browsers on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  /** Another process on the same database. */
  let node: OpenedService
  let mails: MailServer

  beforeAll(async () => {
    mails = await startMailServer()
    const database = await newDatabase()
    const smtp = { host: '127.0.0.1', port: mails.port, from: 'mfa@example.com' }
    running = await startService({ database, smtp }, { bypassEnabled: true })
    node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
  })
  afterAll(async () => {
    await node.close()
    await running.close()
    await mails.close()
  })

  /** A user with a device and a hardware token, in a browser with a key. */
  async function owner() {
    const person = await running.enroll(unique())
    const { id } = person.user
    const token = await hardwareToken(running)
    await running.call('PUT', `/users/${id}/hardware/${token.id}`)
    const email = `${unique()}@example.com`
    await running.call('PUT', `/users/${id}`, { body: { email } })
    const browsers = `/domains/${running.domain.id}/users/${id}/browsers`
    const redeem = async (session: { id: string; challenge: string }, more: object = {}) =>
      running.call('POST', `${person.sessions}/${session.id}/redeem`, {
        body: { challenge: session.challenge, ...more },
      })
    /** A request that the person approves. @param answer Beside the decision. */
    const approve = async (answer: object = {}, more: object = number) => {
      const challenge = random128()
      const session = await person.ask({ challenge, ...more })
      const [request] = await person.pending()
      await person.device.answer(session.id, { nonce: request!.nonce, decision: 'approve', ...answer })
      return { challenge, id: session.id, request: request! }
    }
    /** Signs in with the device, and the page sends its key. @returns the id of the browser in its cookie. */
    const pass = async (key: Key, answer: object, browser: object = {}) => {
      const { json } = await redeem(await approve(answer), { browser: { publicKey: key.publicKey, ...browser } })
      return json.browser.id as string
    }
    const list = async (browser?: string) =>
      (await running.call('POST', `${browsers}/list`, { body: { browser } })).json
    return { ...person, ...passkeyPage(running, { id }), id, email, token, browsers, approve, redeem, pass, list }
  }
  type Key = ReturnType<typeof createBrowserKey>
  type Owner = Awaited<ReturnType<typeof owner>>

  const keeping = { keepBrowser: true }

  /** The same, and the person keeps the browser. */
  async function keeper() {
    const [person, key] = [await owner(), createBrowserKey()]
    const browser = await person.pass(key, keeping)
    return { ...person, key, browser }
  }

  /** A request from a browser. @returns what the device sees of it, or the session that was denied. */
  async function see({ ask, pending, device }: Owner, more: object) {
    const session = await ask(more)
    if (session.state === 'denied') return session.reason
    const request = (await pending()).find(({ id }) => id === session.id)
    await device.answer(session.id, { nonce: request!.nonce, decision: 'deny' })
    return request?.newBrowser ? 'new' : 'kept'
  }

  const from = (browser: string, key: Key, more: object = number) => {
    const challenge = random128()
    return { challenge, browser, browserProof: key.proof(challenge), ...more }
  }

  const codeOf = async (id: string) => {
    const body = { usesAllowed: 1, expirationTime: 30 }
    return (await running.call('POST', `/users/${id}/bypasscodes`, { body })).json as { code: string }
  }

  describe('the key of a browser', () => {
    inFullRun('a browser is kept when the user chooses so on the device', async () => {
      const { browser, key, ...person } = await keeper()

      expect(await see(person, from(browser, key))).toBe('kept')
    })

    it('the service reports a browser as kept once its key has signed, not when the user chooses to keep it', async () => {
      const [person, key] = [await owner(), createBrowserKey()]
      const chosen = await person.redeem(await person.approve(keeping), { browser: { publicKey: key.publicKey } })
      const challenge = random128()
      const proof = { browser: chosen.json.browser.id, browserProof: key.proof(challenge), ...number, challenge }

      const session = await person.ask(proof)
      const [request] = await person.pending()
      await person.device.answer(session.id, { nonce: request!.nonce, decision: 'approve' })
      const signed = await person.redeem({ id: session.id, challenge }, number)

      expect(chosen.json).not.toHaveProperty('fromKeptBrowser')
      expect(signed.json).toMatchObject({ state: 'approved', fromKeptBrowser: true })
    })

    inFullRun('using a passkey keeps the browser', async () => {
      const [person, key] = [await owner(), createBrowserKey()]
      await person.addPasskey({ pass: await changePass(running, person.id) })
      const { browser } = (await person.usePasskey({ redeem: { browser: key } })) as { browser?: { id: string } }

      expect(await see(person, from(browser!.id, key))).toBe('kept')
    })

    it.each<[string, object]>([
      ['nothing but the approval', {}],
      ['the answer no', { keepBrowser: false }],
    ])('a browser is not kept after %s, because the user may have typed the number for a relay', async (_, answer) => {
      const [person, key] = [await owner(), createBrowserKey()]
      const browser = await person.pass(key, answer)

      expect(await see(person, from(browser, key))).toBe('new')
    })

    it('a browser is not kept after a sign-in with a code', async () => {
      const [person, key, challenge] = [await owner(), createBrowserKey(), random128()]
      const body = { challenge, otp: person.token.code(), ...number, redeem: { browser: key } }
      const { browser } = (await person.ask(body)) as { browser?: { id: string } }

      expect(await see(person, from(browser!.id, key))).toBe('new')
    })

    it('a browser is not kept when the user denies the request', async () => {
      const person = await owner()
      const session = await person.ask({ challenge: random128(), ...number })
      const [request] = await person.pending()
      await person.device.answer(session.id, { nonce: request!.nonce, decision: 'deny', ...keeping })

      expect((await person.session(session.id)).keepBrowser).toBeUndefined()
    })

    inFullRun('a browser is not kept for callers that do not distinguish browsers', async () => {
      const person = await owner()
      const approval = await person.approve(keeping, {})

      expect(approval.request.newBrowser).toBeUndefined()
      expect((await person.session(approval.id)).keepBrowser).toBeUndefined()
    })

    inFullRun('the session tells the app that the user keeps the browser, so that the page sends its key', async () => {
      const person = await owner()
      const { id } = await person.approve(keeping)

      expect((await person.session(id)).keepBrowser).toBe(true)
    })

    inFullRun('a browser key has to be a point on the curve to sign anything', async () => {
      const [person, key] = [await owner(), createBrowserKey()]
      const browser = await person.pass({ ...key, publicKey: `BA${'A'.repeat(85)}` }, keeping)

      expect(await see(person, from(browser, key))).toBe('new')
    })
  })

  describe('a proof', () => {
    const cases: Record<string, (person: Awaited<ReturnType<typeof keeper>>) => object | Promise<object>> = {
      'is missing': ({ browser }) => ({ challenge: random128(), browser }),
      'is that of another key': ({ browser }) => from(browser, createBrowserKey()),
      'was made for another challenge': ({ browser, key }) => ({ ...from(browser, key), challenge: random128() }),
      'was made on another origin': ({ browser, key }) => {
        const challenge = random128()
        const browserProof = key.proof(challenge, 'https://relay.example', appOrigin)
        return { challenge, browser, browserProof }
      },
      'comes without the cookie': ({ key }) => ({ ...from('', key), browser: undefined }),
      "comes with another user's cookie": async ({ key }) => from((await keeper()).browser, key),
      'comes without a challenge': ({ browser, key }) => ({ ...from(browser, key), challenge: undefined }),
    }

    it.each(Object.keys(cases))('a browser proof does not count if it %s', async (name) => {
      const person = await keeper()
      const proof = await cases[name]?.(person)

      expect(await see(person, { ...proof, ...number })).toBe('new')
      expect(await see(person, { ...proof, ...strict })).toBe('unknown_browser')
    })

    inFullRun.each(['number', 'passkey', 'deny'])(
      'a browser proof allows push and codes where the policy for unknown browsers is %s',
      async (policy) => {
        const { browser, key, ...person } = await keeper()
        const unknownBrowser = policy

        const recognition = await see(person, from(browser, key, { unknownBrowser }))
        const code = await person.ask({ ...from(browser, key, { unknownBrowser }), otp: person.token.code() })

        expect([recognition, code.state]).toEqual(['kept', 'approved'])
      },
    )
  })

  describe('an unknown browser', () => {
    const ways: Record<string, (person: Owner) => object | Promise<object>> = {
      'a request to the device': () => ({}),
      'a code of a token': ({ token }) => ({ otp: token.code() }),
      'a recovery code': async ({ id }) => ({ bypasscode: (await codeOf(id)).code }),
      'a request for changing factors': () => change,
    }

    describe.each([
      ['passkey', strict],
      ['deny', closed],
    ])('that gets %s', (_, policy) => {
      it.each(Object.keys(ways))('the policies passkey and deny refuse an unknown browser %s', async (way) => {
        const person = await owner()

        const session = await person.ask({ challenge: random128(), ...policy, ...(await ways[way]?.(person)) })

        expect(session).toMatchObject(refused)
        expect(await person.pending()).toEqual([])
      })

      inFullRun(
        'codes from an unknown browser are neither used up nor counted under the policies passkey and deny',
        async () => {
          const person = await owner()
          const otp = person.token.code()
          for (let tries = 0; tries < 12; tries += 1) await person.ask({ ...policy, otp: '000000' })
          const denied = await person.ask({ ...policy, otp })

          expect(denied).toMatchObject(refused)
          expect(await person.ask({ otp })).toMatchObject({ state: 'approved' })
        },
      )

      inFullRun('an unknown browser passes by a passkey under the policies passkey and deny', async () => {
        const person = await owner()
        await person.addPasskey({ pass: await changePass(running, person.id) })

        expect(await person.usePasskey({ ...policy, redeem: {} })).toMatchObject({ state: 'approved' })
      })

      it('an unknown browser cannot redeem an approval that it got under a weaker policy', async () => {
        const person = await owner()
        const approval = await person.approve()

        expect((await person.redeem(approval, policy)).code).toBe('api.error.conflict.state')
      })
    })

    it('where unknown browsers need a passkey, an administrator’s code lets the user add one and change nothing else', async () => {
      const person = await owner()
      const { code } = await codeOf(person.id)
      const pass = await changePass(running, person.id, { bypasscode: code, ...strict })
      const device = await running.call('PUT', `${person.browsers.replace(/browsers$/, 'token')}/replacement`, {
        body: { pass },
      })

      expect(device.code).toBe('api.error.conflict.pass')
      expect((await person.startRegistration({ pass })).status).toBe(200)
    })

    const handOver = async (person: Owner, more: object = {}) => {
      const key = createBrowserKey()
      const request = {
        challenge: random128(),
        ...closed,
        ...change,
        redeem: { browser: { publicKey: key.publicKey } },
      }
      const { code } = await codeOf(person.id)
      const session = (await person.ask({ ...request, bypasscode: code, ...more })) as Session & {
        browser?: { id: string }
      }
      return { key, code, session }
    }

    it('where unknown browsers are denied, an administrator’s code keeps the browser and sends a mail', async () => {
      const person = await owner()
      const { key, code, session } = await handOver(person)

      const secondHandOver = await handOver(person, { bypasscode: code })

      expect(session).toMatchObject({ state: 'approved', factor: 'bypass' })
      expect(await see(person, from(session.browser!.id, key, closed))).toBe('kept')
      expect(secondHandOver.session.state).toBe('denied')
      await expect.poll(() => subjects(person.email)).toEqual(['A browser was added at Domain'])
    })

    it('where unknown browsers are denied, an administrator’s code allows nothing but keeping the browser', async () => {
      const person = await owner()
      const { session } = await handOver(person)
      const pass = session.id

      const answers = [
        await person.startRegistration({ pass }),
        await running.call('PUT', `${person.browsers.replace(/browsers$/, 'token')}/replacement`, { body: { pass } }),
        await running.call('DELETE', `${person.browsers}?pass=${pass}`),
      ]

      expect(answers.map(({ code }) => code)).toEqual(Array<string>(3).fill('api.error.conflict.pass'))
    })

    it.each<[string, object]>([
      ['there is no key to keep', { redeem: undefined }],
      ['a kept browser would not help', { phishingResistant: 'require' }],
      ['it is used for signing in', { purpose: 'sign_in' }],
    ])('where unknown browsers are denied, an administrator’s code is not used up if %s', async (_, more) => {
      const person = await owner()
      const { code, session } = await handOver(person, more)

      const { session: laterSession } = await handOver(person, { bypasscode: code })

      expect([session.state, laterSession.state]).toEqual(['denied', 'approved'])
    })

    it.each([
      [{ usesAllowed: 2, expirationTime: 30 }],
      [{ usesAllowed: 1, expirationTime: 31 }],
      [{ usesAllowed: 1, expirationTime: 0 }],
    ])('where unknown browsers are denied, a code that was not handed over keeps none: %j', async (body) => {
      const person = await owner()
      const { json } = await running.call('POST', `/users/${person.id}/bypasscodes`, { body })

      const { session } = await handOver(person, { bypasscode: json.code })

      expect(session).toMatchObject({ state: 'denied', reason: 'phishing_resistance_required' })
    })

    inFullRun(
      'a denial does not name the unknown browser as its reason where a kept browser would not help',
      async () => {
        const person = await owner()

        const session = await person.ask({ ...strict, phishingResistant: 'require' })

        expect(session.reason).toBe('phishing_resistance_required')
      },
    )
  })

  describe('a kept browser', () => {
    it('a browser stays kept for 90 days', async () => {
      const { browser, key, ...person } = await keeper()
      running.clock.skip(90 * day - 1)
      const before = await see(person, from(browser, key))
      running.clock.skip(1)

      expect([before, await see(person, from(browser, key))]).toEqual(['kept', 'new'])
    })

    inFullRun('using a passkey keeps a browser for another 90 days without another mail', async () => {
      const { browser, key, ...person } = await keeper()
      await person.addPasskey({ pass: await changePass(running, person.id) })
      const use = async (id?: string) => {
        const passed = await person.usePasskey({ redeem: { browser: { id, publicKey: key.publicKey } } })
        return (passed as { browser?: { id: string } }).browser?.id
      }
      const first = await use(browser)
      running.clock.skip(60 * day)
      const renewed = await use(first)
      running.clock.skip(60 * day)

      expect(await see(person, from(renewed!, key))).toBe('kept')
      expect(await entries(person.id)).toHaveLength(2)
    })

    inFullRun('a browser stays kept after a later pass that does not keep it', async () => {
      const { browser, key, ...person } = await keeper()
      const approval = await person.approve({}, from(browser, key))
      await running.call('POST', `${person.sessions}/${approval.id}/redeem`, {
        body: { challenge: approval.challenge, browser: { id: browser } },
      })

      expect(await see(person, from(browser, key))).toBe('kept')
    })

    it('a user keeps at most ten browsers, and the one kept first is dropped', async () => {
      const person = await owner()
      const keptBrowsers: [string, Key][] = []
      for (let count = 0; count < 11; count += 1) {
        const key = createBrowserKey()
        keptBrowsers.push([await person.pass(key, keeping), key])
        running.clock.skip(200)
      }

      const recognitions: unknown[] = []
      for (const [browser, key] of keptBrowsers) {
        recognitions.push(await see(person, from(browser, key)))
        running.clock.skip(700)
      }
      expect(recognitions).toEqual(['new', ...Array<string>(10).fill('kept')])
    })

    const report = async (person: Owner, more: object) => {
      const { id } = await person.ask({ challenge: random128(), ...number, ...more })
      const request = (await person.pending()).find((pending) => pending.id === id)
      await person.device.answer(id, { nonce: request!.nonce, decision: 'report' })
      running.clock.skip(1000)
    }
    const endOthers = ({ id }: Owner) =>
      running.call('POST', `/domains/${running.domain.id}/users/${id}/epoch`, { body: { epoch: random128() } })

    it('a browser is no longer kept once the user reports a request from it, and other browsers stay kept', async () => {
      const { browser, key, ...person } = await keeper()
      const otherKey = createBrowserKey()
      const other = await person.pass(otherKey, keeping)

      await report(person, from(browser, key))

      expect(await see(person, from(browser, key))).toBe('new')
      running.clock.skip(700)
      expect(await see(person, from(other, otherKey))).toBe('kept')
    })

    it.each<[string, (person: Owner) => Promise<unknown>]>([
      ['reports a request from another browser', (person) => report(person, {})],
      ['ends all other sessions', endOthers],
      ['forgets all browsers without a pass', ({ browsers }) => running.call('DELETE', browsers)],
    ])('a browser stays kept but is no longer remembered when the user %s', async (_, act) => {
      const [person, key] = [await owner(), createBrowserKey()]
      const browser = await person.pass(key, keeping, { rememberDays: 30 })
      const [before] = await person.list()

      await act(person)

      const [after] = await person.list()
      expect([before.rememberedUntil, after.rememberedUntil]).toEqual([expect.any(Number), undefined])
      expect(await see(person, from(browser, key))).toBe('kept')
    })

    inFullRun('a known browser without a key is forgotten when the user ends all other sessions', async () => {
      const person = await owner()
      const browser = await person.pass(createBrowserKey(), {}, { rememberDays: 30 })

      await endOthers(person)

      expect(await person.list(browser)).toEqual([])
    })

    it.each<[string, (person: Owner) => Promise<string | undefined>]>([
      ['no pass', async () => undefined],
      [
        'a pass for signing in',
        async ({ id }) => changePass(running, id, { ...(await codeOf(id)), purpose: 'sign_in' }),
      ],
      ["another user's pass", async () => changePass(running, (await owner()).id)],
    ])('a kept browser cannot be removed with %s', async (_, passFor) => {
      const { browser, key, ...person } = await keeper()
      const pass = await passFor(person)
      const query = pass === undefined ? '' : `?pass=${pass}`

      const { code } = await running.call('DELETE', `${person.browsers}/${(await person.list())[0].id}${query}`)

      expect(code).toBe('api.error.conflict.pass')
      expect(await see(person, from(browser, key))).toBe('kept')
    })

    it.each<[string, (person: Owner) => Promise<unknown>]>([
      [
        'the user forgets all browsers with a pass',
        async ({ browsers, id }) => running.call('DELETE', `${browsers}?pass=${await changePass(running, id)}`),
      ],
      [
        'the user removes it from the list with a pass',
        async ({ browsers, list, id }) =>
          running.call('DELETE', `${browsers}/${(await list())[0].id}?pass=${await changePass(running, id)}`),
      ],
      ["the user's factors change", (person) => running.call('DELETE', `/users/${person.id}/hardware`)],
    ])('a browser is no longer kept when %s', async (_, end) => {
      const { browser, key, ...person } = await keeper()

      const answered = (await end(person)) as { status?: number } | undefined

      expect(answered?.status ?? 200).toBe(200)
      expect(await see(person, from(browser, key))).toBe('new')
    })

    inFullRun('a browser that is no longer kept is not kept again by the next code', async () => {
      const { browser, key, ...person } = await keeper()
      await running.call('DELETE', `/users/${person.id}/hardware`)
      const { code } = await codeOf(person.id)
      const passed = (await person.ask({
        challenge: random128(),
        bypasscode: code,
        redeem: { browser: { id: browser } },
      })) as {
        browser?: { id: string }
      }

      expect(await see(person, from(passed.browser!.id, key))).toBe('new')
    })

    it('resetting a user ends the user’s kept browsers', async () => {
      const { id } = await keeper()

      await resetUser(node.ctx, { organizationId: running.organization.id, userId: id })

      const rows = await node.ctx.store.db.selectFrom('knownBrowser').selectAll().where('userId', '=', id).execute()
      expect(rows).toEqual([])
    })

    inFullRun('the list of browsers shows a kept browser with its place and date', async () => {
      const [person, key] = [await owner(), createBrowserKey()]
      const now = running.clock.now()
      const browser = await person.pass(key, keeping, { name: 'Firefox · Linux', place: 'Lyon, France' })

      expect(await person.list(browser)).toEqual([
        {
          id: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
          name: 'Firefox · Linux',
          knownSince: now,
          lastUsedAt: now,
          keptSince: now,
          keptUntil: now + 90 * day,
          place: 'Lyon, France',
          current: true,
        },
      ])
    })

    it('keeping a browser is announced by mail and recorded in the audit trail', async () => {
      const person = await keeper()

      await expect.poll(() => subjects(person.email)).toEqual(['A browser was added at Domain'])
      expect(await entries(person.id)).toHaveLength(1)
    })
  })

  const subjects = (email: string) =>
    mails.mails
      .filter(({ to }) => to.includes(email))
      .flatMap(({ headers }) => headers.get('subject') ?? [])
      .filter((subject) => subject.includes('browser'))
  const entries = async (user: string) =>
    (await entriesOf(node.ctx.store.db)).filter(({ event, facts }) => event === 'browser.kept' && facts.user === user)
})
