import { describe, expect, it } from 'vitest'

import { createClient } from '../../src/client/client.ts'

const id = 'a'.repeat(40)

/** A client of a service that responds after a delay, milliseconds, and not at all when the caller gave up by then. */
function slowClient(delay: number) {
  return createClient({
    baseUrl: 'https://mfa.example/api',
    apiKey: 'k'.repeat(64),
    version: '1.4',
    timeout: 20,
    fetch: (_input, init) =>
      new Promise((resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
        const session = { id, state: 'approved', factor: 'push' }
        const headers = { 'content-type': 'application/vnd.service.v1+json; version=1.4' }
        setTimeout(() => resolve(new Response(JSON.stringify(session), { headers })), delay)
      }),
  })
}

describe('redeeming an approval at a busy service', () => {
  it('redeeming an approval waits longer than a read, because a lost response would waste the approval', async () => {
    const { sessions } = slowClient(60)

    await expect(sessions.get(id, id)).rejects.toMatchObject({ reason: 'timeout' })
    expect(await sessions.redeem(id, id, `${'c'.repeat(21)}A`)).toMatchObject({ state: 'approved' })
  })
})
