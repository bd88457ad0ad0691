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

/** A client of a service whose response begins and does not go on. */
function stallingClient(timeout: number) {
  return createClient({
    baseUrl: 'https://mfa.example/api',
    apiKey: 'k'.repeat(64),
    version: '1.4',
    timeout,
    fetch: (input, init) => {
      if ((input as string).endsWith('/events')) return Promise.resolve(new Response('{}', { status: 404 }))
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{'))
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
        },
      })
      const headers = { 'content-type': 'application/vnd.service.v1+json; version=1.4' }
      return Promise.resolve(new Response(body, { headers }))
    },
  })
}

describe('a response that does not go on', () => {
  it('a call whose response begins and does not go on in time has timed out', async () => {
    await expect(stallingClient(20).sessions.get(id, id)).rejects.toMatchObject({ reason: 'timeout' })
  })

  it('a wait that its caller ends while a response is read rejects with the reason of the caller', async () => {
    const caller = new AbortController()
    const call = stallingClient(5_000).sessions.wait(id, id, { signal: caller.signal })
    setTimeout(() => caller.abort(new Error('enough')), 20)

    await expect(call).rejects.toThrow('enough')
  })
})
