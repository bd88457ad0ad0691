import { afterEach, describe, expect, it } from 'vitest'

import { startService, v14 } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const usual = { requestsPerSecond: 1_000_000, triesPerAddress: 10_000, responseTime: 600_000 }

let running: Running
const open: AbortController[] = []
afterEach(async () => {
  for (const abort of open.splice(0)) abort.abort()
  await running.close()
})

async function start(limits: object) {
  running = await startService({ limits: { ...usual, ...limits } })
  return running
}

/** Holds a read of a session that expires after so many seconds. @returns its response, once it is held. */
async function hold(id: string, sessions: string, secondsLeft = 90) {
  const waits = running.clock.timerSet(secondsLeft)
  const answer = running.call('GET', `${sessions}/${id}`, { headers: { prefer: 'wait=25' } })
  await waits
  return { answer }
}

const isHeld = ({ headers }: { readonly headers: Headers }) => headers.has('preference-applied')

describe('held reads', () => {
  it('held reads of one user are limited: a further one is answered at once, and says that it was not held', async () => {
    await start({ heldReadsPerUser: 1 })
    const [person, otherPerson] = [await running.enroll('one'), await running.enroll('other')]
    const [{ id }, { id: otherId }] = [await person.ask(), await otherPerson.ask()]
    const first = await hold(id, person.sessions)

    const second = await person.held(id, 25)
    const ofOther = await hold(otherId, otherPerson.sessions)
    await running.clock.advance(25)

    expect([second.json.state, isHeld(second)]).toEqual(['pending', false])
    expect([isHeld(await first.answer), isHeld(await ofOther.answer)]).toEqual([true, true])
  })

  it('held reads free their places when they end', async () => {
    await start({ heldReadsPerUser: 1 })
    const { ask, sessions } = await running.enroll('again')
    const { id } = await ask()
    const first = await hold(id, sessions)
    await running.clock.advance(25)
    await first.answer

    const second = await hold(id, sessions, 65)
    await running.clock.advance(25)

    expect(isHeld(await second.answer)).toBe(true)
  })

  it('held reads of one API key are limited, across all users', async () => {
    await start({ heldReadsPerKey: 1 })
    const [person, otherPerson] = [await running.enroll('one'), await running.enroll('other')]
    const [{ id }, { id: otherId }] = [await person.ask(), await otherPerson.ask()]
    const first = await hold(id, person.sessions)

    const second = await otherPerson.held(otherId, 25)
    await running.clock.advance(25)

    expect([second.status, isHeld(second), isHeld(await first.answer)]).toEqual([200, false, true])
  })

  it('held reads of one device are limited', async () => {
    await start({ heldReadsPerDevice: 1 })
    const { device, ask } = await running.enroll('device')
    await ask()
    const etag = (await device.inbox()).headers.get('etag') ?? ''
    const asking = { prefer: 'wait=25', 'if-none-match': etag }
    const waits = running.clock.timerSet(90)
    const first = device.inbox(asking)
    await waits

    const second = await device.inbox(asking)
    await running.clock.advance(25)

    expect([second.status, isHeld(second), isHeld(await first)]).toEqual([304, false, true])
  })
})

describe('event streams', () => {
  it('event streams of one API key are limited: a further one gets 429 with Retry-After', async () => {
    await start({ streamsPerKey: 1 })
    const stream = () => {
      const abort = new AbortController()
      open.push(abort)
      return fetch(`${running.origin}/api/domains/${running.domain.id}/sessions/events`, {
        signal: abort.signal,
        headers: { accept: v14, authorization: `Service key="${running.apiKey}"` },
      })
    }

    const first = await stream()
    const second = await stream()
    open[0]?.abort()

    expect([first.status, second.status, second.headers.get('retry-after')]).toEqual([200, 429, '30'])
    await expect.poll(async () => (await stream()).status).toBe(200)
  })
})
