import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createClient } from '../../src/client/client.ts'
import type { NewSession, Session } from '../../src/contract/sessions.ts'
import type { NewDomain } from '../../src/service/features/domains/administration.ts'
import { createService } from '../../src/service/service.ts'

/** A service with a user for the pictures. */
export interface PictureService {
  /** The base URL of the authenticator. */
  readonly url: string
  addDomain(domain: NewDomain, image: Uint8Array): Promise<PictureDomain>
  stop(): Promise<void>
}

export interface PictureDomain {
  /** The address in the QR code of a web page. */
  activationLink(): Promise<string>
  ask(session: Omit<NewSession, 'user'>): Promise<Session>
}

export async function startPictureService(): Promise<PictureService> {
  const service = await createService({ database: ':memory:' })
  const { administration } = service
  const organization = await administration.createOrganization('Example Inc.')
  const apiKey = await administration.createApiKey(organization.id)
  const server = createServer(service.listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = `http://localhost:${(server.address() as AddressInfo).port}`
  const client = createClient({ baseUrl: `${address}/api`, apiKey })
  const alice = await client.users.create({ username: 'alice', name: 'Alice', email: 'alice@example.com' })
  const url = `${address}/authenticator/`

  return {
    url,
    async addDomain(domain, image) {
      const { id } = await administration.createDomain(organization.id, domain)
      await administration.setDomainImage(organization.id, id, image)
      await client.domains.addUser(id, alice.id)
      return {
        activationLink: async () => `${url}#code=${(await client.tokens.issue(id, alice.id)).code ?? ''}`,
        ask: (session) => client.sessions.create(id, { user: { username: 'alice' }, ...session }),
      }
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await service.close()
    },
  }
}
