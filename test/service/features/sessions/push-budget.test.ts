import { randomBytes } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inFullRun } from '../../../support/full-run.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running
let count = 0

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const minute = 60
const hour = 60 * minute

/** A user with a device, and a caller who sends requests to it. */
async function arrange() {
  const person = await running.enroll(`asked ${(count += 1)}`)
  const path = `/domains/${running.domain.id}/sessions`
  /** Sends a request, as after a password. Returns the session, or the seconds until the next one is allowed. */
  const ask = async (more: object = { challenge: randomBytes(16).toString('base64url') }) => {
    const { status, json, code, headers } = await running.call('POST', path, {
      body: { user: { id: person.user.id }, ...more },
    })
    return status === 200
      ? { id: json.id as string, wait: undefined }
      : { id: undefined, wait: `${code} ${headers.get('retry-after')}` }
  }
  const cancel = (id: string | undefined) => running.call('DELETE', `${path}/${id}`)
  const answer = async (decision: string) => {
    const [request] = await person.pending()
    await person.device.answer(request!.id, { nonce: request!.nonce, decision })
  }
  const askAndDeny = async (times: number) => {
    for (let i = 0; i < times; i += 1) {
      await ask()
      await answer('deny')
    }
  }
  return { ...person, ask, cancel, answer, askAndDeny }
}

describe('requests that a user does not approve', () => {
  inFullRun('requests that a user does not approve are limited to five in ten minutes', async () => {
    const { ask, askAndDeny } = await arrange()
    await askAndDeny(1)
    await running.clock.advance(minute)
    await askAndDeny(4)

    expect((await ask()).wait).toBe(`api.error.toomanyrequests ${9 * minute}`)
    await running.clock.advance(9 * minute - 1)
    expect((await ask()).wait).toBe('api.error.toomanyrequests 1')
    await running.clock.advance(1)
    expect((await ask()).id).toBeDefined()
  })

  inFullRun('requests that a user does not approve are limited to fifteen a day', async () => {
    const { ask, askAndDeny } = await arrange()
    for (let round = 0; round < 3; round += 1) {
      await askAndDeny(5)
      running.clock.skip(hour)
    }

    expect((await ask()).wait).toBe(`api.error.toomanyrequests ${21 * hour}`)
  })

  inFullRun('requests that a user does not approve count even when they are canceled', async () => {
    const { ask, cancel } = await arrange()
    for (let i = 0; i < 5; i += 1) await cancel((await ask()).id)

    expect((await ask()).wait).toMatch(/toomanyrequests/)
  })

  inFullRun('requests that a user does not approve are forgotten when one is approved', async () => {
    const { ask, answer, askAndDeny } = await arrange()
    await askAndDeny(4)
    await ask()
    await answer('approve')

    await askAndDeny(5)

    expect((await ask()).wait).toMatch(/toomanyrequests/)
  })

  it('requests that a user does not approve are limited to three at a time', async () => {
    const { ask, cancel } = await arrange()
    const [first] = [await ask(), await ask(), await ask()]

    expect((await ask()).wait).toBe('api.error.toomanyrequests 90')
    await cancel(first?.id)
    expect((await ask()).id).toBeDefined()
  })

  it('64 unapproved requests that are sent at once are limited to three at a time, and five in total', async () => {
    const { ask, answer, pending } = await arrange()
    const askOften = async () => {
      const answers = await Promise.all(Array.from({ length: 64 }, () => ask()))
      return answers.filter(({ id }) => id !== undefined).length
    }

    const atFirst = await askOften()
    const { length: waiting } = await pending()
    for (let denied = 0; denied < 3; denied += 1) await answer('deny')

    expect([atFirst, waiting, await askOften()]).toEqual([3, 3, 2])
  })

  inFullRun('requests to a user are paused for fifteen minutes after the user reports one', async () => {
    const { ask, answer } = await arrange()
    await ask()
    await answer('report')

    expect((await ask()).wait).toBe(`api.error.toomanyrequests ${15 * minute}`)
    await running.clock.advance(15 * minute)
    expect((await ask()).id).toBeDefined()
  })

  inFullRun('requests that one user does not approve do not affect other users', async () => {
    const [user, otherUser] = [await arrange(), await arrange()]
    await user.askAndDeny(5)

    expect((await otherUser.ask()).id).toBeDefined()
  })

  inFullRun('requests that a user does not approve do not affect codes', async () => {
    const { ask, askAndDeny } = await arrange()
    await askAndDeny(5)

    expect((await ask({ otp: '000000' })).id).toBeDefined()
  })
})
