import { eventChannel } from 'second-factor'
import type { MfaEvent } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** An app that writes down what it is told. */
async function startTold() {
  const events: MfaEvent[] = []
  const app = await startWebApp({ mfa: { onEvent: (event) => void events.push(event) } })
  return { app, events, types: () => events.map((event) => event.type) }
}

describe('the events of the web half', () => {
  inFullRun('events report a sign-in from its request to its end: user, time, address, factor', async () => {
    const { app, events, types } = await startTold()
    const browser = app.browser()

    await app.verify(browser, 'alice')

    expect(types()).toEqual(['challenge.opened', 'enrollment.offered', 'factor.added', 'push.sent', 'challenge.passed'])
    expect(events.at(-1)).toEqual({
      type: 'challenge.passed',
      at: app.clock.now(),
      userKey: 'username:alice',
      address: '127.0.0.1',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      factor: 'push',
      sessionId: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
  })

  inFullRun('events report an unapproved request once, however often its page is loaded', async () => {
    const { app, events } = await startTold()
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')

    await app.answer(account, 'report')
    for (let load = 0; load < 3; load++) await browser.visit('/mfa')

    expect(events.filter(({ type }) => type === 'push.ended')).toMatchObject([{ reason: 'reported' }])
  })

  it('events report wrong codes, rejected posts, rejected approvals and users who give up', async () => {
    const { app, types } = await startTold()
    const browser = app.browser()
    await app.enroll(browser, 'alice')

    await browser.submit('/mfa/code', { code: '000000' })
    await browser.submit('/mfa/complete')
    await browser.submit('/mfa/cancel', {}, { 'sec-fetch-site': 'cross-site' })
    await browser.submit('/mfa/cancel')

    expect(types().slice(4)).toEqual(['code.wrong', 'challenge.refused', 'post.refused', 'challenge.given_up'])
  })

  inFullRun('events contain no number, code, cookie or challenge', async () => {
    const { app, events } = await startTold()
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await browser.submit('/mfa/code', { code: '135791' })
    await app.answer(account, 'approve', numberOn(page))
    const token = /name="page" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const cookie = browser.cookie('connect.sid') ?? ''

    await browser.submit('/mfa/complete')

    const written = JSON.stringify(events)
    for (const secret of ['135791', token, cookie, `"${numberOn(page)}"`]) expect(written).not.toContain(secret)
    expect(new Set(events.flatMap(Object.keys))).toEqual(
      new Set(['type', 'at', 'userKey', 'address', 'requestId', 'purpose', 'kind', 'id', 'sessionId', 'factor']),
    )
  })

  inFullRun.each([
    [
      'throws',
      () => {
        throw new Error('collector down')
      },
    ],
    ['is async and rejects', () => Promise.reject(new Error('collector down'))],
  ])('an event listener that %s changes nothing', async (_, onEvent: () => unknown) => {
    const app = await startWebApp({ mfa: { onEvent: () => onEvent() as undefined } })
    const browser = app.browser()

    await app.verify(browser, 'alice')

    expect((await browser.fetch('/account')).body.verified).toBe(true)
    expect(app.trouble.join()).toContain('mfa: onEvent failed: collector down (request ')
  })

  inFullRun('events are published on a diagnostics channel as well', async () => {
    const publishedEvents: unknown[] = []
    const listen = (event: unknown) => void publishedEvents.push(event)
    eventChannel.subscribe(listen)
    try {
      const app = await startWebApp()
      await app.enroll(app.browser(), 'alice')
    } finally {
      eventChannel.unsubscribe(listen)
    }

    expect(publishedEvents).toMatchObject([
      { type: 'challenge.opened' },
      { type: 'enrollment.offered' },
      { type: 'factor.added', kind: 'device' },
      { type: 'push.sent' },
    ])
  })
})
