import { describe, expect, it } from 'vitest'

import { currentCode } from '../../src/device/index.ts'
import { createWatchedClock } from '../service/start-service.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import { postJson, startBank } from './approving-app.ts'

/** Options of an app. @param ahead How far its clock is ahead of its service's, seconds; negative where it is behind. */
function clocksApart(ahead: number) {
  const clock = createWatchedClock()
  return { clock, options: { service: { clock }, mfa: { clock: { ...clock, now: () => clock.now() + ahead } } } }
}

async function appAhead(seconds: number) {
  const { clock, options } = clocksApart(seconds)
  return { ...(await startWebApp(options)), clock }
}

async function bankAhead(seconds: number) {
  const { clock, options } = clocksApart(seconds)
  return { ...(await startBank(options)), clock }
}

const leftOn = ({ text }: { text: string }) => /data-left="(-?\d+)"/.exec(text)?.[1]

const transfer = { to: 'anna', amount: '250' }

describe.each([-3_600, -90, 90, 3_600])('an app whose clock is %i s ahead of its service’s', (ahead) => {
  it('an approval counts although the clocks of app and service differ', async () => {
    const app = await appAhead(ahead)
    const browser = app.browser()
    await app.verify(browser, 'alice')

    expect((await browser.visit('/account')).text).toContain('"verified":true')
    expect((await browser.visit('/danger')).text).toBe('danger')
  })

  inFullRun('a code counts although the clocks of app and service differ', async () => {
    const app = await appAhead(ahead)
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')
    const code = await currentCode(account, app.clock.now())
    await browser.submit('/mfa/code', { code: code?.code ?? '' })

    expect((await browser.visit('/danger')).text).toBe('danger')
  })

  inFullRun('a step-up lasts as long as the app says although the clocks of app and service differ', async () => {
    const app = await appAhead(ahead)
    const browser = app.browser()
    await app.verify(browser, 'alice')

    await app.clock.advance(299)
    const before = await browser.fetch('/danger')
    await app.clock.advance(1)
    const after = await browser.fetch('/danger')

    expect([before.status, after.status]).toEqual([200, 403])
  })

  inFullRun('the waiting page counts down although the clocks of app and service differ', async () => {
    const [app, other] = [await appAhead(ahead), await appAhead(0)]
    const { page } = await app.enroll(app.browser(), 'alice')
    const { page: usual } = await other.enroll(other.browser(), 'alice')

    expect(leftOn(usual)).toMatch(/^\d+$/)
    expect(leftOn(page)).toBe(leftOn(usual))
  })

  inFullRun('an approved action runs although the clocks of app and service differ', async () => {
    const bank = await bankAhead(ahead)
    const { browser, account } = await bank.signedIn()
    const page = await browser.submit('/transfer', transfer)
    const same = await browser.submit('/transfer', transfer)
    await bank.answer(account, 'approve', numberOn(page))

    expect((await browser.submit('/transfer', transfer)).text).toBe('sent Transfer 250')
    expect([leftOn(page), numberOn(same)]).toEqual(['300', numberOn(page)])
  })

  inFullRun(
    'an action that a script sends twice is asked for once although the clocks of app and service differ',
    async () => {
      const bank = await bankAhead(ahead)
      const { browser, account } = await bank.signedIn()
      const { approval } = (await postJson(browser, '/transfer', transfer)).body
      await bank.answer(account, 'approve', approval.number)
      await postJson(browser, '/transfer', transfer)
      await bank.clock.advance(5)

      expect((await postJson(browser, '/transfer', transfer)).body).toMatchObject({ reason: 'used' })
      expect(await bank.waiting(account)).toEqual([])
    },
  )
})
