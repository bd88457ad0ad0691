import { mfa, requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { embedded } from 'second-factor/service'
import { describe, expect, it, onTestFinished } from 'vitest'

import type { CreationOptions } from '../../src/contract/webauthn.ts'
import { createBrowser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'
import { isVerified, startPolicyApp } from './policy-app.ts'
import type { PolicyOptions } from './policy-app.ts'

const publicUrl = 'https://app.example'
const policies = ['prefer', 'require'] as const
const remote = { baseUrl: 'https://mfa.example/api', apiKey: 'key', domainId: 'd'.repeat(40) }

/** Where each of the two can be asked for, and the page that then asks for it. */
const places: readonly [place: string, at: string, (policy: 'prefer' | 'require') => PolicyOptions][] = [
  ['the app', '/account', (phishingResistant) => ({ mfa: { phishingResistant } })],
  ['a route', '/guarded', (phishingResistant) => ({ guard: { phishingResistant } })],
  ['the domain', '/account', () => ({})],
]

describe('the option phishingResistant', () => {
  const start = (options: Partial<MfaOptions>) => {
    const service = embedded({ database: ':memory:' })
    onTestFinished(() => service.close())
    return () => mfa({ service, publicUrl, logger: { info() {}, warn() {}, error() {} }, ...options })
  }

  it.each<[Partial<MfaOptions>, string]>([
    [{ passkeys: false }, 'needs passkeys, which are off: passkeys is false'],
    [{ publicUrl: 'https://192.0.2.1' }, 'needs passkeys, which are off: browsers accept none at an IP address'],
    [{ publicUrl: 'http://app.example' }, 'needs passkeys, which are off: browsers accept none on an http page'],
    [{ factors: ['push', 'otp'] }, "needs 'passkey' among factors"],
    [{ service: { ...remote, version: '1.3' }, authenticatorUrl: publicUrl }, 'needs version 1.4 of the service'],
  ])('phishingResistant is an error at startup with %j, as no passkey could ever pass', (options, message) => {
    for (const phishingResistant of policies) expect(start({ phishingResistant, ...options })).toThrow(message)
  })

  it('phishingResistant excludes remembered browsers where it requires passkeys, as they pass the gate without one', () => {
    const remember = { days: 30 }

    expect(start({ phishingResistant: 'require', remember })).toThrow('excludes remember')
    expect(start({ phishingResistant: 'prefer', remember })).not.toThrow()
  })

  it('phishingResistant of a route is an error where its factors do not include passkeys', () => {
    expect(() => requireMfa({ phishingResistant: 'require', factors: ['push'] })).toThrow(
      "requireMfa: phishingResistant needs 'passkey' among factors",
    )
  })

  it.each(policies)(
    'phishingResistant: %s is an error at the first connection to a service that speaks only 1.3',
    async (policy) => {
      const service = embedded({ database: ':memory:' })
      onTestFinished(() => service.close())
      const old = { ...service, connect: async () => ({ ...(await service.connect()), version: '1.3' as const }) }
      const app = await startWebApp({ mfa: { service: old, phishingResistant: policy } })
      const browser = app.browser()
      await app.signIn(browser, 'alice')

      const page = await browser.visit('/account')

      expect(page.status).toBe(500)
      expect(page.text).toContain(`phishingResistant: '${policy}' needs a service that speaks 1.4`)
      expect(app.trouble.join()).toContain('needs a service that speaks 1.4')
    },
  )

  inFullRun('phishingResistant of a route is an error where the app has no passkeys', async () => {
    const { enter } = await startPolicyApp({ mfa: { passkeys: false }, guard: { phishingResistant: 'require' } })

    const { page } = await enter('/guarded')

    expect(page.status).toBe(500)
    expect(page.text).toContain('needs passkeys, which are off')
  })

  inFullRun.each(policies)(
    'phishingResistant: %s is an error where the service cannot verify passkeys',
    async (phishingResistant) => {
      const service = embedded({ database: ':memory:' })
      onTestFinished(() => service.close())
      const without = {
        ...service,
        async connect() {
          const connection = await service.connect()
          const send = connection.fetch ?? fetch
          return {
            ...connection,
            fetch: async (...call: Parameters<typeof fetch>) => withoutPasskeys(await send(...call)),
          }
        },
      }
      const { url, signIn } = await startWebApp({ mfa: { service: without, phishingResistant } })
      const browser = createBrowser(url)
      await signIn(browser, 'alice')
      await browser.visit('/account')

      const page = await browser.visit('/account')

      expect(page.status).toBe(500)
      expect(page.text).toContain('npm install @simplewebauthn/server')
    },
  )
})

describe.each(places)('%s that requires passkeys', (place, path, options) => {
  async function arrange() {
    const arranged = await startPolicyApp(options('require'))
    if (place === 'the domain') await arranged.setPolicy('require')
    return arranged
  }

  it('where passkeys are required, no other factor is offered, nothing is sent, and the page says a passkey is needed', async () => {
    const { enter, alice } = await arrange()

    const { browser, page } = await enter(path)
    const ways = await browser.visit('/mfa?use=other')
    const field = await browser.visit('/mfa?use=code')

    expect(page.text).toContain('A passkey is needed')
    expect(ways.text).not.toMatch(/use=(code|otp|bypass)|\/mfa\/(email|send)/)
    expect(field.text).not.toContain('action="/mfa/code"')
    expect(await alice.pending()).toEqual([])
  })

  it('where passkeys are required, no other factor is accepted, not even by hand-made requests', async () => {
    const { enter, tryOtherWays, alice } = await arrange()
    const { browser } = await enter(path)

    await tryOtherWays(browser)

    expect((await browser.open(path)).status).toBe(303)
    expect(await alice.pending()).toEqual([])
  })

  inFullRun('where passkeys are required, a user with a passkey can pass', async () => {
    const { enter, givePasskey, byPasskey, setPolicy } = await startPolicyApp(options('require'))
    await givePasskey()
    if (place === 'the domain') await setPolicy('require')
    const { browser } = await enter(path)

    await byPasskey(browser)

    expect((await browser.open(path)).status).toBe(200)
  })
})

describe.each(places)('%s that prefers passkeys', (place, path, options) => {
  async function arrange() {
    const arranged = await startPolicyApp(options('prefer'))
    return {
      ...arranged,
      prefer: async () => void (place === 'the domain' && (await arranged.setPolicy('prefer'))),
    }
  }

  it('where passkeys are preferred, nothing else is offered to a user who has one, or accepted from this user', async () => {
    const { enter, givePasskey, tryOtherWays, prefer, alice } = await arrange()
    await givePasskey()
    await prefer()

    const { browser, page } = await enter(path)
    const ways = await browser.visit('/mfa?use=other')
    await tryOtherWays(browser)

    expect(page.text).toMatch(/(Use|Confirm with) your passkey/)
    expect(ways.text).not.toMatch(/use=(code|otp|bypass)|\/mfa\/(email|send)/)
    expect((await browser.open(path)).status).toBe(303)
    expect(await alice.pending()).toEqual([])
  })

  it('where passkeys are preferred, the device of a user who has none is asked', async () => {
    const { enter, byPush, prefer } = await arrange()
    await prefer()
    const { browser } = await enter(path)

    await byPush(browser)

    expect((await browser.open(path)).status).toBe(200)
  })
})

describe('e-mailed codes', () => {
  it('e-mailed codes are not sent where the app prefers passkeys and the user has one', async () => {
    const { signIn, givePasskey, events } = await startPolicyApp({ mfa: { phishingResistant: 'prefer' } })
    await givePasskey()
    const { browser } = await signIn()

    await browser.submit('/mfa/email')

    expect(events.map(({ type }) => type)).not.toContainEqual(expect.stringContaining('email'))
  })
})

describe('requireMfa({ phishingResistant })', () => {
  it('requireMfa({ phishingResistant }) is not satisfied by another factor, and leads to a step-up by passkey', async () => {
    const { signIn, byPush, byPasskey, givePasskey } = await startPolicyApp({ guard: { phishingResistant: 'require' } })
    const { browser } = await signIn()
    await byPush(browser)
    await givePasskey()

    const pageBefore = await browser.visit('/guarded')
    await byPasskey(browser)

    expect(pageBefore.text).toContain('Confirm with your passkey')
    expect((await browser.open('/guarded')).text).toBe('guarded')
  })

  it('requireMfa({ phishingResistant }) opens a challenge of its own beside one that takes any factor', async () => {
    const { signIn, byPush, alice, approve } = await startPolicyApp({ guard: { phishingResistant: 'require' } })
    const { browser } = await signIn()
    await byPush(browser)
    await browser.visit('/danger')
    await browser.visit('/mfa?purpose=step_up')

    const page = await browser.visit('/guarded')
    const [pending] = await alice.pending()
    if (pending) await approve()
    await browser.submit('/mfa/complete')

    expect(page.text).toContain('A passkey is needed')
    expect((await browser.open('/guarded')).status).toBe(303)
  })

  inFullRun('requireMfa({ phishingResistant }) tells a script which challenge to open', async () => {
    const { signIn, byPush } = await startPolicyApp({ guard: { phishingResistant: 'require' } })
    const { browser } = await signIn()
    await byPush(browser)

    const refused = await browser.fetch('/guarded')
    const { challenge } = refused.body as { challenge: string }
    const page = await browser.visit(challenge)

    expect(challenge).toBe('/mfa?purpose=step_up&phishingResistant=require')
    expect(page.text).toContain('A passkey is needed')
  })

  inFullRun(
    'requireMfa({ phishingResistant }) that prefers passkeys asks users again who passed before that',
    async () => {
      const { signIn, byPush } = await startPolicyApp({ guard: { phishingResistant: 'prefer' } })
      const { browser } = await signIn()
      await byPush(browser)

      const answerBefore = await browser.open('/guarded')
      await browser.visit('/guarded')
      await byPush(browser)

      expect(answerBefore.status).toBe(303)
      expect((await browser.open('/guarded')).text).toBe('guarded')
    },
  )
})

describe('an app that starts to require passkeys', () => {
  it('an app that starts to require passkeys does not count what its users passed before', async () => {
    const { signIn, byPush, startApp, url } = await startPolicyApp()
    const { browser } = await signIn()
    await byPush(browser)
    const stricter = await startApp({ phishingResistant: 'require' })

    const sameAppBrowser = createBrowser(url, new Map([['connect.sid', browser.cookie('connect.sid') ?? '']]))
    const strictAppBrowser = createBrowser(
      stricter.url,
      new Map([['connect.sid', browser.cookie('connect.sid') ?? '']]),
    )

    expect(await isVerified(sameAppBrowser)).toBe(true)
    expect(await isVerified(strictAppBrowser)).toBe(false)
  })

  it('an app that starts to require passkeys does not redeem an earlier request', async () => {
    const { signIn, startApp, approve } = await startPolicyApp()
    const { browser, page } = await signIn()
    const number = /id="number">(\d+)</.exec(page.text)?.[1]
    const stricter = await startApp({ phishingResistant: 'prefer' })
    const strictAppBrowser = browser.copy(stricter.url)
    await approve(number)

    await strictAppBrowser.submit('/mfa/complete')

    expect(await isVerified(strictAppBrowser)).toBe(false)
  })
})

describe('a remembered browser', () => {
  it('a remembered browser that one mfa() recognized passes no gate of a stricter one, or of one that remembers none', async () => {
    const remember = { days: 30 }
    const { signIn, byPush, givePasskey, startApp, url } = await startPolicyApp({ mfa: { remember } })
    await givePasskey()
    const { browser } = await signIn()
    await browser.submit('/mfa/send')
    await browser.submit('/mfa/remember', { remember: 'yes' })
    await byPush(browser)
    const returningBrowser = createBrowser(url, new Map([['mfa-browser', browser.cookie('mfa-browser') ?? '']]))
    await returningBrowser.submit('/login', { username: 'alice', password: 'secret' })
    const equal = await startApp({ remember })
    const stricter = await startApp({ remember, phishingResistant: 'prefer' })
    const without = await startApp()

    const recognized = await isVerified(returningBrowser)
    const passes = [equal, stricter, without].map((app) => isVerified(returningBrowser.copy(app.url)))
    const { mfa: mfaStatus } = (await returningBrowser.copy(equal.url).fetch('/account')).body as {
      mfa: { remembered: boolean }
    }

    expect([recognized, await Promise.all(passes)]).toEqual([true, [true, false, false]])
    expect(mfaStatus.remembered).toBe(true)
  })

  it.each(['the app', 'the domain'])(
    'a remembered browser passes no gate where %s prefers passkeys and the user has one',
    async (place) => {
      const phishingResistant = place === 'the app' ? 'prefer' : 'off'
      const remember = { days: 30 }
      const { signIn, byPush, givePasskey, startApp, setPolicy, url } = await startPolicyApp({ mfa: { remember } })
      await givePasskey()
      const { browser } = await signIn()
      await browser.submit('/mfa/send')
      await browser.submit('/mfa/remember', { remember: 'yes' })
      await byPush(browser)
      const stricter = await startApp({ remember, phishingResistant })
      const comeBack = async (base: string) => {
        const returningBrowser = createBrowser(base, new Map([['mfa-browser', browser.cookie('mfa-browser') ?? '']]))
        await returningBrowser.submit('/login', { username: 'alice', password: 'secret' })
        return { page: await returningBrowser.visit('/account'), passes: await isVerified(returningBrowser) }
      }

      const resultBefore = await comeBack(url)
      if (place === 'the domain') await setPolicy('prefer')
      const resultAfter = await comeBack(stricter.url)

      expect(resultBefore.passes).toBe(true)
      expect(resultAfter.passes).toBe(false)
      expect(resultAfter.page.text).toContain('Use your passkey')
      expect(resultAfter.page.text).not.toContain('on this browser for')
    },
  )
})

describe('the sessions of an app that requires passkeys', () => {
  it('sessions of an app that requires passkeys carry its policy, which the service enforces, with the reason in the event', async () => {
    const { signIn, token, alice, events } = await startPolicyApp({ mfa: { phishingResistant: 'require' } })
    const { browser } = await signIn()

    await browser.submit('/mfa/code', { code: token.code() })

    const refused = events.find((event) => event.type === 'code.refused')
    expect(refused).toMatchObject({ reason: 'phishing_resistance_required' })
    expect(events.map(({ type }) => type)).not.toContain('code.wrong')
    expect(await alice.session(refused?.sessionId ?? '')).toMatchObject({
      state: 'denied',
      factor: 'otp',
      reason: 'phishing_resistance_required',
    })
  })
})

describeInFullRun('a new user of a domain that requires passkeys', () => {
  it('a new user of a domain that requires passkeys starts with a passkey, not a device or an authenticator app', async () => {
    const { signIn, service } = await startPolicyApp({ domain: 'require' })

    const { browser, page } = await signIn('bob')
    const app = await browser.open('/mfa/enroll/app')
    const { json } = await service.call('GET', '/users?username=bob')
    const { id } = json as { id: string }
    const token = await service.call('GET', `/domains/${service.domain.id}/users/${id}/token`)

    expect(page.path).toBe('/mfa/enroll/passkey')
    expect(token.code).toBe('api.error.notfound.token')
    expect(app.headers['location']).toBe('/mfa')
  })

  it('a new user of a domain that requires passkeys is offered no recovery codes, as they would not sign in', async () => {
    const { signIn, byPasskey, authenticator } = await startPolicyApp({
      domain: 'require',
      mfa: { recoveryCodes: true },
    })
    const { browser } = await signIn('bob')
    const creationAnswer = await browser.submit('/mfa/enroll/passkey/options')
    const response = JSON.stringify(authenticator.make(JSON.parse(creationAnswer.text) as CreationOptions))
    await browser.submit('/mfa/enroll/passkey', { name: 'Laptop', response })

    const passed = await byPasskey(browser)
    const devices = await browser.visit('/mfa/devices')

    expect(passed.headers['location']).toBe('/account')
    expect(devices.text).not.toContain('/mfa/devices/codes')
  })
})

/** What a service says of its users that lacks the package for passkeys. */
async function withoutPasskeys(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.includes('json')) return response
  const body = JSON.parse(await response.text(), (key, value: unknown) =>
    key === 'passkeys' ? undefined : value,
  ) as unknown
  return new Response(JSON.stringify(body), response)
}
