import { describe, expect, it, onTestFinished } from 'vitest'

import { addPushUsers } from '../../../bench/loads/second-steps.ts'
import { createClient } from '../../../src/client/client.ts'
import { startService } from '../../service/start-service.ts'

describe('a push of a benchmark or a crowd', () => {
  it('a push of a benchmark or a crowd is one that the service of today accepts', async () => {
    const { origin, apiKey, domain, clock, close } = await startService()
    onTestFinished(close)
    const client = createClient({ baseUrl: `${origin}/api`, apiKey, clock })
    const place = { client, domainId: domain.id, urls: [origin] as const, apiKey }

    const push = await addPushUsers(place, clock, 1)

    await expect(push()).resolves.toBeUndefined()
  })
})
