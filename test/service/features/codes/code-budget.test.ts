import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { lockedUntil, untilUnlocked } from '../../../../src/service/features/codes/lock.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { holder, otherThan } from './code-holder.ts'
import { createCall, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const minute = 60
const newChallenge = () => randomBytes(16).toString('base64url')

/** A user with a hardware token, and an attacker who guesses codes. */
async function arrange(on: Running = running) {
  const person = await holder(on)
  const path = `/domains/${on.domain.id}/sessions`
  const enter = async (otp: string, challenge = newChallenge()) => {
    const answer = await on.call('POST', path, { body: { user: { id: person.id }, otp, challenge } })
    return answer.status === 200 ? (answer.json.state as string) : `${answer.code} ${answer.headers.get('retry-after')}`
  }
  const wrong = () => otherThan(person.token.code(-1), person.token.code(), person.token.code(1))
  const guess = async (times: number, challenge?: string) => {
    for (let i = 0; i < times; i++) await enter(wrong(), challenge)
  }
  return { ...person, enter, wrong, guess }
}

describe('wrong codes of a challenge', () => {
  it('after five wrong codes, a challenge no longer checks even the right one, but another challenge does', async () => {
    const { enter, wrong, guess, token } = await arrange()
    const challenge = newChallenge()
    await guess(4, challenge)
    expect(await enter(wrong(), challenge)).toBe('denied')

    expect(await enter(token.code(), challenge)).toBe('api.error.limit.codes null')
    expect(await enter(token.code())).toBe('approved')
  })

  inFullRun(
    'only the response to a wrong code counts down the tries left, also toward the user’s lockout',
    async () => {
      const { id, wrong, guess } = await arrange()
      await guess(7)
      const challenge = newChallenge()
      const tryWrongCode = async () => {
        const body = { user: { id }, otp: wrong(), challenge }
        return (await running.call('POST', `/domains/${running.domain.id}/sessions`, { body })).json
      }

      const [first, second, third] = [await tryWrongCode(), await tryWrongCode(), await tryWrongCode()]

      expect([first, second, third].map(({ triesLeft }) => triesLeft)).toEqual([2, 1, 0])
      expect([first, second, third].map(({ lockedFor }) => lockedFor)).toEqual([undefined, 900, 900])
      const read = await running.call('GET', `/domains/${running.domain.id}/sessions/${first.id}`)
      expect(read.json).not.toHaveProperty('triesLeft')
    },
  )

  inFullRun('a challenge allows five wrong codes when 64 arrive at once', async () => {
    const { enter, wrong } = await arrange()
    const challenge = newChallenge()

    const answers = await Promise.all(Array.from({ length: 64 }, () => enter(wrong(), challenge)))

    expect(answers.filter((answer) => answer === 'denied')).toHaveLength(5)
  })
})

describe('wrong codes of a user in a row', () => {
  it('ten wrong codes in a row across all challenges lock codes for fifteen minutes, without checking or using up the right one', async () => {
    const { enter, guess, token } = await arrange()
    await guess(10)

    expect(await enter(token.code())).toBe(`api.error.locked ${15 * minute}`)
    await running.clock.advance(15 * minute - 30)
    const code = token.code()
    expect(await enter(code)).toBe('api.error.locked 30')
    await running.clock.advance(30)

    expect(await enter(token.code(-1))).toBe('approved')
  })

  inFullRun('wrong codes are counted exactly when 64 arrive at once: none is lost and none counted twice', async () => {
    const { enter, wrong, token } = await arrange()

    const answers = await Promise.all(Array.from({ length: 64 }, () => enter(wrong())))

    expect(answers.filter((answer) => answer === 'denied')).toHaveLength(10)
    expect(await enter(token.code())).toMatch(/locked/)
  })

  inFullRun('a right code resets the count of wrong codes in a row', async () => {
    const { enter, guess, token } = await arrange()
    await guess(9)
    expect(await enter(token.code())).toBe('approved')
    await running.clock.advance(30)
    await guess(9)

    expect(await enter(token.code())).toBe('approved')
  })

  inFullRun('wrong codes lock a user’s codes for twice as long the next time', async () => {
    const { enter, guess, token } = await arrange()
    await guess(10)
    await running.clock.advance(15 * minute)
    await guess(10)

    expect(await enter(token.code())).toBe(`api.error.locked ${30 * minute}`)
  })

  inFullRun('wrong codes lock the codes of every factor, but not the device', async () => {
    const person = await arrange()
    const { json } = await running.call('POST', `${person.path}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 60 },
    })
    await person.guess(10)

    expect(await person.enter(json.code)).toMatch(/locked/)
    const push = await running.call('POST', `/domains/${running.domain.id}/sessions`, {
      body: { user: { id: person.id } },
    })
    // The request was processed and found no device, so codes are not locked.
    expect(push.code).toBe('api.error.notfound.token')
  })

  inFullRun('wrong codes lock only their own user', async () => {
    const [person, otherPerson] = await Promise.all([arrange(), arrange()])
    await person.guess(10)

    expect(await otherPerson.enter(otherPerson.token.code())).toBe('approved')
  })

  it('wrong codes are counted across all processes and stay counted across restarts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'budget-'))
    const database = join(folder, 'mfa.sqlite')
    const first = await startService({ database })
    const person = await arrange(first)
    const { clock } = first
    onTestFinished(() => rm(folder, { recursive: true }))
    const enter = async ({ origin }: Running, otp: string) => {
      const call = createCall(origin, first.apiKey)
      const body = { user: { id: person.id }, otp }
      return (await call('POST', `/domains/${first.domain.id}/sessions`, { body })).status
    }

    const second = await startService({ database, clock })
    for (let i = 0; i < 5; i++) await enter(second, person.wrong())
    await person.guess(5)
    const beside = await enter(second, person.token.code())
    await first.close()
    await second.close()
    const third = await startService({ database, clock })
    const afterwards = await enter(third, person.token.code())
    await third.close()

    expect([beside, afterwards]).toEqual([429, 429])
  })
})

describe('how long codes are locked', () => {
  const hour = 60 * minute

  it.each([
    [0, undefined],
    [9, undefined],
    [10, 15 * minute],
    [11, undefined],
    [20, 30 * minute],
    [30, hour],
    [40, 2 * hour],
    [49, undefined],
  ])('after %i wrong codes in a row, codes are locked for %s seconds', (failures, seconds) => {
    expect(lockedUntil(failures, 1000)).toBe(seconds === undefined ? undefined : 1000 + seconds)
  })

  it.each([50, 51, 60, 1000])(
    'after %i wrong codes in a row, codes are locked until an administrator unlocks them',
    (failures) => {
      expect(lockedUntil(failures, 1000)).toBe(untilUnlocked)
    },
  )
})
