/** A service of the checkout in the first argument, on the database in the second. Sends its address to the parent process. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import type { createService } from '../../src/service/service.ts'
import { createMovedClock } from './moved-clock.ts'

const [checkout = '', database = ''] = process.argv.slice(2)
const module = (await import(join(checkout, 'src/service/service.ts'))) as { createService: typeof createService }

/** The whole load comes from one address. */
const limits = { triesPerAddress: 1e6, triesPerService: 1e6, requestsPerSecond: 1e6 }
const keys = `bench:${Buffer.alloc(32, 7).toString('base64')}`
const clock = createMovedClock()
const service = await module.createService({ database, keys, limits, clock })
const server = createServer(service.listener)
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
const url = `http://localhost:${(server.address() as AddressInfo).port}`
const { administration } = service
const organization = await administration.createOrganization('Benchmark')
const { id: domainId } = await administration.createDomain(organization.id, { name: 'Benchmark' })
const apiKey = await administration.createApiKey(organization.id)
process.send?.({ url, apiKey, domainId })

process.on('message', (seconds: number) => clock.move(seconds))
process.on('disconnect', () => {
  server.closeAllConnections()
  server.close()
  void service.close().then(() => process.exit())
})
