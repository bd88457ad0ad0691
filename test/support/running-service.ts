import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { onTestFinished } from 'vitest'

import { createClient } from '../../src/client/client.ts'
import { systemClock } from '../../src/ground/clock.ts'
import type { NewSession } from '../../src/contract/sessions.ts'
import type { NewDomain } from '../../src/service/features/domains/administration.ts'
import type { ServiceOptions } from '../../src/service/options.ts'
import { createService } from '../../src/service/service.ts'
import { quickHash } from '../service/start-service.ts'
import { closeForNext, listenAgain } from './listen-again.ts'

export interface RunningServiceOptions {
  readonly domain?: Partial<NewDomain>
  readonly service?: Partial<ServiceOptions>
}

export type RunningService = Awaited<ReturnType<typeof startService>>

/** A whole service on a real port, with one domain; it ends with the test. */
export async function startService({ domain = {}, service: serviceOptions = {} }: RunningServiceOptions = {}) {
  const service = await createService({
    database: ':memory:',
    clock: systemClock,
    pinHashCost: quickHash,
    ...serviceOptions,
  })
  const organization = await service.administration.createOrganization('Acme')
  const { id: domainId } = await service.administration.createDomain(organization.id, { name: 'Wiki', ...domain })
  const apiKey = await service.administration.createApiKey(organization.id)

  const server = createServer(service.listener)
  await listenAgain(server)
  onTestFinished(async () => {
    await closeForNext(server)
    await service.close()
  })

  // Browsers give keys to `localhost` as if it were https.
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const client = createClient({ baseUrl: `${url}/api`, apiKey })

  /** Adds a user without a factor to the domain. */
  async function addUser(username: string) {
    const user = await client.users.create({ username, name: username, email: 'person@example.com' })
    await client.domains.addUser(domainId, user.id)
    return user
  }

  return {
    url,
    client,
    apiKey,
    domainId,
    addUser,
    /** A new user of the domain. @returns its id and activation code. */
    async enroll(username: string): Promise<{ userId: string; code: string }> {
      const user = await addUser(username)
      const { code = '' } = await client.tokens.issue(domainId, user.id)
      return { userId: user.id, code }
    },
    /** Starts an ordinary push. */
    ask: (username: string, more: Partial<NewSession> = {}) =>
      client.sessions.create(domainId, { user: { username }, ...more }),
    setImage: (png: Uint8Array) => service.administration.setDomainImage(organization.id, domainId, png),
    state: (sessionId: string) => client.sessions.get(domainId, sessionId),
    /** No device can reach it from now on. */
    breakConnections: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
