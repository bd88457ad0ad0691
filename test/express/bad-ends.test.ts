import type { MfaOptions } from 'second-factor'
import { createClient } from 'second-factor/client'
import { describe, expect, it } from 'vitest'

import { lockedUntil, untilUnlocked } from '../../src/service/features/codes/lock.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

const passwordUrl = 'https://id.example/password'
const passwordLink = `href="${passwordUrl}"`
const shield = 'class="shield"'

/** Alice, whose device has a request that waits. */
async function arrange(mfa: Partial<MfaOptions> = {}) {
  const app = await startWebApp({ mfa })
  const browser = app.browser()
  const { account, page } = await app.enroll(browser, 'alice')
  const answered = async (decision: 'approve' | 'deny' | 'report', number?: string) => {
    await app.answer(account, decision, number)
    return textOf(await browser.visit('/mfa'))
  }
  const guess = async (times: number) => {
    for (let guesses = 0; guesses < times; guesses++) await browser.submit('/mfa/code', { code: '000000' })
    return textOf(await browser.visit('/mfa?use=code'))
  }
  return { app, browser, account, page, answered, guess }
}

const textOf = ({ text }: { text: string }) => text.replaceAll('&#39;', "'")

describeInFullRun('a request that was denied', () => {
  it('the page of a denied request is a warning: the main button changes the password, the other one tries again', async () => {
    const { answered } = await arrange({ passwordUrl })

    const page = await answered('deny')

    expect(page).toContain(shield)
    expect(page).toContain('You denied this sign-in</h1>')
    expect(page).toContain('Someone else may be signing in as you.')
    expect(page).toContain(`<a class="button" ${passwordLink}>I denied it – change my password</a>`)
    expect(page).toContain('<button type="submit" class="quiet">It was me – try again</button>')
  })

  it('the page of a denied request says in words to change the password if the app does not say where', async () => {
    const { answered } = await arrange()

    const page = await answered('deny')

    expect(page).toContain("If it wasn't you, change your password.")
    expect(page).not.toContain('change my password')
    expect(page).toContain('<button type="submit">It was me – try again</button>')
  })
})

describeInFullRun('a request that was reported', () => {
  it('after a report, the page says that no one got in and how long requests are paused, password change first', async () => {
    const { app, browser, answered } = await arrange({ passwordUrl })

    const page = await answered('report')
    await app.clock.advance(300)

    expect(page).toContain(shield)
    expect(page).toContain('No one got in. Requests are paused for 15 minutes.')
    expect(page).toMatch(/>Change my password<.*>Use a code</s)
    expect(textOf(await browser.visit('/mfa'))).toContain('Requests are paused for 10 minutes.')
  })

  it('a reported request can be repeated once requests work again', async () => {
    const { app, browser, answered } = await arrange()
    await answered('report')

    await app.clock.advance(900)

    const page = textOf(await browser.visit('/mfa'))
    expect(page).not.toContain('paused')
    expect(page).toContain('action="/mfa/send"')
  })
})

describeInFullRun('a request that ended without harm', () => {
  it.each([
    ['with a wrong number', "That wasn't the right number", "We'll send a new request with a new number."],
    ['unanswered', 'Time ran out', "The request wasn't answered within 90 seconds."],
  ])('a request that ended %s shows no warning', async (how, headline, sentence) => {
    const { app, browser, page, answered } = await arrange({ passwordUrl })
    if (how === 'unanswered') await app.clock.advance(90)
    else await answered('approve', page.text.includes('id="number">10<') ? '11' : '10')

    const ended = textOf(await browser.visit('/mfa'))

    expect(ended).toContain(`${headline}</h1>`)
    expect(ended).toContain(sentence)
    expect(ended).not.toContain(shield)
    expect(ended).not.toContain(passwordLink)
  })
})

describe('wrong codes', () => {
  inFullRun(
    'wrong codes announce the pause and its length before the last try, and never a last try of none',
    async () => {
      const { app, guess } = await arrange()
      await app.clock.advance(60)

      const last = await guess(4)
      const paused = await guess(1)

      expect(last).toContain('One more wrong code pauses codes for 14 minutes</h1>')
      expect(last).toContain('name="code"')
      expect(paused).toContain('Codes work again in 14 minutes.')
      expect(paused).not.toContain('name="code"')
      expect(paused).not.toContain('0 tries')
    },
  )

  inFullRun('wrong codes announce the longer pause of the user where that comes first', async () => {
    const { app } = await arrange()
    const { baseUrl, apiKey, domainId, fetch } = await app.service.connect()
    const client = createClient({ baseUrl, apiKey, fetch })
    const wrong = () => client.sessions.create(domainId, { user: { username: 'alice' }, otp: '000000' })
    for (let guesses = 0; guesses < 10; guesses++) await wrong()
    await app.clock.advance(900)
    for (let guesses = 0; guesses < 8; guesses++) await wrong()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.visit('/account')

    await browser.submit('/mfa/code', { code: '000000' })

    expect((await browser.visit('/mfa?use=code')).text).toContain(
      'One more wrong code pauses codes for 30 minutes</h1>',
    )
  })

  it('wrong codes announce a lock that only an administrator ends', async () => {
    const { noticeText } = await import('../../src/express/pages/notice.ts')
    const { createLanguages, englishOf } = await import('../../src/express/options/languages.ts')
    const english = englishOf(createLanguages({}, undefined))
    const pausedFor = (lockedUntil(50, 0) ?? 0) - 0

    const text = noticeText(english, { kind: 'wrong_code', triesLeft: 1, pausedFor }, 0)

    expect(pausedFor).toBe(untilUnlocked)
    expect(text).toContain('One more wrong code locks codes until your administrator unlocks them')
  })
})
