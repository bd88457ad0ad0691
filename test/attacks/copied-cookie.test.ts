import express416 from 'express416'
import type express from 'express'
import session from 'express-session'
import { describe, expect, it } from 'vitest'

import type { CreationOptions } from '../../src/contract/webauthn.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { codesOf, isIn } from '../express/own-factors.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import type { WebAppOptions } from '../support/web-app.ts'

type App = Awaited<ReturnType<typeof arrange>>

/** An app at a name, and alice in a browser that has just passed in order to change factors. */
async function arrange(options: Partial<WebAppOptions> = {}) {
  const store = new session.MemoryStore()
  const held = Promise.withResolvers<void>()
  const hold: express.RequestHandler = (req, _res, next) =>
    req.headers['x-held'] === undefined ? next() : void held.promise.then(() => next())
  const app = await startWebApp({ ...options, session: { store, ...options.session }, beforeMfa: [hold] })
  const url = app.url.replace('127.0.0.1', 'localhost')
  const owner = createBrowser(url)
  const account = await app.verify(owner, 'alice')
  await owner.open('/mfa/devices/app')
  await app.answer(account, 'approve', numberOn(await owner.visit('/mfa')))
  await owner.submit('/mfa/complete')
  let destroyed = 0
  const destroy = store.destroy.bind(store)
  store.destroy = (...args) => {
    destroyed += 1
    destroy(...args)
  }
  const ids = () => Object.keys((store as unknown as { sessions: Record<string, string> }).sessions)
  return { ...app, url, owner, account, store, ids, destroyed: () => destroyed, release: held.resolve }
}

type Callback = (...answer: unknown[]) => void

/** Holds back one read of the store, once it has read, or one write, before it writes. The first `passedCalls` calls go on. */
function holdBack(
  store: session.MemoryStore,
  method: 'get' | 'set',
  { passedCalls }: { readonly passedCalls: number },
) {
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const original = store[method].bind(store) as (...args: unknown[]) => void
  const hold = (id: unknown, ...rest: unknown[]) => {
    begun.resolve()
    if (method === 'set') void released.promise.then(() => original(id, ...rest))
    else original(id, (...answer: unknown[]) => void released.promise.then(() => (rest[0] as Callback)(...answer)))
  }
  let calls = 0
  Object.assign(store, {
    [method](...args: unknown[]) {
      calls += 1
      if (calls <= passedCalls) return original(...args)
      Object.assign(store, { [method]: original })
      hold(...(args as [unknown, ...unknown[]]))
    },
  })
  return { begun: begun.promise, release: () => released.resolve() }
}

/** Lets a change go on as far as it can. */
async function whileItCan({ url }: App, change: Promise<unknown>): Promise<void> {
  const turns = async () => {
    for (let turn = 0; turn < 20; turn += 1) await fetch(`${url}/mfa/assets/style.css`)
  }
  await Promise.race([change, turns()])
}

const idOf = (browser: Browser) =>
  decodeURIComponent(browser.cookie('connect.sid') ?? '')
    .slice(2)
    .split('.')[0] ?? ''

const endOthers = (browser: Browser, headers = {}) => browser.submit('/mfa/devices/sessions', {}, headers)

async function addApp(app: App) {
  const code = codesOf(app, await app.owner.open('/mfa/devices/app'))
  return app.owner.submit('/mfa/devices/app', { code: code() })
}

/** What gives the present web session a new id, up to the last request. */
const changes: Readonly<Record<string, (app: App) => Promise<unknown>>> = {
  'ends the other sessions': ({ owner }) => endOthers(owner),
  'makes recovery codes': ({ owner }) => owner.submit('/mfa/devices/codes'),
  'adds an authenticator app': addApp,
  async 'removes a factor'(app) {
    await addApp(app)
    await app.owner.submit('/mfa/devices/remove', { what: 'hardware' })
  },
  async 'adds a passkey'({ owner, url }) {
    const { text } = await owner.submit('/mfa/devices/passkey/options')
    const response = JSON.stringify(createAuthenticator({ origin: url }).make(JSON.parse(text) as CreationOptions))
    await owner.submit('/mfa/devices/passkey', { name: 'Laptop', response })
  },
  'asks for another device': ({ owner }) => owner.submit('/mfa/devices/device'),
}

/** What a browser still is: signed in to the app, and verified. */
async function standing(browser: Browser) {
  const { body } = await browser.fetch('/account')
  return { isSignedIn: body.user !== null, isVerified: body.verified === true }
}

const signedOutState = { isSignedIn: false, isVerified: false }
const signedInState = { isSignedIn: true, isVerified: true }

/** The first reads wait for each other: all requests have the same web session before one of them renews it. */
function readTogether(store: session.MemoryStore, requests: number): void {
  const get = store.get.bind(store)
  const reads: (() => void)[] = []
  store.get = (...args) => {
    reads.push(() => get(...args))
    if (reads.length < requests) return
    store.get = get
    for (const read of reads) read()
  }
}

describe('a copied cookie of a verified web session', () => {
  it.each(Object.keys(changes))('a copied cookie of a verified web session ends when its owner %s', async (name) => {
    const app = await arrange()
    const thief = app.owner.copy()
    const isThiefIn = await isIn(thief)

    await changes[name]?.(app)

    expect(isThiefIn).toBe(true)
    expect(await standing(thief)).toEqual(signedOutState)
    expect(await standing(app.owner)).toEqual(signedInState)
  })

  it('a copied cookie also ends with Express 4 when the owner ends the other sessions', async () => {
    const app = await arrange({ express: express416 })
    const thief = app.owner.copy()

    await endOthers(app.owner)

    expect([await standing(thief), await standing(app.owner)]).toEqual([signedOutState, signedInState])
  })

  it('a cookie copied while the code for another device was shown ends once that device is set up', async () => {
    const app = await arrange()
    await app.owner.submit('/mfa/devices/device')
    const page = await app.owner.open('/mfa/devices/device')
    const thief = app.owner.copy()
    await app.activate(page, `${app.url}/mfa`)

    const done = await app.owner.open('/mfa/devices/device')

    expect(done.headers['location']).toBe('/mfa/devices?done=device')
    expect([await standing(thief), await standing(app.owner)]).toEqual([signedOutState, signedInState])
  })

  it('when browsers with one copied cookie end the other sessions at once, at most one stays verified', async () => {
    const app = await arrange()
    const browsers = [app.owner, app.owner.copy(), app.owner.copy()]
    readTogether(app.store, browsers.length)

    const answers = await Promise.all(browsers.map((browser) => endOthers(browser)))

    const places = answers
      .map(({ headers }) => String(headers['location']))
      .toSorted((place, otherPlace) => place.length - otherPlace.length)
    const verified = (await Promise.all(browsers.map(isIn))).filter(Boolean)
    expect(places).toEqual(['/mfa/devices', '/mfa/devices', '/mfa/devices?done=sessions'])
    expect(verified).toHaveLength(1)
    expect(app.ids()).toHaveLength(1)
  })

  it.each([
    ['ends the other sessions as well', '/mfa/devices/sessions', {}],
    ['forgets browsers', '/mfa/devices/forget', {}],
    ['asks for another device', '/mfa/devices/device', {}],
  ])(
    'a copied cookie is not brought back by a request that was sent before its owner’s change and %s',
    async (_, path, fields) => {
      const app = await arrange()
      const thief = app.owner.copy()
      const late = thief.submit(path, fields, { 'x-held': 'yes' })
      const idBefore = idOf(app.owner)
      await app.owner.submit('/mfa/devices/passkey/options')
      await changes['adds a passkey']?.(app)

      app.release()
      const answer = await late

      expect(answer.headers['location']).toBe('/mfa/devices')
      expect(answer.cookies).toEqual([])
      expect(app.ids()).not.toContain(idBefore)
      expect([await standing(thief), await standing(app.owner)]).toEqual([signedOutState, signedInState])
    },
  )

  it('a copied cookie is not renewed by two browsers, even if the store answers the first slowly', async () => {
    const app = await arrange()
    const thief = app.owner.copy()
    const slow = holdBack(app.store, 'get', { passedCalls: 1 })
    const first = endOthers(thief)
    await slow.begun
    const second = endOthers(app.owner)
    await whileItCan(app, second)

    slow.release()
    await Promise.all([first, second])

    expect(app.ids()).toEqual([idOf(thief)])
    expect([await standing(thief), await standing(app.owner)]).toEqual([signedInState, signedOutState])
  })

  it('a copied cookie is not brought back by a save that read the store before its owner added a passkey', async () => {
    const app = await arrange()
    const thief = app.owner.copy()
    const idBefore = idOf(app.owner)
    const slow = holdBack(app.store, 'get', { passedCalls: 1 })
    const late = thief.submit('/mfa/devices/forget')
    await slow.begun
    await changes['adds a passkey']?.(app)

    slow.release()
    await late

    expect(app.ids()).not.toContain(idBefore)
    expect([await standing(thief), await standing(app.owner)]).toEqual([signedOutState, signedInState])
  })

  it('a copied cookie is not brought back by a save that the store carries out slowly', async () => {
    const app = await arrange()
    const thief = app.owner.copy()
    const idBefore = idOf(app.owner)
    const slow = holdBack(app.store, 'set', { passedCalls: 0 })
    const late = thief.submit('/mfa/devices/forget')
    await slow.begun
    const change = endOthers(app.owner)
    await whileItCan(app, change)

    slow.release()
    await Promise.all([late, change])

    expect(app.ids()).not.toContain(idBefore)
    expect([await standing(thief), await standing(app.owner)]).toEqual([signedOutState, signedInState])
  })

  inFullRun('a browser that ends the other sessions keeps what the app stored in its web session', async () => {
    const routes: WebAppOptions['routes'] = (server) => {
      server.post('/basket', (req, res) => {
        Object.assign(req.session, { basket: 'a book' })
        res.end()
      })
      server.get('/basket', (req, res) => void res.json((req.session as { basket?: string }).basket ?? null))
    }
    const app = await arrange({ routes })
    await app.owner.submit('/basket')

    await endOthers(app.owner)

    expect((await app.owner.fetch('/basket')).body).toBe('a book')
  })
})

describe('two tabs of one browser', () => {
  it('two tabs that change factors at the same moment stay signed in; the second continues with the new id', async () => {
    const app = await arrange()
    const tab = app.owner.copy()

    readTogether(app.store, 2)
    const [first, second] = await Promise.all([endOthers(app.owner), endOthers(tab)])

    // The cookie jar of a browser has the id that either answer has set.
    const jar = [first, second].flatMap(({ cookies }) => cookies).filter((line) => line.startsWith('connect.sid'))
    expect(jar).toHaveLength(1)
    const browser = jar.length === 1 && first.cookies.length > 0 ? app.owner : tab
    expect(await standing(browser)).toEqual(signedInState)
  })

  it('two tabs of one browser are answered in order: the new id arrives before the second continues', async () => {
    const app = await arrange()
    readTogether(app.store, 2)
    const saved = Promise.withResolvers<void>()
    const save = app.store.set.bind(app.store)
    app.store.set = (...args) => void saved.promise.then(() => save(...args))

    const arrived: (string | undefined)[] = []
    const tabs = [app.owner, app.owner.copy()].map(async (tab) => {
      arrived.push((await endOthers(tab)).headers['location'])
    })
    await expect.poll(() => app.destroyed()).toBe(1)
    for (let turn = 0; turn < 3; turn += 1) await fetch(`${app.url}/mfa/assets/style.css`)
    const early = [...arrived]
    saved.resolve()
    await Promise.all(tabs)

    expect(early).toEqual([])
    expect(arrived).toEqual(['/mfa/devices?done=sessions', '/mfa/devices'])
  })
})
