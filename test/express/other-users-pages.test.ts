import { randomBytes } from 'node:crypto'

import type { MfaEvent } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { createPageToken, isOfOtherUser } from '../../src/challenge/page-token.ts'
import { userKeyOf } from '../../src/challenge/user.ts'
import { withFormToken } from '../../src/express/request/form.ts'
import type { WebRequest } from '../../src/express/request/web-request.ts'
import type { Browser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import type { WebApp } from '../support/web-app.ts'

/** The token that each form of a page carries. */
const tokenOn = (page: { text: string }): string => {
  const token = /name="page" value="([^"]+)"/.exec(page.text)?.[1]
  if (!token) throw new Error(`no token on the page: ${page.text}`)
  return token
}

const stale = "That didn't come from this page"
const textOf = ({ text }: { text: string }) => text.replaceAll('&#39;', "'")

/** An app with its events, and a browser. */
async function arrange() {
  const events: MfaEvent[] = []
  const app = await startWebApp({ mfa: { onEvent: (event) => void events.push(event) } })
  return { app, browser: app.browser(), typesOf: () => events.map(({ type }) => type) }
}

/** A page of Alice stays open in a tab while Bob, who has a device, signs in to the same browser. */
async function switchToBob(app: WebApp, browser: Browser) {
  await browser.visit('/logout')
  await app.signIn(browser, 'bob')
}

describe('a challenge page of another user', () => {
  it('a challenge page of another user tries no code for the user who has signed in since, and says that nothing was changed', async () => {
    const { app, browser, typesOf } = await arrange()
    await app.verify(app.browser(), 'bob')
    const { page } = await app.enroll(browser, 'alice')
    await switchToBob(app, browser)
    await browser.visit('/account')

    const answer = await browser.submit('/mfa/code', { page: tokenOn(page), code: '000000' })

    expect([answer.status, textOf(answer)]).toEqual([403, expect.stringContaining(stale)])
    expect(typesOf()).not.toContain('code.wrong')
    expect(typesOf()).not.toContain('post.refused')
  })

  inFullRun(
    'a challenge page of another user is refused before the user who has signed in since has opened a page',
    async () => {
      const { app, browser, typesOf } = await arrange()
      await app.verify(app.browser(), 'bob')
      const { page } = await app.enroll(browser, 'alice')
      await switchToBob(app, browser)

      const answer = await browser.submit('/mfa/code', { page: tokenOn(page), code: '000000' })

      expect(answer.status).toBe(403)
      expect(typesOf()).not.toContain('code.wrong')
    },
  )

  inFullRun.each(['/mfa/send', '/mfa/cancel', '/mfa/email', '/mfa/remember'])(
    'a challenge page of another user changes nothing by a post to %s for the user who has signed in since',
    async (path) => {
      const { app, browser, typesOf } = await arrange()
      await app.verify(app.browser(), 'bob')
      const { page } = await app.enroll(browser, 'alice')
      await switchToBob(app, browser)
      const before = numberOn(await browser.visit('/account'))
      const eventsBefore = typesOf()
      await app.clock.advance(16)

      const answer = await browser.submit(path, { page: tokenOn(page), remember: 'yes' })

      expect(answer.status).toBe(403)
      expect(typesOf()).toEqual(eventsBefore)
      expect(numberOn(await browser.visit('/mfa'))).toBe(before)
    },
  )

  inFullRun(
    'a challenge page of another user is told, where a script posts, that the form was not accepted',
    async () => {
      const { app, browser } = await arrange()
      const { page } = await app.enroll(browser, 'alice')
      await switchToBob(app, browser)

      const answer = await browser.submit(
        '/mfa/passkey/options',
        { page: tokenOn(page) },
        { accept: 'application/json' },
      )

      expect([answer.status, answer.body]).toEqual([403, expect.objectContaining({ error: 'cross_site' })])
    },
  )
})

describe('the page of another user’s devices', () => {
  it('the page of another user’s devices removes nothing of the user who has signed in since, and interrupts nothing for a confirmation', async () => {
    const { app, browser, typesOf } = await arrange()
    const bob = await app.verify(app.browser(), 'bob')
    await app.verify(browser, 'alice')
    const page = await browser.visit('/mfa/devices')
    await switchToBob(app, browser)
    await browser.visit('/account')
    await app.answer(bob, 'approve', numberOn(await browser.visit('/mfa')))
    await browser.submit('/mfa/complete')
    const eventsBefore = typesOf()

    const answer = await browser.submit('/mfa/devices/remove', { page: tokenOn(page), what: 'device' })

    expect([answer.status, textOf(answer)]).toEqual([403, expect.stringContaining(stale)])
    expect(typesOf()).toEqual(eventsBefore)
  })
})

describe('the pages of one user', () => {
  inFullRun(
    'the pages of one user are accepted in each tab, also where another tab has opened another challenge',
    async () => {
      const { app, browser, typesOf } = await arrange()
      const { page } = await app.enroll(browser, 'alice')
      await app.clock.advance(901)
      const next = await browser.visit('/account')

      const answer = await browser.submit('/mfa/code', { page: tokenOn(page), code: '000000' })

      expect(tokenOn(next)).not.toBe(tokenOn(page))
      expect(answer.status).toBe(303)
      expect(typesOf()).toContain('code.wrong')
    },
  )

  inFullRun('the pages of one user are accepted after the user has signed out and in again', async () => {
    const { app, browser, typesOf } = await arrange()
    const { page } = await app.enroll(browser, 'alice')
    await browser.visit('/logout')
    await app.signIn(browser, 'alice')

    const answer = await browser.submit('/mfa/code', { page: tokenOn(page), code: '000000' })

    expect(answer.status).toBe(303)
    expect(typesOf()).toContain('code.wrong')
  })

  it('the pages of one user have a token of that user, also in a web session that an app has kept for them', () => {
    const page = createPageToken('username:alice', randomBytes)
    const context = { mfa: { options: { random: randomBytes } } }

    const request = { user: { username: 'bob' }, state: { page }, context } as unknown as WebRequest
    const { token, state } = withFormToken(request)

    expect(isOfOtherUser(page, userKeyOf(request.user))).toBe(true)
    expect(isOfOtherUser(token, userKeyOf(request.user))).toBe(false)
    expect(state.page).toBe(token)
  })

  inFullRun(
    'the pages of one user sign out whoever is signed in, because a person who leaves the browser wants nobody to be',
    async () => {
      const app = await startWebApp({
        mfa: { logout: (req, res, next) => req.logout((error) => (error ? next(error) : res.redirect(303, '/left'))) },
      })
      const browser = app.browser()
      const { page } = await app.enroll(browser, 'alice')
      await switchToBob(app, browser)

      const answer = await browser.submit('/mfa/sign-out', { page: tokenOn(page) })

      expect([answer.status, answer.headers['location']]).toEqual([303, '/left'])
      expect((await browser.fetch('/mfa')).status).toBe(401)
    },
  )
})
