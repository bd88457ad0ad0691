import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { createService } from '../../../../src/service/index.ts'
import type { Service } from '../../../../src/service/index.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import type { Listening } from '../../../../src/service/engine/http/listen.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { unique } from '../codes/code-holder.ts'
import { createCall, keysFor, startService, withoutOverload } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const limits = {
  ...withoutOverload,
  triesPerAddress: 10_000,
  triesPerService: 10_000,
  pushedUsersPerAddress: 4,
  requestsPerSecond: 1_000_000,
}
const office = { ipAddress: '192.0.2.7' }

describe.each(mainEngines)('requests without a prior password, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let second: Service
  let door: Listening
  let callThere: Running['call']
  let people: Awaited<ReturnType<typeof arrange>>[]

  beforeAll(async () => {
    const database = await newDatabase()
    running = await startService({ database, limits })
    second = await createService({ database, clock: running.clock, limits, ...keysFor(database) })
    door = await listen(second.listener, { host: '127.0.0.1', port: 0 })
    callThere = createCall(`http://127.0.0.1:${door.port}`, running.apiKey)
    people = []
    for (let i = 0; i < 12; i += 1) people.push(await arrange())
  })
  afterAll(async () => {
    await door.close()
    await Promise.all([running.close(), second.close()])
  })
  beforeEach(() => running.clock.skip(11 * 60))

  /** A user with a device. Sending a request returns 0, or the number of seconds to wait. */
  async function arrange() {
    const person = await running.enroll(unique())
    const body = { user: { id: person.user.id } }
    const ask = async (more: object, call = running.call) => {
      const { status, headers } = await call('POST', person.sessions, { body: { ...body, ...more } })
      return status === 429 ? Number(headers.get('retry-after')) : 0
    }
    const answer = async (decision: string) => {
      const [request] = await person.pending()
      await person.device.answer(request!.id, { nonce: request!.nonce, decision })
    }
    return { ask, answer }
  }

  const askAll = async (users: typeof people, more: object) => {
    const waits: number[] = []
    for (const { ask } of users) waits.push(await ask(more))
    return waits
  }

  it('requests without a prior password reach five users, however many are asked at once at two nodes', async () => {
    const calls = [running.call, callThere]
    // All connections to the database are open, so that no request has to wait for one.
    await Promise.all(calls.flatMap((call) => Array.from({ length: 32 }, () => call('GET', '/domains'))))

    const waits = await Promise.all(people.map(({ ask }, i) => ask(office, calls[i % 2])))

    expect(waits.filter((wait) => wait === 0)).toHaveLength(5)
  })

  it('one address can ask five users without a password; a sixth waits ten minutes while fewer than half approve', async () => {
    const waits = await askAll(people.slice(0, 6), office)
    await running.clock.advance(599)
    const early = await people[5]!.ask(office)
    await running.clock.advance(1)

    expect([...waits, early, await people[5]!.ask(office)]).toEqual([0, 0, 0, 0, 0, 600, 1, 0])
  })

  it('requests without a prior password are not limited for an office where at least half of users approve', async () => {
    await askAll(people.slice(0, 5), office)
    for (const { answer } of people.slice(0, 2)) await answer('approve')
    const refused = await people[5]!.ask(office)
    await people[2]!.answer('approve')

    expect([refused > 0, await people[5]!.ask(office)]).toEqual([true, 0])
  })

  it('requests without a prior password that one user ignores do not block other users', async () => {
    const [colleague, ...otherPeople] = people
    const ignored = await askAll([colleague!, colleague!, colleague!], office)

    expect([...ignored, ...(await askAll(otherPeople.slice(0, 4), office))]).toEqual([0, 0, 0, 0, 0, 0, 0])
  })

  it('a user who approves repeatedly counts once, so that one user cannot make a majority', async () => {
    const [own, ...victims] = people
    for (let times = 0; times < 6; times += 1) {
      await own!.ask(office)
      await own!.answer('approve')
    }

    expect((await askAll(victims.slice(0, 5), office)).map((wait) => wait > 0)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ])
  })

  it('requests from an IPv6 address count by its network, since one user can have billions of addresses', async () => {
    const waits: number[] = []
    for (const [i, { ask }] of people.slice(0, 6).entries()) waits.push(await ask({ ipAddress: `2001:db8::${i + 1}` }))

    expect([waits, await people[6]!.ask({ ipAddress: '2001:db8:0:1::1' })]).toEqual([[0, 0, 0, 0, 0, 600], 0])
  })

  it('requests from another address, or with a challenge after a password, are not counted', async () => {
    await askAll(people.slice(0, 5), office)

    expect([
      await people[6]!.ask(office),
      await people[7]!.ask({ ipAddress: '192.0.2.8' }),
      await people[8]!.ask({ ...office, challenge: random128() }),
      await people[9]!.ask({}),
    ]).toEqual([600, 0, 0, 0])
  })
})
