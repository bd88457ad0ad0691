import { describe, expect, it } from 'vitest'
import session from 'express-session'

import { sessionOf, startFastifyApp, startOn } from '../support/frameworks.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

interface Stored {
  mfa?: { challenges?: Record<string, unknown>[]; verified?: Record<string, unknown> }
  [key: string]: unknown
}

/** A store whose content a test can read and change, as an attacker who can write web sessions could. */
function openStore() {
  const store = new session.MemoryStore()
  const raw = (store as unknown as { sessions: Record<string, string> }).sessions
  return {
    store,
    ids: () => Object.keys(raw),
    read: (id: string) => JSON.parse(raw[id] ?? '{}') as Stored,
    /** Writes under this id arrive only when released, as with a slow store. */
    hold(id: string) {
      const set = store.set.bind(store)
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      store.set = (savedId, data, done) =>
        void (savedId === id ? released.then(() => set(savedId, data, done)) : set(savedId, data, done))
      return { release }
    },
    change: (id: string, edit: (stored: Stored) => void) => {
      const stored = JSON.parse(raw[id] ?? '{}') as Stored
      edit(stored)
      raw[id] = JSON.stringify(stored)
    },
  }
}

/** The challenge of the only browser that uses the web session. */
const challengeIn = (stored: Stored) => stored.mfa?.challenges?.[0] ?? {}

/** Puts a challenge of another web session in place of the present one, as if it belonged to this browser. */
function replaceChallenge(stored: Stored, challenge: Record<string, unknown>): void {
  const { binding } = challengeIn(stored)
  stored.mfa = { challenges: [{ ...challenge, binding }] }
}

const idOf = (browser: { cookie(name: string): string | undefined }) =>
  decodeURIComponent(browser.cookie('connect.sid') ?? '')
    .slice(2)
    .split('.')[0] ?? ''

describe('session fixation: the web session', () => {
  it('a web session changes its id when the second step is passed, so that a planted id is worth nothing', async () => {
    const app = await startWebApp()
    const victim = app.browser()
    const { account, page } = await app.enroll(victim, 'alice')
    const attacker = victim.copy()

    await app.answer(account, 'approve', numberOn(page))
    await victim.submit('/mfa/complete')

    expect((await victim.fetch('/account')).body.verified).toBe(true)
    expect(idOf(victim)).not.toBe(idOf(attacker))
    expect((await attacker.fetch('/account')).body).toMatchObject({ verified: false, user: null })
  })

  it('one of two browsers with a copied cookie is verified, never both', async () => {
    const app = await startWebApp({ session: { resave: true } })
    const original = app.browser()
    const { account, page } = await app.enroll(original, 'alice')
    const copy = original.copy()
    await app.answer(account, 'approve', numberOn(page))

    await Promise.all([original.submit('/mfa/complete'), copy.submit('/mfa/complete')])
    const verified = await Promise.all(
      [original, copy].map(async (browser) => (await browser.fetch('/account')).body.verified === true),
    )

    expect(verified.filter(Boolean)).toHaveLength(1)
  })
})

describe('a new id: the web session', () => {
  it('a web session keeps its data and the login when its id changes', async () => {
    const sessionStore = openStore()
    const app = await startWebApp({ session: { store: sessionStore.store } })
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    sessionStore.change(idOf(browser), (stored) => void (stored['basket'] = ['a book']))
    await app.answer(account, 'approve', numberOn(page))

    await browser.submit('/mfa/complete')

    expect(sessionStore.read(idOf(browser))['basket']).toEqual(['a book'])
    expect((await browser.fetch('/account')).body.user).toMatchObject({ username: 'alice' })
  })
})

describe('a web session of Fastify', () => {
  it('a web session of @fastify/session changes its id and keeps its data, although its id is one of its members', async () => {
    const app = await startFastifyApp('@fastify/session', {
      beforeMfa: (fastify) =>
        void fastify.addHook('onRequest', async (request) => {
          if (request.url === '/basket') Object.assign(sessionOf(request), { basket: ['a book'] })
        }),
      routes: (fastify) =>
        void fastify.get('/basket/read', (request) => (sessionOf(request) as { basket?: string[] }).basket),
    })
    const victim = app.browser()
    const { account, page } = await app.enroll(victim, 'alice')
    await victim.fetch('/basket')
    const attacker = victim.copy()
    await app.answer(account, 'approve', numberOn(page))

    await victim.submit('/mfa/complete')

    expect((await victim.fetch('/account')).body).toMatchObject({ verified: true, user: { username: 'alice' } })
    expect((await victim.fetch('/basket/read')).body).toEqual(['a book'])
    expect(victim.cookie('sessionId')).not.toBe(attacker.cookie('sessionId'))
    expect((await attacker.fetch('/account')).body).toMatchObject({ verified: false, user: null })
  })

  inFullRun.each(['@fastify/session', '@fastify/secure-session'] as const)(
    'a verification record of %s survives neither a login of another user nor a sign-out',
    async (framework) => {
      const app = await startOn(framework)
      const browser = app.browser()
      await app.verify(browser, 'alice')
      await app.signIn(browser, 'bob')
      const asBob = await browser.fetch('/account')
      await app.signIn(browser, 'alice')
      const again = await browser.fetch('/account')
      await browser.submit('/logout')

      expect([asBob.status, again.status]).toEqual([403, 403])
      expect((await browser.fetch('/account')).body).toMatchObject({ verified: false, user: null })
    },
  )
})

describe('redirect before save: the web session', () => {
  it('a web session that cannot be stored verifies nobody', async () => {
    const sessionStore = openStore()
    const app = await startWebApp({ session: { store: sessionStore.store } })
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    sessionStore.store.set = (_id, _session, done) => done?.(new Error('store down'))

    const answer = await browser.submit('/mfa/complete')

    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(sessionStore.ids().map((id) => sessionStore.read(id).mfa?.verified)).not.toContainEqual(expect.anything())
  })
})

describe('a resurrected web session', () => {
  it('a web session is not brought back under its old id by a status request that ends late', async () => {
    const sessionStore = openStore()
    const app = await startWebApp({ session: { resave: true, rolling: true, store: sessionStore.store } })
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    const oldId = idOf(browser)
    const slow = sessionStore.hold(oldId)
    const late = browser.copy().fetch('/mfa/status')
    await app.answer(account, 'approve', numberOn(page))

    await browser.submit('/mfa/complete')
    slow.release()
    expect((await late).body).toEqual({ change: 'settled' })

    expect(sessionStore.ids()).not.toContain(oldId)
    expect(sessionStore.ids()).toContain(idOf(browser))
  })
})

describe('a verification record after a change of user', () => {
  it('a verification record does not survive a login of another user, even when Passport keeps the web session', async () => {
    const app = await startWebApp({ login: { keepSessionInfo: true } })
    const browser = app.browser()
    await app.verify(browser, 'alice')

    await app.signIn(browser, 'bob')

    expect((await browser.fetch('/account')).status).toBe(403)
  })

  inFullRun(
    'a verification record does not come back when the first user signs in again after another one',
    async () => {
      const app = await startWebApp({ login: { keepSessionInfo: true }, mfa: { gate: false } })
      const browser = app.browser()
      await app.signIn(browser, 'alice')
      const account = await app.activate(await browser.visit('/mfa'))
      await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
      await browser.submit('/mfa/complete')
      await app.signIn(browser, 'bob')
      await browser.fetch('/account')

      await app.signIn(browser, 'alice')

      expect((await browser.fetch('/account')).body).toMatchObject({ verified: false, user: { username: 'alice' } })
    },
  )

  inFullRun('a verification record ends with the login', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.verify(browser, 'alice')

    await browser.submit('/logout')
    await app.signIn(browser, 'alice')

    expect((await browser.fetch('/account')).status).toBe(403)
  })
})

describe('an approval', () => {
  it('an approval given to one challenge is worth nothing in a second one', async () => {
    const sessionStore = openStore()
    const app = await startWebApp({ session: { store: sessionStore.store } })
    const owner = app.browser()
    const { account, page } = await app.enroll(owner, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    const { sessionId } = challengeIn(sessionStore.read(idOf(owner)))
    const thief = app.browser()
    await app.signIn(thief, 'alice')
    await thief.visit('/account')

    sessionStore.change(idOf(thief), (stored) => Object.assign(challengeIn(stored), { sessionId }))
    await thief.submit('/mfa/complete')

    expect((await thief.fetch('/account')).status).toBe(403)
    await owner.submit('/mfa/complete')
    expect((await owner.fetch('/account')).body.verified).toBe(true)
  })

  inFullRun('an approval given to another user is worth nothing, even when the whole challenge is copied', async () => {
    const sessionStore = openStore()
    const app = await startWebApp({ session: { store: sessionStore.store } })
    const owner = app.browser()
    const { account, page } = await app.enroll(owner, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    const challenge = challengeIn(sessionStore.read(idOf(owner)))
    const mallory = app.browser()
    await app.signIn(mallory, 'mallory')
    await mallory.visit('/account')

    sessionStore.change(idOf(mallory), (stored) => replaceChallenge(stored, challenge))
    await mallory.submit('/mfa/complete')

    expect((await mallory.fetch('/account')).status).toBe(403)
  })

  it('a copied challenge of another user does not even stay in the web session', async () => {
    const sessionStore = openStore()
    const app = await startWebApp({ session: { store: sessionStore.store } })
    const owner = app.browser()
    await app.enroll(owner, 'alice')
    const challenge = challengeIn(sessionStore.read(idOf(owner)))
    const mallory = app.browser()
    await app.signIn(mallory, 'mallory')
    await mallory.visit('/account')

    sessionStore.change(idOf(mallory), (stored) => replaceChallenge(stored, challenge))
    await mallory.visit('/mfa')

    expect(sessionStore.read(idOf(mallory)).mfa?.challenges).toMatchObject([{ userKey: 'username:mallory' }])
  })

  inFullRun('an approval is used up: the same challenge does not verify a second web session', async () => {
    const sessionStore = openStore()
    const app = await startWebApp({ session: { store: sessionStore.store } })
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    const challenge = challengeIn(sessionStore.read(idOf(browser)))
    await browser.submit('/mfa/complete')
    const secondBrowser = app.browser()
    await app.signIn(secondBrowser, 'alice')
    await secondBrowser.visit('/account')

    sessionStore.change(idOf(secondBrowser), (stored) => replaceChallenge(stored, challenge))
    await secondBrowser.submit('/mfa/complete')

    expect((await secondBrowser.fetch('/account')).status).toBe(403)
  })

  inFullRun('an approval named by the browser is ignored: only the one this web session asked for counts', async () => {
    const sessionStore = openStore()
    const app = await startWebApp({ session: { store: sessionStore.store } })
    const owner = app.browser()
    const { account, page } = await app.enroll(owner, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    const { sessionId = '', id = '' } = challengeIn(sessionStore.read(idOf(owner)))
    const thief = app.browser()
    await app.signIn(thief, 'alice')
    await thief.visit('/account')

    await thief.submit(`/mfa/complete?sessionId=${String(sessionId)}&challenge=${String(id)}`, {
      sessionId: String(sessionId),
      challenge: String(id),
      verified: 'true',
    })

    expect((await thief.fetch('/account')).status).toBe(403)
  })

  it('an approval from before a step-up was demanded does not pass the step-up, whatever it claims to be', async () => {
    const sessionStore = openStore()
    const app = await startWebApp({ session: { store: sessionStore.store } })
    const browser = app.browser()
    const account = await app.verify(browser, 'alice')
    const other = app.browser()
    await app.signIn(other, 'alice')
    await app.clock.advance(240)
    await app.answer(account, 'approve', numberOn(await other.visit('/account')))
    const { id, sessionId } = challengeIn(sessionStore.read(idOf(other)))
    await app.clock.advance(60)
    await browser.visit('/danger')

    sessionStore.change(idOf(browser), (stored) => Object.assign(challengeIn(stored), { id, sessionId }))
    await browser.submit('/mfa/complete')

    expect((await browser.fetch('/danger')).status).toBe(403)
  })

  inFullRun('an approval that was redeemed late does not make a step-up fresh: its own time counts', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const account = await app.verify(browser, 'alice')
    await app.clock.advance(300)
    await app.answer(account, 'approve', numberOn(await browser.visit('/danger')))

    await app.clock.advance(301)
    await browser.submit('/mfa/complete')

    expect((await browser.fetch('/danger')).status).toBe(403)
  })
})

describe('an attacker who knows the password', () => {
  it('an attacker who knows the password gains nothing when the owner activates a device: that only makes push possible', async () => {
    const app = await startWebApp()
    const thief = app.browser()
    await app.signIn(thief, 'alice')
    expect((await thief.visit('/account')).text).toContain('Set up your device')
    const owner = app.browser()
    await app.signIn(owner, 'alice')

    await app.activate(await owner.visit('/account'))

    expect((await thief.submit('/mfa/complete')).headers['location']).toBe('/mfa')
    expect((await thief.visit('/mfa')).text).toContain('Approve the sign-in')
    expect((await thief.fetch('/account')).status).toBe(403)
  })

  it('an attacker who knows the password is never offered a device once one was enrolled, even after its removal', async () => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    await app.device.remove(account)
    const thief = app.browser()
    await app.signIn(thief, 'alice')

    const page = await thief.visit('/account')

    expect(page.text).toContain('No device can approve this')
    expect(page.text).not.toContain('#code=')
  })
})
