import { describe, expect, it, onTestFinished } from 'vitest'

import { type Clock, systemClock } from '../../src/ground/clock.ts'
import { embedded } from '../../src/service/embedded.ts'
import { fromDesk, phones, small } from '../authenticator/phone.ts'
import { startExampleApp } from '../support/example-app.ts'
import { createListener } from '../support/listener.ts'
import type { Listener } from '../support/listener.ts'
import { startService } from '../support/running-service.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()
const phone = await phones()
const password = 'correct horse battery'

/** A desktop and a phone, each with one page and someone who listens to it. */
async function arrange() {
  const contexts = await Promise.all([
    chromium.newContext({ locale: 'en' }),
    chromium.newContext({ ...small, locale: 'en', serviceWorkers: 'block' }),
  ])
  onTestFinished(() => Promise.all(contexts.map((context) => context.close())).then(() => undefined))
  const [page, phonePage] = await Promise.all([contexts[0].newPage(), contexts[1].newPage()])
  const [desk, authenticator] = await Promise.all([createListener(page), createListener(phonePage)])
  return { contexts, page, phonePage, desk, authenticator }
}

async function fillIn(listener: Listener, field: string, text: string): Promise<void> {
  await listener.tabTo('textbox', field)
  await listener.type(text)
}

async function signIn(desk: Listener): Promise<void> {
  await desk.hears('heading "Sign in" [level=1]')
  await fillIn(desk, 'Username', 'alice')
  await fillIn(desk, 'Password', password)
  await desk.activate('button', 'Sign in')
}

/** From the home page of the example app to the page that sets up a device. */
async function signUp(options: { readonly clock?: Clock } = {}) {
  const service = embedded({ database: ':memory:', ...options })
  const url = await startExampleApp({ ...options, service })
  const arranged = await arrange()
  const { page, desk } = arranged
  await page.goto(url)
  await desk.activate('link', 'Create an account')
  await desk.hears('heading "Create an account" [level=1]')
  await fillIn(desk, 'Username', 'alice')
  await fillIn(desk, 'Name', 'Alice')
  await fillIn(desk, 'E-mail', 'alice@example.com')
  await fillIn(desk, 'Password', password)
  await desk.activate('button', 'Create account')
  await desk.hears('Your account is ready.')
  await signIn(desk)
  await desk.arrives('How will you confirm sign-ins?')
  await desk.activate('link', 'My phone Scan a code once, then approve sign-ins there.')
  await desk.arrives('Set up your device')
  return { ...arranged, url }
}

/** The phone is given the activation code that is heard on the page. */
type Places = Awaited<ReturnType<typeof signUp>>

async function setUp({ url, phonePage, desk, authenticator }: Places, app = 'Example'): Promise<void> {
  const [, code = ''] =
    /Or type this code in the authenticator:['"]?\n *- paragraph: ([a-z0-9 ]+)$/m.exec(await desk.hear()) ?? []
  await phonePage.goto(`${url}/mfa/authenticator/`)
  await authenticator.arrives('Add an account')
  await fillIn(authenticator, 'Activation code or link', code)
  await authenticator.press('Enter')
  await authenticator.arrives('Add this account?')
  await authenticator.activate('button', 'Add this account')
  await desk.arrives('Approve the sign-in')
  await authenticator.arrives(`Sign in to ${app}?`)
}

/** With a phone, and an open request. */
async function enrolled(options?: Parameters<typeof signUp>[0]) {
  const arranged = await signUp(options)
  await setUp(arranged)
  return arranged
}

/** The number that is heard on the page. */
async function numberOn(desk: Listener): Promise<string> {
  return /Enter this number there:['"]?\n *- paragraph: "(\d\d)"/.exec(await desk.hear())?.[1] ?? 'none'
}

async function approve({ desk, authenticator }: { desk: Listener; authenticator: Listener }): Promise<void> {
  expect(await authenticator.focused()).toContain('textbox "Enter the number from the sign-in page"')
  await authenticator.type(await numberOn(desk))
  await authenticator.activate('button', 'Approve')
  await authenticator.arrives('Approved')
}

/** Signed in, with nothing to approve. */
async function signedIn(options?: Parameters<typeof signUp>[0]) {
  const arranged = await enrolled(options)
  await approve(arranged)
  await arranged.desk.hears('heading "Your account" [level=1]')
  await arranged.authenticator.hears('Nothing to approve')
  return arranged
}

async function signInAgain(desk: Listener, url: string, page: { goto(address: string): Promise<unknown> }) {
  await desk.activate('button', 'Sign out')
  await desk.hears('heading "An app with a second step" [level=1]')
  await page.goto(`${url}/sign-in`)
  await signIn(desk)
}

async function rename(desk: Listener): Promise<void> {
  await desk.activate('text', 'Rename')
  await desk.tabTo('textbox', 'Name')
  await desk.press('Control+A')
  await desk.type('Blue phone\n')
}

describe('by keyboard and by ear alone, a user can', () => {
  it('by keyboard and ear alone, a user can sign up, sign in, and set up this computer as the device', async () => {
    const { desk, contexts } = await signUp()

    await desk.tabTo('link', 'No phone? Use this computer instead (less safe)')
    const [tab] = await Promise.all([contexts[0].waitForEvent('page'), desk.press('Enter')])
    const authenticator = await createListener(tab)
    await authenticator.arrives('Add this account?')
    await authenticator.hears('Example')
    await authenticator.hears('Alice')
    await authenticator.activate('button', 'Add this account')
    await authenticator.arrives('Sign in to Example?')
    await desk.arrives('Approve the sign-in')
    await approve({ desk, authenticator })

    await desk.hears('heading "Your account" [level=1]')
    expect(await desk.hears('Approved on your device')).toBe(true)
  })

  it('by keyboard and ear alone, a user can approve a sign-in with the number heard on the page', async () => {
    const { desk, authenticator } = await enrolled()
    const heard = await authenticator.hear()
    // The time left changes each second, on both.
    const before = await authenticator.announced()
    const [timeLeft = 'no time'] = /\d+ seconds left/.exec(heard) ?? []
    expect(heard).toContain(timeLeft)
    await expect.poll(authenticator.hear).not.toContain(timeLeft)
    expect([await desk.announced(), await authenticator.announced()]).toEqual([[], before])
    await approve({ desk, authenticator })

    await desk.hears('heading "Your account" [level=1]')
    expect(heard).toContain('Alice')
    expect(heard).toContain('127.0.0.1')
  })

  it('by keyboard and ear alone, a user can deny by mistake and try again', async () => {
    const { desk, authenticator } = await enrolled()

    await authenticator.activate('button', 'Deny')
    await authenticator.arrives('Was it you?')
    await authenticator.activate('button', 'Yes, a mistake')
    await authenticator.arrives('Denied')
    await desk.arrives('You denied this sign-in')
    await desk.activate('button', 'It was me – try again')
    await desk.arrives('Approve the sign-in')
    await authenticator.arrives('Sign in to Example?')
    await approve({ desk, authenticator })

    expect(await desk.hears('heading "Your account" [level=1]')).toBe(true)
  })

  it('by keyboard and ear alone, a user can report a sign-in that was not theirs', async () => {
    const { desk, authenticator } = await enrolled()

    await authenticator.activate('button', 'It wasn’t me – block and report')
    await authenticator.arrives('Blocked. No one got in.')
    await authenticator.hears('change it soon')
    await authenticator.activate('button', 'OK')
    await authenticator.hears('Nothing to approve')
    expect(await authenticator.focused()).not.toBe('')

    await desk.arrives('Reported')
    await desk.hears('Requests are paused for')
    await desk.activate('link', 'Use a code')
    await desk.arrives('Enter a code')
    expect(await desk.focused()).toContain('textbox "Code"')
  })

  it('by keyboard and ear alone, a user can sign in without a signal, by the authenticator’s code', async () => {
    const { desk, authenticator, page, url, contexts } = await signedIn()
    await signInAgain(desk, url, page)
    await desk.arrives('Approve the sign-in')
    await desk.activate('button', 'Cancel this sign-in')
    await desk.arrives('The sign-in was canceled')
    await authenticator.arrives('No longer needed')
    await authenticator.activate('button', 'OK')
    await authenticator.hears('Nothing to approve')
    await contexts[1].setOffline(true)

    await authenticator.activate('button', 'Show code for Alice at Example')
    await authenticator.hears('Copy')
    expect(await authenticator.focused()).toMatch(/^- button "\d{3} \d{3} Copy"/)
    const [code = ''] = /\d{3} \d{3}/.exec(await authenticator.focused()) ?? []
    await desk.activate('link', 'Other ways to sign in')
    await desk.arrives('Other ways to sign in')
    await desk.activate('link', 'My phone has no signal Open the app and tap Show code.')
    await desk.arrives('Enter a code')
    await desk.type('12\n')
    await desk.hears('alert: A code has 6 to 9 digits.')
    expect(await desk.focused()).toContain('textbox "Code"')
    await desk.type(`${code}\n`)

    await desk.hears('heading "Your account" [level=1]')
    await desk.hears('With a code')
  })

  it('by keyboard and ear alone, a user can make recovery codes on the devices page, and sign in with one', async () => {
    const { desk, authenticator, page, url } = await signedIn()

    await desk.activate('link', 'Your devices')
    await desk.arrives('Your devices')
    // They are made once it is confirmed, without another press.
    await desk.activate('button', 'Make recovery codes')
    await desk.arrives('Confirm the change to your devices')
    await authenticator.arrives('Change your devices at Example?')
    await approve({ desk, authenticator })
    await desk.arrives('Recovery codes')
    const [code = ''] = /\d{3} \d{3} \d{3}/.exec(await desk.hear()) ?? []
    await desk.activate('button', "I've saved them")
    await desk.arrives('Your devices')
    await desk.hears('5 of 5 left')
    await desk.activate('link', 'Back to the app')
    await desk.activate('link', 'Your account')
    await desk.hears('heading "Your account" [level=1]')
    await signInAgain(desk, url, page)
    await desk.arrives('Approve the sign-in')
    await desk.activate('link', 'Other ways to sign in')
    await desk.activate('link', 'Use a recovery code (5 left)')
    await desk.arrives('Enter a recovery code')
    await desk.type(`${code}\n`)

    await desk.hears('heading "Your account" [level=1]')
    expect(await desk.hears('With a recovery code')).toBe(true)
  })

  it('by keyboard and ear alone, a user can confirm a step-up in the danger zone', async () => {
    let later = 0
    const arranged = await signedIn({ clock: { ...systemClock, now: () => systemClock.now() + later } })
    const { desk, authenticator } = arranged
    later = 301

    await desk.activate('link', 'Danger zone')
    await desk.arrives("To change your password, confirm that it's you")
    await authenticator.arrives('Change your password at Example?')
    await approve(arranged)

    expect(await desk.hears('heading "Danger zone" [level=1]')).toBe(true)
  })

  it('by keyboard and ear alone, a user can rename the device and remove a remembered browser', async () => {
    const app = await startWebApp({ mfa: { remember: { days: 30 } } })
    const ticks = setInterval(() => void app.clock.advance(1), 1000)
    onTestFinished(() => clearInterval(ticks))
    const arranged = { ...(await arrange()), url: app.url }
    const { desk, page, contexts } = arranged
    await contexts[0].request.post(`${app.url}/login`, {
      form: { username: 'alice', password: 'secret' },
      maxRedirects: 0,
    })
    await page.goto(`${app.url}/account`)
    await setUp(arranged, 'Test')
    const meaning = 'Until then, your password is enough here: choose this only on your own computer.'
    await desk.tabTo('checkbox', `Don't ask again on this browser for 30 days ${meaning}`)
    await desk.press('Space')
    expect(await desk.focused()).toContain('[checked]')
    await approve(arranged)
    await desk.hears('verified')

    await page.goto(`${app.url}/mfa/devices`)
    await desk.arrives('Your devices')
    await rename(desk)
    await desk.hears('status: Your device has a new name.')
    expect(await desk.focused()).toContain('heading "Your devices"')
    await desk.hears('Blue phone')
    await desk.activate('button', 'Remove')
    await desk.hears("status: It's removed.")
    expect(await desk.focused()).toContain('heading "Your devices"')
  })

  it('by keyboard and ear alone, a user can answer with a PIN, after changing the number and a wrong PIN', async () => {
    const service = await startService({ domain: { keyType: 'PIN' } })
    const { code } = await service.enroll('alice')
    const page = await phone.open(service)
    const authenticator = await createListener(page)
    await page.goto(`${service.url}/authenticator/#code=${code}`)
    await authenticator.arrives('Add this account?')
    await authenticator.activate('button', 'Add this account')
    await authenticator.arrives('Choose a PIN')
    await authenticator.type('2580')
    await fillIn(authenticator, 'Repeat PIN', '2580')
    await authenticator.activate('button', 'Continue')
    await authenticator.hears('Nothing to approve')

    const session = await service.ask('alice', { ...fromDesk })
    await authenticator.arrives('Sign in to Wiki?')
    await authenticator.type(session.number === '47' ? '48' : '47')
    await expect.poll(authenticator.focused).toContain('Now your PIN')
    await authenticator.activate('button', 'Change the number')
    await expect.poll(authenticator.focused).toContain('Enter the number')
    await authenticator.press('Backspace')
    await authenticator.press('Backspace')
    await authenticator.type(session.number ?? '')
    await expect.poll(authenticator.focused).toContain('Now your PIN')
    await authenticator.type('1357')
    await authenticator.activate('button', 'Approve')
    await authenticator.hears('attempts left')
    expect(await authenticator.announced()).toContainEqual(expect.stringContaining('attempts left'))
    expect(await authenticator.focused()).toContain('Now your PIN')
    await authenticator.type('2580')
    await authenticator.activate('button', 'Approve')
    await authenticator.arrives('Approved')

    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })

  it('by keyboard and ear alone, a user can send a test request, read the history, and change the language', async () => {
    const { authenticator } = await signedIn()

    await authenticator.activate('button', 'Settings')
    await authenticator.arrives('Settings')
    await authenticator.activate('button', 'Send a test request')
    await authenticator.arrives('Practice request')
    expect(await authenticator.focused()).toMatch(/textbox "Enter \d\d"/)
    const [number = ''] = /\d\d/.exec(await authenticator.focused()) ?? []
    await authenticator.type(number)
    await authenticator.activate('button', 'Approve')
    await authenticator.arrives('It works')
    await authenticator.activate('button', 'OK')
    await authenticator.hears('Nothing to approve')
    await authenticator.activate('button', 'History')
    await authenticator.arrives('History')
    await authenticator.hears('Alice at Example')
    await authenticator.activate('button', 'Back')
    await authenticator.activate('button', 'Settings')
    await authenticator.arrives('Settings')
    await authenticator.tabTo('combobox', 'Language')
    await authenticator.type('Deu')
    await authenticator.hears('heading "Einstellungen" [level=1]')

    expect(await authenticator.focused()).toContain('combobox "Sprache"')
  })
})
