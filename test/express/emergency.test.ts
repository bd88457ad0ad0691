import type { MfaEvent, MfaOptions } from 'second-factor'
import { MfaStrategy } from 'second-factor/passport'
import { embedded } from 'second-factor/service'
import type { EmbeddedService } from 'second-factor/service'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { createWatchedClock, quickHash } from '../service/start-service.ts'
import { startWebApp } from '../support/web-app.ts'

afterEach(() => vi.unstubAllEnvs())

const hour = 60 * 60
const timeAt = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`

/** An app that was started with this variable; by default for an hour. */
async function startIn(
  emergency: string | ((now: number) => string) = (now) => timeAt(now + hour),
  options: Partial<MfaOptions> = {},
) {
  const clock = createWatchedClock()
  vi.stubEnv('MFA_EMERGENCY_OFF_UNTIL', typeof emergency === 'string' ? emergency : emergency(clock.now()))
  const lines: string[] = []
  const events: MfaEvent[] = []
  const logger = {
    info() {},
    warn: (line: string) => void lines.push(line),
    error: (line: string) => void lines.push(line),
  }
  const app = await startWebApp({
    service: { clock },
    mfa: { clock, logger, onEvent: (event) => void events.push(event), ...options },
    routes(routes, passport) {
      passport.use(new MfaStrategy())
      routes.get('/by-passport', passport.authenticate('mfa'), (req, res) => void res.json(req.authInfo ?? {}))
    },
  })
  const person = app.browser()
  await app.signIn(person, 'alice')
  const ofEmergency = () => events.filter(({ type }) => type === 'gate.emergency').map(({ userKey }) => userKey)
  return { app, clock, person, lines, ofEmergency }
}

describe('MFA_EMERGENCY_OFF_UNTIL', () => {
  it('an emergency opens the gate, requireMfa() and the strategy, and verifies nobody', async () => {
    const { person } = await startIn()

    const answers = [await person.open('/account'), await person.open('/danger'), await person.open('/by-passport')]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers[0]?.body).toMatchObject({ verified: false, mfa: { remembered: false } })
    expect(answers[0]?.body.mfa.verified).toBeUndefined()
  })

  it('an emergency opens nothing to visitors who are not signed in', async () => {
    const { app } = await startIn()

    expect((await app.browser().open('/danger')).status).toBe(401)
  })

  it('an emergency stores nothing, so that everything is as before when it is over', async () => {
    const { clock, person, app } = await startIn()
    const cookies = person.cookies()
    await person.open('/account')
    await person.open('/danger')
    expect(person.cookies()).toBe(cookies)

    await clock.advance(hour)

    expect((await person.open('/account')).headers['location']).toBe('/mfa')
    expect((await person.fetch('/danger')).status).toBe(403)
    expect((await app.browser().fetch('/danger')).status).toBe(401)
  })

  it('an emergency changes no factors: those pages still take their pass', async () => {
    const { app, person } = await startIn()
    await app.enroll(app.browser(), 'alice', '/mfa')

    const list = await person.visit('/mfa/devices')
    const added = await person.submit('/mfa/devices/device')
    const codes = await person.submit('/mfa/devices/codes')

    expect(list.path).toBe('/mfa')
    expect([added, codes].map(({ headers }) => headers['location'])).toEqual(['/mfa', '/mfa'])
  })

  it('an emergency is warned of once a minute, and emits an event for each user', async () => {
    const { app, clock, person, lines, ofEmergency } = await startIn()
    const bob = app.browser()
    await app.signIn(bob, 'bob')
    for (const each of [person, person, bob, person]) await each.open('/account')
    const before = lines.length

    await clock.advance(60)
    await person.open('/account')
    await person.open('/danger')

    expect(lines[0]).toMatch(/^mfa: the second step is OFF until \d{4}-.*Z, because MFA_EMERGENCY_OFF_UNTIL is set$/)
    expect(lines.slice(1)).toEqual([lines[1], lines[1]])
    expect(lines[1]).toMatch(/^mfa: users pass without the second step until /)
    expect([before, lines.length]).toEqual([2, 3])
    expect(ofEmergency()).toEqual(['username:alice', 'username:bob', 'username:alice'])
  })

  it.each<[string, string | ((now: number) => string), string]>([
    ['a time that is over', (now) => timeAt(now - 1), 'is over: remove it'],
    ['a time more than 24 hours ahead', (now) => timeAt(now + 24 * hour + 1), 'is more than 24 hours ahead'],
    ['a time without a zone', (now) => timeAt(now + hour).slice(0, -1), 'must be a time such as'],
    ['a date', '2026-11-28', 'must be a time such as'],
    ['a number', '99999999999', 'must be a time such as'],
    ['a word', 'true', 'must be a time such as'],
    ['an impossible time', '2026-13-45T99:99:99Z', 'must be a time such as'],
  ])('%s opens nothing, and says why', async (_, text, reason) => {
    const { person, lines } = await startIn(text)

    expect((await person.open('/account')).headers['location']).toBe('/mfa')
    expect((await person.fetch('/danger')).status).toBe(403)
    expect(lines.join('\n')).toContain(`MFA_EMERGENCY_OFF_UNTIL ${reason}`)
  })

  it('an emergency does not become longer when the clock is set back', async () => {
    const { clock, person } = await startIn()
    clock.skip(-24 * hour)

    expect((await person.open('/account')).headers['location']).toBe('/mfa')
  })

  it('an emergency is recorded in the audit trail of the service, once and as soon as the service answers', async () => {
    const recorded: unknown[] = []
    let isDown = true
    const wrap = (service: EmbeddedService): EmbeddedService => ({
      ...service,
      async connect(...facts) {
        const connection = await service.connect(...facts)
        const send: typeof fetch = async (input, init) => {
          const request = new Request(input, init)
          if (request.url.endsWith('/emergencies')) {
            if (isDown) throw new Error('down')
            recorded.push(await request.clone().json())
          }
          return (connection.fetch ?? fetch)(request)
        }
        return { ...connection, fetch: send }
      },
    })
    const clock = createWatchedClock()
    const service = wrap(embedded({ database: ':memory:', clock, pinHashCost: quickHash }))
    const { person, clock: appClock } = await startIn((now) => timeAt(now + hour), { service })
    await person.open('/account')
    expect(recorded).toEqual([])

    isDown = false
    await appClock.advance(60)
    await person.open('/account')
    await expect.poll(() => recorded).toEqual([{ until: appClock.now() - 60 + hour }])
    await appClock.advance(60)
    await person.open('/account')

    expect(recorded).toHaveLength(1)
  })

  it('an empty variable is none', async () => {
    const { lines } = await startIn('')

    expect(lines).toEqual([])
  })
})
