import { expect, it, onTestFinished } from 'vitest'

import { startPostgresProxy } from '../support/postgres-proxy.ts'
import { openPostgres } from '../support/postgres.ts'
import { startService } from './start-service.ts'

it('sign-ins through a slow PostgreSQL are verified or get 503, use few connections, and recover without a restart', async () => {
  const postgres = await openPostgres()
  const proxy = await startPostgresProxy(await postgres.createDatabase())
  const service = await startService({ database: proxy.url })
  onTestFinished(async () => {
    proxy.delay(0)
    await service.close()
    await proxy.close()
    await postgres.stop()
  })
  const { user, sessions } = await service.enroll('alice')
  const { json: bypass } = await service.call('POST', `/users/${user.id}/bypasscodes`, {
    body: { usesAllowed: 1, expirationTime: 0 },
  })
  const signIn = () => service.call('POST', sessions, { body: { user: { id: user.id }, bypasscode: bypass.code } })
  const outcome = ({ status, headers, json }: Awaited<ReturnType<typeof signIn>>) =>
    status === 200 ? json.state : `${status}, Retry-After: ${headers.get('retry-after')}`

  proxy.delay(2_500)
  const begun = performance.now()
  const slow = await Promise.all(Array.from({ length: 30 }, signIn))
  const took = performance.now() - begun
  const connections = proxy.connections()
  proxy.delay(0)
  const after = [await signIn(), await signIn()]

  expect(slow.map(outcome)).toEqual(slow.map(() => '503, Retry-After: 1'))
  expect(took).toBeLessThan(10_000)
  expect(connections).toBeLessThanOrEqual(12)
  expect(after.map(outcome)).toEqual(['approved', 'denied'])
})
