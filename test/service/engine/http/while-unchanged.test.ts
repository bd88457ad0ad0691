import { describe, expect, it } from 'vitest'

import { ApiProblem } from '../../../../src/service/engine/base/problem.ts'
import { eventsWhileUnchanged } from '../../../../src/service/engine/http/while-unchanged.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'

describe('an event stream of an API key', () => {
  it.each([
    [
      'stays while the database fails that would say whether the key is valid',
      new Error('the disk is full'),
      ['an event'],
    ],
    ['ends once the key is refused', new ApiProblem('api.error.unauthorized'), ['the end']],
  ])('an event stream of an API key %s', async (_, failure, expected) => {
    const clock = createTestClock()
    const received: string[] = []
    let send = (_event: string) => {}
    const admission = {
      id: 'key',
      caller: {} as never,
      authorize: () => {},
      requireUnchanged: () => Promise.reject(failure),
    }
    const source = eventsWhileUnchanged<string>(clock, admission, (follower) => {
      send = (event) => follower.event(event)
      return () => (send = () => {})
    })

    source({ event: (event) => received.push(event), end: () => received.push('the end') })
    await clock.advance(5)
    send('an event')

    expect(received).toEqual(expected)
  })
})
