import { describe, expect, it } from 'vitest'

import { describe as inOneLine } from '../../src/express/request/service-outage.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { startServiceWithDoor } from '../support/service-door.ts'
import { startWebApp } from '../support/web-app.ts'

describe('the log of an app whose service is gone', () => {
  it('the app logs a service outage once, and its end once, however many requests notice', async () => {
    const clock = createTestClock()
    const { door, service } = await startServiceWithDoor(clock)
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    const app = await startWebApp({ mfa: { service, clock, logger: { info: log, warn: log, error: log } } })
    const people = [app.browser(), app.browser(), app.browser()]
    for (const [index, browser] of people.entries()) await app.signIn(browser, `person-${index}`)

    door.instead = (_req, res) => void res.destroy()
    const pagesDuring = await Promise.all(people.map((browser) => browser.visit('/mfa')))
    await clock.advance(9)
    door.instead = undefined
    const pageAfter = await people[0]!.visit('/mfa')
    await clock.advance(5)

    expect(pagesDuring.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(pageAfter.status).toBe(200)
    expect(lines).toEqual([
      expect.stringMatching(/^mfa: service gone: UnreachableError: .* \(request [0-9a-f-]{36}\)$/),
      'mfa: service back after 9 s; 3 requests were refused meanwhile',
    ])
  })
})

describe('an error in the log', () => {
  it('an error in the log names its cause, and only once', () => {
    const cause = new Error('There is no database')

    expect(inOneLine(new Error('The service failed.', { cause }))).toBe(
      'Error: The service failed. (There is no database)',
    )
    expect(inOneLine(new Error(cause.message, { cause }))).toBe('Error: There is no database')
  })
})
