import { randomBytes } from 'node:crypto'

import type { Client } from '../../src/client/client.ts'
import type { Clock } from '../../src/clock.ts'
import type { Account } from '../../src/device/account.ts'
import { createDevice } from '../../src/device/device.ts'
import { codeAt, stepAt } from '../../src/service/rules/totp.ts'

/** A domain of a running service. */
export interface Place {
  readonly client: Client
  readonly domainId: string
  readonly url: string
}

/** The seeds of new users `codes-0`, `codes-1` and so on, who each have a hardware token. */
export async function addCodeUsers(
  { client, domainId }: Omit<Place, 'url'>,
  count: number,
): Promise<readonly string[]> {
  const seeds = Array.from({ length: count }, () => randomBytes(20).toString('hex'))
  for (const [index, seed] of seeds.entries()) {
    const username = `codes-${index}`
    const { id } = await client.users.create({ username, name: username, email: 'person@example.com' })
    await client.domains.addUser(domainId, id)
    const token = { serialNumber: username, type: 'TOTP6', timeStep: 30, seed } as const
    await client.hardware.assign(id, (await client.hardware.create(token)).id)
  }
  return seeds
}

/** The code that the hardware token shows, six digits. */
export const codeOf = (seed: string, now: number): string => codeAt({ seed, digits: 6 }, stepAt(now, 30))

/** Creates users who each have a device. @returns a complete push of one of them: create, read, approve, read and redeem. */
export async function addPushUsers({ client, domainId, url }: Place, clock: Clock, count: number) {
  const device = createDevice({ clock })
  const accounts: Account[] = []
  for (let index = 0; index < count; index++) {
    const username = `push-${index}`
    const { id } = await client.users.create({ username, name: username, email: 'person@example.com' })
    await client.domains.addUser(domainId, id)
    const { code = '' } = await client.tokens.issue(domainId, id)
    accounts.push(await device.activate(url, code, { name: 'Benchmark' }))
  }
  // Never two requests of one user at once.
  const free = [...accounts]

  return async (): Promise<void> => {
    const account = free.pop()
    if (!account) throw new Error('more pushes at a time than there are users')
    const challenge = randomBytes(16).toString('base64url')
    const { username } = account.user
    const asked = await client.sessions.create(domainId, { user: { username }, challenge, numberMatching: true })
    const [request] = (await device.requests(account)).requests ?? []
    if (!request) throw new Error('no request to approve')
    await device.answer(account, request, { decision: 'approve', ...(asked.number && { number: asked.number }) })
    const { state } = await client.sessions.get(domainId, asked.id)
    if (state !== 'approved') throw new Error(`the session is ${state}`)
    await client.sessions.redeem(domainId, asked.id, challenge)
    free.push(account)
  }
}
