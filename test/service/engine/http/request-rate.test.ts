import { describe, expect, it, onTestFinished } from 'vitest'

import { embedded } from '../../../../src/service/embedded.ts'
import { createCall, read, startService } from '../../start-service.ts'

async function start(requestsPerSecond: number) {
  const running = await startService({
    limits: { triesPerAddress: 10, triesPerService: 100, requestsPerSecond },
  })
  onTestFinished(() => running.close())
  const anonymous = async (headers: Record<string, string> = {}) =>
    read(await fetch(`${running.origin}/api/ping`, { headers }))
  return { ...running, anonymous, ping: () => running.call('GET', '/ping') }
}

describe('requests per second', () => {
  it('requests per second of one API key are limited, and the responses say how many are left', async () => {
    const { ping, clock } = await start(2)

    const answers = [await ping(), await ping(), await ping()]
    await clock.advance(1)
    const later = await ping()

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers.map(({ headers }) => headers.get('ratelimit'))).toEqual([
      '"key";r=1;t=1',
      '"key";r=0;t=1',
      '"key";r=0;t=1',
    ])
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"key";q=2;w=1')
    expect(answers[2]?.code).toBe('api.error.toomanyrequests')
    expect(answers[2]?.headers.get('retry-after')).toBe('1')
    expect(later.status).toBe(200)
  })

  it('requests of one API key do not count against another key', async () => {
    const { service, origin, organization, ping } = await start(1)
    const other = createCall(origin, await service.administration.createApiKey(organization.id))
    await ping()

    expect([(await ping()).status, (await other('GET', '/ping')).status]).toEqual([429, 200])
  })

  it('requests without a valid key are counted by address, whatever key they try and whatever origin they claim', async () => {
    const { anonymous } = await start(2)

    const answers = [
      await anonymous(),
      await anonymous({ authorization: `Service key="${'a'.repeat(64)}"`, 'x-forwarded-for': '192.0.2.1' }),
      await anonymous({ authorization: `Service key="${'b'.repeat(64)}"`, forwarded: 'for=192.0.2.2' }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429])
    expect(answers[0]?.headers.get('ratelimit')).toBe('"address";r=1;t=1')
  })

  it('requests without a valid key do not block requests with one from the same address', async () => {
    const { anonymous, ping } = await start(1)
    await anonymous()

    expect([(await anonymous()).status, (await ping()).status]).toEqual([429, 200])
  })

  it('requests per second are not limited inside an embedded service', async () => {
    const service = embedded({ database: ':memory:', limits: { requestsPerSecond: 1 } })
    onTestFinished(() => service.close())
    const { baseUrl, apiKey, fetch: call = fetch } = await service.connect()
    const ping = () => call(`${baseUrl}/ping`, { headers: { authorization: `Service key="${apiKey}"` } })

    const statuses = [(await ping()).status, (await ping()).status, (await ping()).status]

    expect(statuses).toEqual([200, 200, 200])
  })
})
