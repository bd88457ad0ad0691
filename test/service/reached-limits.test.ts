import { describe, expect, it, onTestFinished } from 'vitest'

import { createRateLimiter } from '../../src/service/engine/http/rate-limit.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { random128 } from '../support/device-signer.ts'
import { inFullRun } from '../support/full-run.ts'
import { member } from './features/codes/code-holder.ts'
import { startService } from './start-service.ts'

/** 2026-11-22T06:00:00Z */
const start = 1_795_327_200

async function open() {
  const running = await startService({}, { emailOtpEnabled: true, requestTimeout: 90 }, start)
  onTestFinished(() => running.close())
  const sessions = `/domains/${running.domain.id}/sessions`
  const ask = async (userId: string, more: object) => {
    const { status, headers, json } = await running.call('POST', sessions, { body: { user: { id: userId }, ...more } })
    return { status, wait: headers.get('retry-after'), message: json.errors?.[0].message as string }
  }
  return { ...running, ask }
}

describe('a rejected request names the limit it has reached, and its end,', () => {
  inFullRun('a request rejected for too many pending requests names the limit and its end', async () => {
    const { enroll, ask } = await open()
    const { user } = await enroll('alice')
    for (let each = 0; each < 3; each += 1) await ask(user.id, { challenge: random128() })

    expect(await ask(user.id, { challenge: random128() })).toEqual({
      status: 429,
      wait: '90',
      message: 'Too many requests: at most 3 pending requests for each user. Try again at 2026-11-22T06:01:30Z.',
    })
  })

  inFullRun('a request rejected for too many unapproved requests names the limit and its end', async () => {
    const { enroll, ask, clock } = await open()
    const { user } = await enroll('alice')
    for (let each = 0; each < 5; each += 1) {
      await ask(user.id, { challenge: random128() })
      await clock.advance(91)
    }

    expect((await ask(user.id, { challenge: random128() })).message).toBe(
      'Too many requests: at most 5 unapproved requests in 10 minutes. Try again at 2026-11-22T06:10:00Z.',
    )
  })

  inFullRun('a request rejected for wrong codes names the limit and its end', async () => {
    const running = await open()
    const { id } = await member(running)
    for (let each = 0; each < 10; each += 1) await running.ask(id, { otp: '000000' })

    expect(await running.ask(id, { otp: '000000' })).toEqual({
      status: 429,
      wait: '900',
      message: 'Too many wrong codes in a row: the codes of this user are locked. Try again at 2026-11-22T06:15:00Z.',
    })
  })

  inFullRun('a request rejected for wrong codes says if only an administrator can unlock the codes', async () => {
    const running = await open()
    const { id } = await member(running)
    for (let each = 0; each < 50; each += 1) {
      await running.ask(id, { otp: '000000' })
      running.clock.skip(each % 10 === 9 ? 86_400 : 0)
    }

    const { message } = await running.ask(id, { otp: '000000' })

    expect(message).toBe(
      'Too many wrong codes in a row: the codes of this user are locked. Only an administrator unlocks them.',
    )
  })

  inFullRun(
    'a request rejected for wrong codes of a challenge names the limit and says to start a new one',
    async () => {
      const running = await open()
      const { id } = await member(running)
      const challenge = random128()
      for (let each = 0; each < 5; each += 1) await running.ask(id, { otp: '000000', challenge })

      const { message } = await running.ask(id, { otp: '000000', challenge })

      expect(message).toBe('This challenge accepts no more codes after 5 wrong ones. Start a new one.')
    },
  )

  it.each([
    ['key', 'for each API key'],
    ['address', 'for each address'],
  ])('a request over the limit per second of each %s names the limit and its end', (name, whose) => {
    const limiter = createRateLimiter(name, 1, createTestClock(start))
    limiter.take('a')

    expect(() => limiter.take('a')).toThrow(
      `Too many requests: at most 1 in a second ${whose}. Try again at 2026-11-22T06:00:01Z.`,
    )
  })
})
