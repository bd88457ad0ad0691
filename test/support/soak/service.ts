/** A service in a process of its own, whose clock leaps when it is told to: by how many seconds. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createService } from 'second-factor/service'

import { createLeapingClock } from './leaping-clock.ts'

const database = process.argv[2] ?? ''
const clock = createLeapingClock()
const limits = { triesPerAddress: 1e6, triesPerService: 1e6, requestsPerSecond: 1e6 }
const logger = { info() {}, warn() {}, error: say }
const service = await createService({ database, clock, limits, logger })
const { id: organizationId } = await service.administration.createOrganization('Soak')
const { id: domainId } = await service.administration.createDomain(organizationId, { name: 'Signing in' })
const { id: synchronizedId } = await service.administration.createDomain(organizationId, { name: 'Synchronized' })
const apiKey = await service.administration.createApiKey(organizationId)
const server = createServer(service.listener)
server.listen(0, '127.0.0.1', () => {
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  process.send?.({ url, domainId, synchronizedId, apiKey } satisfies Soaked)
})
process.on('message', (seconds: number) => {
  clock.leap(seconds)
  process.send?.('leapt')
})

export interface Soaked {
  readonly url: string
  readonly domainId: string
  /** Of the same organization, for what replaces all users of a domain. */
  readonly synchronizedId: string
  readonly apiKey: string
}

function say(facts: unknown, message?: string): void {
  process.stderr.write(`${message ?? ''} ${JSON.stringify(facts)}\n`)
}
