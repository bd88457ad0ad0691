import { randomBytes } from 'node:crypto'

import type { Clock } from '../../src/clock.ts'
import type { Account } from '../../src/device/account.ts'
import { createDevice } from '../../src/device/device.ts'
import { codeAt, stepAt } from '../../src/service/rules/totp.ts'
import type { BenchService } from '../running-service.ts'
import type { Contender } from './contender.ts'

/** A session with the code of a hardware token, as an app starts one. */
export async function codesOfOurs(service: BenchService, clock: Clock, people: number): Promise<Contender> {
  const { client, domainId, engine } = service
  const seeds = Array.from({ length: people }, () => randomBytes(20).toString('hex'))
  for (const [person, seed] of seeds.entries()) {
    const { userId } = await service.enroll(`codes-${person}`)
    const token = { serialNumber: `${person}`, type: 'TOTP6', timeStep: 30, seed } as const
    await client.hardware.assign(userId, (await client.hardware.create(token)).id)
  }

  const pass = async (person: number) => {
    const otp = codeAt({ seed: seeds[person] ?? '', digits: 6 }, stepAt(clock.now(), 30))
    const session = await client.sessions.create(domainId, { user: { username: `codes-${person}` }, otp })
    return session.state === 'approved'
  }
  // Before the first round, so that no code is missing there.
  const [first, second] = [await pass(0), await pass(0)]
  if (!first) throw new Error('our code does not pass')
  return { name: `ours, code, ${engine}`, replayed: second, check: async (person) => mustPass(await pass(person)) }
}

/** The whole way of a push: asked, seen on the device, approved with the number, read and redeemed. Five calls. */
export async function pushesOfOurs(service: BenchService, clock: Clock, people: number): Promise<Contender> {
  const { client, domainId, engine, url } = service
  const device = createDevice({ clock })
  const accounts: Account[] = []
  for (let person = 0; person < people; person++) {
    const { code } = await service.enroll(`push-${person}`)
    accounts.push(await device.activate(url, code, { name: 'Benchmark' }))
  }
  const free = [...accounts]

  async function pass(account: Account): Promise<void> {
    const challenge = randomBytes(16).toString('base64url')
    const { username } = account.user
    const asked = await client.sessions.create(domainId, { user: { username }, challenge, numberMatching: true })
    const [request] = (await device.requests(account)).requests ?? []
    if (!request) throw new Error('nothing to approve')
    await device.answer(account, request, { decision: 'approve', ...(asked.number && { number: asked.number }) })
    const { state } = await client.sessions.get(domainId, asked.id)
    mustPass(state === 'approved')
    await client.sessions.redeem(domainId, asked.id, challenge)
  }

  return {
    name: `ours, push and back, ${engine}`,
    replayed: false,
    async check() {
      // Never two requests of one person at once.
      const account = free.pop()
      if (!account) throw new Error('more at a time than there are people')
      await pass(account)
      free.push(account)
    },
  }
}

function mustPass(passed: boolean): void {
  if (!passed) throw new Error('did not pass')
}
