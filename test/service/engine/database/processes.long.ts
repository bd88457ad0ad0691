import { once } from 'node:events'

import { describe, expect, it } from 'vitest'

import { systemClock } from '../../../../src/ground/clock.ts'
import { useSharedFile } from './other-process.ts'
import { createCall, startService } from '../../start-service.ts'

const { database, startOther } = useSharedFile()

describe('two processes on one database', () => {
  it('a process wakes callers that wait at another process on the same database', async () => {
    const here = await startService({ database: database(), clock: systemClock })
    const { origin } = await startOther()
    const there = createCall(origin, here.apiKey)
    const { ask, held, sessions } = await here.enroll('shared')
    const { id } = await ask()

    const answer = held(id, 30)
    const begun = performance.now()
    await there('DELETE', `${sessions}/${id}`)
    const { json } = await answer
    const took = performance.now() - begun
    await here.close()

    expect(json.state).toBe('cancelled')
    // Well before the 30 seconds after which the call would be answered anyway.
    expect(took).toBeLessThan(15_000)
  })

  it('two processes write to one database at the same time without losing a change', async () => {
    const here = await startService({ database: database(), clock: systemClock })
    const { origin } = await startOther()
    const calls = [here.call, createCall(origin, here.apiKey)]

    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        calls[index % 2]!('POST', '/users', { body: { username: `u${index}`, name: 'N', email: 'e@example.com' } }),
      ),
    )
    const users = await here.call('GET', '/users')
    await here.close()

    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    expect(users.json).toHaveLength(100)
  })
})

describe('a process that is shutting down', () => {
  it('a process that is shutting down answers waiting callers, accepts no new ones, and exits cleanly', async () => {
    const here = await startService({ database: database(), clock: systemClock })
    const { child, origin } = await startOther()
    const there = createCall(origin, here.apiKey)
    const { ask, sessions } = await here.enroll('ending')
    const { id } = await ask()
    const answer = there('GET', `${sessions}/${id}`, { headers: { prefer: 'wait=30' } })
    // Uses a separate connection: when this call is answered, the service has accepted the held one.
    await there('GET', '/ping')

    child.kill('SIGTERM')
    const [code] = (await once(child, 'exit')) as [number]

    expect((await answer).json.state).toBe('pending')
    expect(code).toBe(0)
    await expect(there('GET', '/ping')).rejects.toThrow('fetch failed')
    await here.close()
  })
})
