import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createClient } from '../src/client/client.ts'
import type { ServiceOptions } from '../src/service/options.ts'
import { createService } from '../src/service/service.ts'
import { startPostgres } from '../test/support/postgres.ts'

export type Engine = 'SQLite' | 'PostgreSQL'

export type BenchService = Awaited<ReturnType<typeof startService>>

/** No limit is in the way of who measures. */
const limits = { triesPerAddress: 1e6, triesPerService: 1e6, requestsPerSecond: 1e6 }

/** A whole service on a real port, its database on the disk and as safe as in production, with one domain. */
export async function startService(engine: Engine, options: Pick<ServiceOptions, 'clock'> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-bench-'))
  const postgres = engine === 'PostgreSQL' ? await startPostgres({ fsync: true }) : undefined
  const database = (await postgres?.createDatabase()) ?? join(folder, 'mfa.sqlite')
  const keys = `bench:${Buffer.alloc(32, 7).toString('base64')}`
  const service = await createService({ database, keys, limits, ...options })
  const { id: organizationId } = await service.administration.createOrganization('Benchmark')
  const { id: domainId } = await service.administration.createDomain(organizationId, { name: 'Benchmark' })
  const apiKey = await service.administration.createApiKey(organizationId)
  const server = createServer(service.listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Browsers give keys to `localhost` as if it were https.
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const client = createClient({ baseUrl: `${url}/api`, apiKey, ...options })
  return {
    engine,
    url,
    database,
    client,
    apiKey,
    domainId,
    /** A new user of the domain. @returns its activation code. */
    async enroll(username: string): Promise<{ userId: string; code: string }> {
      const { id } = await client.users.create({ username, name: username, email: 'person@example.com' })
      await client.domains.addUser(domainId, id)
      const { code = '' } = await client.tokens.issue(domainId, id)
      return { userId: id, code }
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await service.close()
      await postgres?.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
