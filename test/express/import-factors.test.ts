import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Secret, TOTP } from 'otpauth'
import { requireMfa } from 'second-factor'
import type { BroughtFactors, MfaOptions } from 'second-factor'
import { embedded } from 'second-factor/service'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { resetUser } from '../../src/service/features/people/reset.ts'
import { settleRestored } from '../../src/service/upkeep/restored.ts'
import { engines, useEngine } from '../support/engines.ts'
import { frameworks } from '../support/frameworks.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { MailServer } from '../support/mail-server.ts'
import { startWebApp } from '../support/web-app.ts'
import type { WebAppOptions } from '../support/web-app.ts'
import { openDatabase } from '../service/engine/audit/recorded.ts'
import { member } from '../service/features/codes/code-holder.ts'
import { keysFor, startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { isIn, startOwnApp } from './own-factors.ts'

type Parameters = ConstructorParameters<typeof TOTP>[0]

/** What the app's own store has of Alice, and what her phone shows. */
function store(recovery?: BroughtFactors['recovery'], parameters: Parameters = {}) {
  const totp = new TOTP({ issuer: 'Old', label: 'alice', secret: new Secret({ size: 20 }), ...parameters })
  const asked: string[] = []
  let answer: unknown = { otpauth: totp.toString(), ...(recovery && { recovery }) }
  return {
    asked,
    secret: totp.secret.base32,
    seed: totp.secret.hex,
    totp,
    answers: (changed: unknown) => void (answer = changed),
    importFactors: ((user) => {
      asked.push(user.username ?? '')
      return user.username === 'alice' ? answer : undefined
    }) as NonNullable<MfaOptions['importFactors']>,
  }
}

interface Settings {
  readonly recovery?: BroughtFactors['recovery']
  readonly mfa?: Partial<MfaOptions>
  readonly parameters?: Parameters
  readonly database?: string
  readonly service?: object
  readonly routes?: WebAppOptions['routes']
}

/** An app whose own store has an app of Alice. She has typed her password. */
async function startMoving({ recovery, mfa = {}, parameters, database, service, routes }: Settings = {}) {
  const brought = store(recovery, parameters)
  const options = { importFactors: brought.importFactors, ...mfa }
  const app = await startOwnApp(options, {}, database, routes, service)
  const code = (steps = 0) =>
    brought.totp.generate({ timestamp: (app.clock.now() + steps * brought.totp.period) * 1000 })
  const { browser, page } = await app.newcomer()
  const enter = (typed: string) => browser.submit('/mfa/code', { code: typed })
  return { ...app, brought, browser, page, code, enter }
}

/** The same over a file, which commands open beside it. */
async function startMovingOnFile(settings: Settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-import-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = join(folder, 'mfa.sqlite')
  const app = await startMoving({ ...settings, database })
  const node = await openDatabase(database, { clock: app.clock })
  onTestFinished(() => node.close())
  const [organization] = await node.ctx.store.db.selectFrom('organization').select('id').execute()
  const reset = async () =>
    resetUser(node.ctx, { organizationId: organization?.id ?? '', userId: (await app.user()).id })
  const allowMail = () => node.ctx.store.db.updateTable('domain').set({ emailOtpEnabled: 1 }).execute()
  return { ...app, reset, restore: () => settleRestored(node.ctx, []), allowMail }
}

/** The traces of an enrollment on a page. */
const enrollment = /otpauth:|#code=|id="secret"|enroll\//

describeInFullRun.each(engines)('people who move, on %s', (engine) => {
  const createDatabase = useEngine(engine)

  it('people who move sign in with the app that they have, and never see an enrollment', async () => {
    const database = await createDatabase()
    const { browser, page, enter, code, brought, user, happened } = await startMoving({
      database,
      service: keysFor(database),
    })

    const done = await enter(code())

    expect(page.text).toContain('Type the code that the authenticator app you already use shows for Test.')
    expect(page.text).not.toMatch(enrollment)
    expect(done.headers['location']).toBe('/account')
    expect((await browser.fetch('/account')).body.mfa.verified.factor).toBe('otp')
    expect(await user()).toMatchObject({ everEnrolled: true, importState: 'closed', factors: ['otp'] })
    expect(happened().filter((type) => type === 'factors.imported')).toHaveLength(1)
    const before = brought.asked.length
    const again = await signInAgain()
    expect(again.text).toContain('Enter a code')
    expect(brought.asked).toHaveLength(before)

    async function signInAgain() {
      await browser.submit('/logout')
      await browser.submit('/login', { username: 'alice', password: 'secret' })
      return browser.visit('/account')
    }
  })
})

describe('an app with a store of its own', () => {
  inFullRun.each(frameworks)('people who move sign in with the app that they have, on %s', async (framework) => {
    const brought = store()
    const app = await startOwnApp(
      { importFactors: brought.importFactors },
      {},
      undefined,
      undefined,
      undefined,
      framework,
    )
    const { browser } = await app.newcomer()

    await browser.submit('/mfa/code', { code: brought.totp.generate({ timestamp: app.clock.now() * 1000 }) })

    expect(await isIn(browser)).toBe(true)
  })

  inFullRun.each([
    ['an app that accepts codes alone', { factors: ['otp', 'bypass'] }],
    ['an app that lets nobody enroll', { selfEnrollment: false }],
    ['an app that has passkeys', { publicUrl: 'http://localhost' }],
  ] satisfies [string, Partial<MfaOptions>][])('people who move sign in to %s', async (_what, mfa) => {
    const { browser, page, enter, code } = await startMoving({ mfa })

    await enter(code())

    expect(page.text).not.toMatch(enrollment)
    expect(await isIn(browser)).toBe(true)
  })

  inFullRun('people who move keep an app with another hash, length and period', async () => {
    const parameters = { algorithm: 'SHA512', digits: 8, period: 60 }
    const { browser, enter, code } = await startMoving({ parameters })

    await enter(code())

    expect(await isIn(browser)).toBe(true)
  })

  inFullRun('people who move can type a recovery code, once, in letters', async () => {
    const { browser, page, enter, happened, ...app } = await startMoving({ recovery: ['QX7P-z4m2', 'abcd-efgh'] })

    await enter('QX7P-z4m2')

    expect(page.text).toContain('or one of your recovery codes')
    expect(page.text).toContain('inputmode="text"')
    expect((await browser.fetch('/account')).body.mfa.verified.factor).toBe('bypass')
    expect(happened()).toContain('factors.imported')
    const { browser: next, page: codePage } = await app.newcomer()
    expect(codePage.text).toContain('inputmode="text"')
    await next.submit('/mfa/code', { code: 'QX7P-z4m2' })
    expect(await isIn(next)).toBe(false)
    await next.submit('/mfa/code', { code: 'ABCD EFGH' })
    expect(await isIn(next)).toBe(true)
  })

  inFullRun(
    'the field for codes takes digits alone where the person has no recovery codes of another system',
    async () => {
      const { page, enter, browser, happened } = await startMoving()

      const answer = await enter('QX7P-z4m2')

      expect(page.text).toContain('inputmode="numeric"')
      expect((await browser.visit(answer.headers['location'] ?? '')).text).toContain('A code has 6 to 9 digits.')
      expect(happened()).not.toContain('code.wrong')
    },
  )

  inFullRun('wrong codes count, store nothing, and lock', async () => {
    const { browser, enter, code, user, happened, newcomer } = await startMoving()

    const first = await browser.visit((await enter('000000')).headers['location'] ?? '')
    for (let tries = 0; tries < 4; tries += 1) await enter('000000')
    const paused = await browser.visit('/mfa')
    const { browser: other } = await newcomer()
    for (let tries = 0; tries < 5; tries += 1) await other.submit('/mfa/code', { code: '000000' })
    await other.submit('/mfa/code', { code: code() })

    expect(first.text).toContain('4 tries left')
    expect(first.text).toContain('you already use')
    expect(paused.text).toContain('Too many tries')
    expect(await isIn(other)).toBe(false)
    expect(await user()).toMatchObject({ everEnrolled: false, hardware: '', importState: 'open' })
    expect(happened().filter((type) => type === 'code.wrong')).toHaveLength(10)
    expect(happened()).not.toContain('factors.imported')
  })

  inFullRun('a code that imported the app is used up', async () => {
    const { enter, code, newcomer } = await startMoving()
    const used = code()
    await enter(used)

    const { browser } = await newcomer()
    await browser.submit('/mfa/code', { code: used })

    expect(await isIn(browser)).toBe(false)
  })

  it('with the password alone, an attacker can set up nothing while the factors of the user can be imported', async () => {
    const { browser, user, client, domainId } = await startMoving({ mfa: { publicUrl: 'http://localhost' } })

    const pages = []
    for (const path of ['', '/enroll/app', '/enroll/passkey', '?use=phone', '?use=code', '?use=other', '?use=email'])
      pages.push(await browser.open(`/mfa${path}`))
    const posts = []
    for (const path of ['/send', '/enroll/app', '/enroll/passkey', '/enroll/passkey/options', '/email'])
      posts.push(await browser.submit(`/mfa${path}`, { code: '123456' }))

    for (const { text } of [...pages, ...posts]) expect(text).not.toMatch(enrollment)
    expect(posts.map(({ headers }) => headers['location'])).toEqual(Array(5).fill('/mfa'))
    const { id, everEnrolled } = await user()
    expect(everEnrolled).toBe(false)
    await expect(client.tokens.get(domainId, id)).rejects.toMatchObject({ code: 'api.error.notfound.token' })
  })

  it('an attacker with the password cannot bring a seed: only the app says which factors a user has', async () => {
    const { browser, code, enter, clock, brought, user } = await startMoving()
    const own = new TOTP({ secret: new Secret({ size: 20 }) })
    const shown = own.generate({ timestamp: clock.now() * 1000 })
    const app = { seed: own.secret.hex, algorithm: 'SHA1', digits: 6, period: 30 }

    for (const factors of [JSON.stringify({ app }), own.toString()])
      await browser.submit('/mfa/code', { code: shown, factors, otpauth: own.toString(), seed: own.secret.hex })
    const isInBefore = await isIn(browser)
    await enter(code())

    expect(isInBefore).toBe(false)
    expect(await user()).toMatchObject({ factors: ['otp'] })
    expect(brought.asked.length).toBeGreaterThan(2)
    expect(await isIn(browser)).toBe(true)
  })

  it('the seed is in no page, no web session, no event and no log, and the app is asked again when the code arrives', async () => {
    const recovery = ['QX7P-z4m2']
    const { browser, page, enter, code, brought, kept, events, trouble } = await startMoving({ recovery })
    await enter('000000')
    const askedBefore = brought.asked.length

    const done = await enter(code())

    const traces = [page.text, done.text, kept(), JSON.stringify(events), trouble.join(), browser.cookies()].join('\n')
    expect(brought.asked.length).toBe(askedBefore + 1)
    for (const secret of [brought.secret, brought.seed, 'QX7P-z4m2', 'QX7Pz4m2', 'qx7pz4m2'])
      expect(traces).not.toContain(secret)
  })

  inFullRun('two tabs of one person import once, and both go on', async () => {
    const { browser, enter, code, happened, client } = await startMoving()
    const second = await browser.visit('/mfa')

    const first = await enter(code())
    const late = await enter(code(1))

    expect(second.text).toContain('you already use')
    expect([first.headers['location'], late.headers['location']]).toEqual(['/account', '/account'])
    expect(happened().filter((type) => type === 'factors.imported')).toHaveLength(1)
    expect(await client.hardware.list()).toHaveLength(1)
  })

  inFullRun('two browsers at once import once', async () => {
    const { browser, code, newcomer, client } = await startMoving()
    const { browser: other } = await newcomer()

    await Promise.all([browser, other].map((each) => each.submit('/mfa/code', { code: code() })))

    expect((await Promise.all([isIn(browser), isIn(other)])).filter(Boolean)).toHaveLength(1)
    expect(await client.hardware.list()).toHaveLength(1)
  })

  inFullRun('people who set up a factor meanwhile, in another app, go on with that', async () => {
    const { browser, enter, code, user, client, domainId, clock } = await startMoving()
    const seed = randomBytes(20).toString('hex')
    const own = new TOTP({ secret: Secret.fromHex(seed) })
    const { id } = await user()
    const shown = own.generate({ timestamp: clock.now() * 1000 })
    await client.hardware.enroll(domainId, id, { type: 'TOTP6', timeStep: 30, seed, otp: shown, first: true })

    await enter(code())
    const page = await browser.visit('/mfa')
    await clock.advance(30)
    await enter(own.generate({ timestamp: clock.now() * 1000 }))

    expect(page.text).not.toContain('you already use')
    expect(await isIn(browser)).toBe(true)
  })

  inFullRun('after the back button, the page of the code leads on', async () => {
    const { browser, enter, code } = await startMoving()
    await enter(code())

    const back = await browser.open('/mfa?use=code')
    const posted = await enter(code(1))

    expect([back.headers['location'], posted.headers['location']]).toEqual(['/account', '/account'])
  })
})

describe('other ways, while factors can be imported', () => {
  let running: Running
  let server: MailServer

  beforeAll(async () => {
    server = await startMailServer()
    const smtp = { host: '127.0.0.1', port: server.port, from: 'mfa@example.com' }
    running = await startService({ smtp }, { emailOtpEnabled: true, bypassEnabled: true })
  })
  afterAll(async () => {
    await running.close()
    await server.close()
  })

  async function startWithMail() {
    const { origin, apiKey, domain, clock } = running
    const { username, memberPath, show } = await member(running)
    const totp = new TOTP({ secret: new Secret({ size: 20 }) })
    const app = await startWebApp({
      mfa: {
        service: { baseUrl: `${origin}/api`, apiKey, domainId: domain.id },
        clock,
        factors: ['push', 'otp', 'bypass', 'email'],
        importFactors: (user) => (user.username === username ? { otpauth: totp.toString() } : null),
      },
    })
    const browser = app.browser()
    await app.signIn(browser, username)
    const page = await browser.visit('/account')
    const sendMail = () => running.call('POST', `${memberPath}/otp`, { body: { deliverableOTPType: 'EMAIL' } })
    return { browser, page, sendMail, show }
  }

  it('the mailbox does not replace the factors that the app has of a user: no code is sent, and none counts', async () => {
    const { browser, page, sendMail, show } = await startWithMail()
    const before = server.mails.length

    const posted = await browser.submit('/mfa/email')
    const others = await browser.open('/mfa?use=other')
    const sentByPage = server.mails.length - before
    await sendMail()
    await browser.submit('/mfa/code', { code: server.mails.at(-1)?.code ?? '' })

    expect([page.text, others.text].join()).not.toContain('mail')
    expect([posted.headers['location'], sentByPage]).toEqual(['/mfa', 0])
    expect(await isIn(browser)).toBe(false)
    expect(await show()).toMatchObject({ everEnrolled: false })
  })

  it('after a restore, no e-mailed code signs in users whose factors the app has', async () => {
    const smtp = { host: '127.0.0.1', port: server.port, from: 'mfa@example.com' }
    const factors: MfaOptions['factors'] = ['push', 'otp', 'bypass', 'email']
    const { restore, allowMail, newcomer, client, domainId, user } = await startMovingOnFile({
      mfa: { factors },
      service: { smtp },
    })
    await allowMail()
    await restore()
    const { browser } = await newcomer()

    await client.sessions.sendCode(domainId, (await user()).id, 'email')
    await browser.submit('/mfa/code', { code: server.mails.at(-1)?.code ?? '' })

    expect(await isIn(browser)).toBe(false)
    expect(await user()).toMatchObject({ everEnrolled: false, importState: 'restored' })
  })

  it('a route that accepts passkeys alone lets users who bring an app add none with the password alone', async () => {
    const { browser, user } = await startMoving({
      mfa: { gate: false, publicUrl: 'http://localhost' },
      routes: (app) => void app.get('/keys', requireMfa({ factors: ['passkey'] }), (_req, res) => void res.send('in')),
    })

    const page = await browser.visit('/keys')
    const setup = await browser.open('/mfa/enroll/passkey')
    const options = await browser.submit('/mfa/enroll/passkey/options')

    expect([page.text, setup.text, options.text].join()).not.toMatch(enrollment)
    expect([setup.headers['location'], options.headers['location']]).toEqual(['/mfa', '/mfa'])
    expect(await user()).toMatchObject({ everEnrolled: false })
  })
})

describe('who is asked about', () => {
  inFullRun('people who are in no store of the app set up a factor as usual', async () => {
    const { brought, newcomer } = await startMoving()

    const { page } = await newcomer('bob')

    expect(brought.asked).toContain('bob')
    expect(page.text).toMatch(enrollment)
  })

  inFullRun.each([undefined, null, false])('an answer of %s means that the store has nothing', async (answer) => {
    const { brought, newcomer, browser } = await startMoving()
    brought.answers(answer)

    expect((await browser.visit('/mfa')).text).toMatch(enrollment)
    expect((await newcomer()).page.text).toMatch(enrollment)
  })

  it('people who were reset are offered an enrollment as always, and their store is not asked', async () => {
    const { enter, code, reset, brought, newcomer } = await startMovingOnFile()
    await enter(code())
    await reset()
    const before = brought.asked.length

    const { page } = await newcomer()

    expect(page.text).toMatch(enrollment)
    expect(brought.asked).toHaveLength(before)
  })

  inFullRun(
    'people who were reset before they moved are offered an enrollment, and their store is not asked',
    async () => {
      const { reset, brought, newcomer } = await startMovingOnFile()
      await reset()
      const before = brought.asked.length

      const { browser, page } = await newcomer()
      await browser.submit('/mfa/code', { code: '000000' })

      expect(page.text).toMatch(enrollment)
      expect(brought.asked).toHaveLength(before)
    },
  )

  it('after a restore, people whose store has factors are led to an administrator, and set up nothing', async () => {
    const { restore, brought, newcomer, code, user } = await startMovingOnFile()
    await restore()

    const { browser, page } = await newcomer()
    const posted = await browser.submit('/mfa/code', { code: code() })
    const setup = await browser.open('/mfa/enroll/app')

    expect(brought.asked.length).toBeGreaterThan(0)
    expect(page.text).toContain('activation code that your administrator gave you')
    expect([page.text, setup.text].join()).not.toMatch(/otpauth:|#code=/)
    expect([posted.headers['location'], setup.headers['location']]).toEqual(['/mfa?use=code', '/mfa'])
    expect(await isIn(browser)).toBe(false)
    expect(await user()).toMatchObject({ everEnrolled: false, importState: 'restored' })
  })

  inFullRun('after a restore, people who are in no store of the app set up a factor as usual', async () => {
    const { restore, newcomer } = await startMovingOnFile()
    await newcomer('bob')
    await restore()

    expect((await newcomer('bob')).page.text).toMatch(enrollment)
  })

  inFullRun('people to whom an administrator gives an activation code use that, and not their store', async () => {
    const { browser, user, client, domainId, enter, code } = await startMoving()
    const { id } = await user()
    await client.tokens.issue(domainId, id)

    const page = await browser.visit('/mfa')
    await enter(code())

    expect(page.text).toContain('activation code that your administrator gave you')
    expect(await isIn(browser)).toBe(false)
  })

  inFullRun('people whom the service does not know are not asked about', async () => {
    const { brought, page, browser, enter, code } = await startMoving({ mfa: { provision: false } })
    await enter(code())

    expect(brought.asked).toEqual([])
    expect(page.text).not.toMatch(enrollment)
    expect(await isIn(browser)).toBe(false)
  })

  inFullRun('people who need no second step are not asked about', async () => {
    const { brought, browser } = await startMoving({ mfa: { required: () => false } })

    expect((await browser.fetch('/account')).status).toBe(200)
    expect(brought.asked).toEqual([])
  })
})

describe('a store that gives no usable answer', () => {
  const uri = (parameters: string) => `otpauth://totp/alice?${parameters}`
  const seed = 'GEZDGNBVGY3TQOJQ'

  const failures: readonly (readonly [string, unknown])[] = [
    ['an address of no authenticator app', { otpauth: 'https://app.example' }],
    ['codes that are counted', { otpauth: `otpauth://hotp/alice?secret=${seed}&counter=1` }],
    ['a seed that is too short', { otpauth: uri('secret=GEZDGNBV') }],
    ['a parameter that is not known', { otpauth: uri(`secret=${seed}&encoder=steam`) }],
    ['no address', { secret: seed }],
    ['a text', uri(`secret=${seed}`)],
    ['recovery codes in one text', { otpauth: uri(`secret=${seed}`), recovery: '["abcd-efgh"]' }],
  ]

  it.each(failures)('answers 503 and offers no enrollment, on every route: %s', async (_what, answer) => {
    const { browser, brought, trouble, user, happened } = await startMoving()
    brought.answers(answer)

    await expectRefusals(browser)

    expect(await user()).toMatchObject({ everEnrolled: false, hardware: '' })
    expect(trouble.join()).toContain('importFactors returned an unusable answer')
    expect(trouble.join()).not.toContain(seed)
    expect(happened()).toContain('service.unavailable')
  })

  inFullRun('recovery codes that cannot be imported keep nobody out: the app is imported without them', async () => {
    const warn = vi.fn<(message: string) => void>()
    const { browser, brought, user } = await startMoving({ mfa: { logger: { info() {}, warn, error() {} } } })
    const codes = Array.from({ length: 21 }, (_, index) => `code-${1000 + index}`)
    const unusable = ['------', 'short', '123456', `$2b$10$${'a'.repeat(53)}`]
    brought.answers({ otpauth: uri(`secret=${seed}`), recovery: [...unusable, ...codes] })
    await browser.open('/mfa')

    await browser.submit('/mfa/code', { code: '- - - - - -' })
    const refused = (await user()).everEnrolled
    await browser.submit('/mfa/code', { code: 'code-1000' })

    expect(refused).toBe(false)
    expect(await user()).toMatchObject({ everEnrolled: true, importedCodes: true })
    expect(warn.mock.calls.join()).toContain('5 of 25 recovery codes of a user cannot be imported')
  })

  it('answers 503 and offers no enrollment when it fails, whatever it throws', async () => {
    let thrown = (): Promise<never> =>
      Promise.reject(new SyntaxError(`Unexpected token 'J', "${seed}" is not valid JSON`))
    const { browser, trouble } = await startMoving({ mfa: { importFactors: () => thrown(), failMode: () => true } })
    await expectRefusals(browser)
    thrown = () => {
      throw new Error('at once')
    }
    await expectRefusals(browser)
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an app may reject with anything
    thrown = () => Promise.reject(Object.create(null))
    await expectRefusals(browser)

    expect(trouble.join()).toMatch(/importFactors failed: SyntaxError at \S/)
    expect(trouble.join()).toMatch(/importFactors failed: Error at \S/)
    expect(trouble.join()).toContain('it threw something that is no Error')
    expect(trouble.join()).not.toContain(seed)
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  it('answers 503 and offers no enrollment when it takes longer than 3 seconds', async () => {
    const { browser, clock, trouble, brought, user } = await startMoving()
    brought.answers(new Promise(() => {}))

    for (const ask of [() => browser.open('/mfa'), () => browser.submit('/mfa/code', { code: '123456' })]) {
      const timer = clock.timerSet(3)
      const waiting = ask()
      await timer
      await clock.advance(3)
      expect((await waiting).status).toBe(503)
    }

    expect(trouble.join()).toContain('has not answered within 3 s')
    expect(await user()).toMatchObject({ everEnrolled: false })
  })

  inFullRun('the page of a store that fails says that nothing was lost', async () => {
    const { browser, brought } = await startMoving()
    brought.answers({})

    const page = await browser.open('/mfa')

    expect(page.text).toContain('couldn&#39;t look up your account')
    expect(page.headers['retry-after']).toBe('5')
  })

  async function expectRefusals(browser: Awaited<ReturnType<typeof startMoving>>['browser']) {
    const answers = [
      await browser.open('/mfa'),
      await browser.open('/mfa?use=other'),
      await browser.open('/mfa/enroll/app'),
      await browser.open('/mfa/enroll/passkey'),
      await browser.submit('/mfa/code', { code: '123456' }),
      await browser.submit('/mfa/enroll/app', { code: '123456' }),
      await browser.submit('/mfa/enroll/passkey'),
      await browser.submit('/mfa/enroll/passkey/options'),
      await browser.submit('/mfa/send'),
    ]
    expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(503))
    for (const { text } of answers) expect(text).not.toMatch(enrollment)
  }
})

describe('the option importFactors', () => {
  it('importFactors stops users of a service that is too old to import, instead of letting them enroll', async () => {
    const inner = embedded({ database: ':memory:' })
    const older: typeof fetch = async (...call) => {
      const response = await (await inner.connect({})).fetch?.(...call)
      const text = (await response?.text()) ?? ''
      return new Response(text.replaceAll('"importState":"open",', ''), response)
    }
    const service = { ...inner, connect: async () => ({ ...(await inner.connect({})), fetch: older }) }
    const { page } = await startMoving({ mfa: { service } })
    onTestFinished(() => inner.close())

    expect([page.status, page.text]).toEqual([
      500,
      expect.stringContaining('importFactors needs a service that imports'),
    ])
  })

  it.each([
    [{ factors: ['push'] }, "importFactors needs 'otp' among factors"],
    [{ phishingResistant: 'require', publicUrl: 'https://app.example' }, 'excludes importFactors'],
    [{ unknownBrowser: 'passkey', publicUrl: 'https://app.example' }, 'excludes importFactors'],
  ] satisfies [Partial<MfaOptions>, string][])(
    'importFactors is refused when the app starts where no code could pass: %j',
    async (mfa, message) => {
      await expect(startMoving({ mfa })).rejects.toThrow(message)
    },
  )
})
