import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { holder, member } from '../service/features/codes/code-holder.ts'
import { createCall, startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'

/** Enough rounds to keep random differences between medians below the tolerance. */
const rounds = 800
/** The maximum difference between two medians, relative to the larger one. */
const tolerance = 0.15

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** The relative difference between the medians of two requests, which alternate to get the same conditions. */
async function compare(
  firstRequest: () => Promise<unknown>,
  secondRequest: () => Promise<unknown>,
  rest = () => Promise.resolve(),
) {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, send] of [firstRequest, secondRequest].entries()) {
      const start = performance.now()
      await send()
      times[index]?.push(performance.now() - start)
    }
    if (round % 4 === 3) await rest()
  }
  const [a, b] = [median(times[0]), median(times[1])]
  return Math.abs(a - b) / Math.max(a, b)
}

/** Guesses codes of a user. `forget` resets the wrong codes, because the budget would end the measurement. */
async function guesser({ id }: { id: string }) {
  const body = { usesAllowed: 1000, expirationTime: 0 }
  const { json } = await running.call('POST', `/users/${id}/bypasscodes`, { body })
  const give = (code: object) =>
    running.call('POST', `/domains/${running.domain.id}/sessions`, { body: { user: { id }, ...code } })
  const guess = async (otp: string) => expect((await give({ otp })).json.state).toBe('denied')
  return { guess, forget: async () => void (await give({ bypasscode: json.code })) }
}

describe('the response time', () => {
  it('the response time does not reveal that an API key is nearly right', async () => {
    const last = running.apiKey.endsWith('a') ? 'b' : 'a'
    const near = createCall(running.origin, running.apiKey.slice(0, -1) + last)
    const far = createCall(running.origin, 'a'.repeat(64))

    const difference = await compare(
      () => near('GET', '/ping'),
      () => far('GET', '/ping'),
    )

    expect(difference).toBeLessThan(tolerance)
  })

  it('the response time does not reveal whether a user has a hardware token', async () => {
    const [owner, nobody] = [await guesser(await holder(running)), await guesser(await member(running))]

    const difference = await compare(
      () => owner.guess('000000'),
      () => nobody.guess('000000'),
      async () => {
        await owner.forget()
        await nobody.forget()
      },
    )

    expect(difference).toBeLessThan(tolerance)
  })

  it('the response time does not reveal whether the hardware token of a user counts presses', async () => {
    const counting = await guesser(await holder(running, { algorithm: 'SHA1', digits: 6, counter: 0 }))
    const timed = await guesser(await holder(running))

    const difference = await compare(
      () => counting.guess('12'),
      () => timed.guess('12'),
      async () => {
        await counting.forget()
        await timed.forget()
      },
    )

    expect(difference).toBeLessThan(tolerance)
  })

  it('the response time does not reveal that a code is nearly right', async () => {
    const person = await holder(running)
    const { guess, forget } = await guesser(person)
    const right = person.token.code()
    const nearly = right.slice(0, 5) + ((Number(right[5]) + 1) % 10)

    const difference = await compare(
      () => guess(nearly),
      () => guess('12'),
      forget,
    )

    expect(difference).toBeLessThan(tolerance)
  })
})
