import { randomBytes } from 'node:crypto'

import { Secret, TOTP } from 'otpauth'

import { createClient } from '../../../src/client/client.ts'
import type { Clock } from '../../../src/ground/clock.ts'
import type { Account } from '../../../src/device/account.ts'
import { createDevice } from '../../../src/device/device.ts'
import type { Soaked } from './service.ts'

/** What people do with a service; each resolves when it has worked. */
export type Act = () => Promise<void>

/** People with a device and a hardware token each, who do everything that leaves something behind. */
export async function createPeople({ url, domainId, synchronizedId, apiKey }: Soaked, clock: Clock, count: number) {
  const client = createClient({ baseUrl: `${url}/api`, apiKey, clock })
  const device = createDevice({ clock })
  let newcomers = 0

  async function enroll(username: string) {
    const user = await client.users.create({ username, name: 'Person', email: 'person@example.com' })
    await client.domains.addUser(domainId, user.id)
    const { code = '' } = await client.tokens.issue(domainId, user.id)
    return { userId: user.id, account: await device.activate(url, code, { name: 'Phone' }) }
  }

  async function addToken(userId: string): Promise<TOTP> {
    const secret = new Secret({ size: 20 })
    const serialNumber = randomBytes(8).toString('hex')
    const token = { serialNumber, type: 'TOTP6', timeStep: 30, seed: secret.hex } as const
    const { id } = await client.hardware.create(token)
    await client.hardware.assign(userId, id)
    return new TOTP({ secret, digits: 6, period: 30 })
  }

  const people: { userId: string; account: Account; totp: TOTP; step: number }[] = []
  for (let index = 0; index < count; index++) {
    const enrolled = await enroll(`person ${index}`)
    people.push({ ...enrolled, totp: await addToken(enrolled.userId), step: 0 })
  }

  const turns: Record<string, number> = {}
  /** Each in turn: the limits are each person's own. */
  const next = (way: string) => {
    const person = people[(turns[way] = ((turns[way] ?? -1) + 1) % people.length)]
    if (!person) throw new Error('There is no person.')
    return person
  }
  const challenge = () => randomBytes(16).toString('base64url')

  async function pass(userId: string, code: { otp: string } | { bypasscode: string }): Promise<void> {
    const session = await client.sessions.create(domainId, { user: { id: userId }, challenge: challenge(), ...code })
    if (session.state !== 'approved') throw new Error(`A code was ${session.state}: ${session.reason}`)
  }

  const acts: Readonly<Record<string, Act>> = {
    async push() {
      const { userId, account } = next('push')
      const challengeHash = challenge()
      const session = await client.sessions.create(domainId, { user: { id: userId }, challenge: challengeHash })
      const { requests = [] } = await device.requests(account)
      const request = requests.find(({ id }) => id === session.id)
      if (!request) throw new Error('Nothing is pending.')
      await Promise.all([
        client.sessions.wait(domainId, session.id),
        device.answer(account, request, { decision: 'approve' }),
      ])
      await client.sessions.redeem(domainId, session.id, challengeHash)
    },
    async abandoned() {
      const { userId } = next('abandoned')
      await client.sessions.create(domainId, { user: { id: userId }, challenge: challenge() })
    },
    async otp() {
      const person = next('otp')
      const step = Math.floor(clock.now() / 30)
      // A step is good for one code.
      if (step === person.step) return
      person.step = step
      await pass(person.userId, { otp: person.totp.generate({ timestamp: clock.now() * 1000 }) })
    },
    async bypass() {
      const { userId } = next('bypass')
      const { code = '' } = await client.bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 10 })
      await pass(userId, { bypasscode: code })
    },
    async comeAndGo() {
      const { userId } = await enroll(`newcomer ${newcomers++}`)
      await client.tokens.revoke(domainId, userId)
      await client.users.delete(userId)
    },
    async synchronize() {
      const users = Array.from({ length: 200 }, (_, index) => ({
        username: `synchronized ${index + (newcomers % 50)}`,
        name: 'Person',
        email: 'person@example.com',
      }))
      await client.domains.synchronizeUsers(synchronizedId, users)
    },
  }
  return { acts }
}
