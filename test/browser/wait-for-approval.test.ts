import { afterEach, describe, expect, it, vi } from 'vitest'

import { waitForApproval } from '../../src/browser/index.ts'
import { inFullRun } from '../support/full-run.ts'

const approval = { id: 'a', number: '42', expiresAt: 1, page: '/mfa/approve/a', status: '/mfa/approve/a/status' }

/** An answer of the app of this page that asks for an approval. */
function refusal(): Response {
  vi.stubGlobal('location', { href: 'https://app.example/page', origin: 'https://app.example' })
  return Response.json({ error: 'approval_required', approval }, { status: 403 })
}

/** Answers nothing, until the request is given up. */
const silence = (signal: AbortSignal | null | undefined) =>
  new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('given up'))))

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('waitForApproval()', () => {
  it('waitForApproval() asks again where a connection has died, as while a laptop slept', async () => {
    vi.useFakeTimers()
    let calls = 0
    vi.stubGlobal('fetch', (_url: string, { signal }: RequestInit) => {
      calls += 1
      return calls === 1 ? silence(signal) : Promise.resolve(Response.json({ state: 'approved' }))
    })

    const approved = waitForApproval(refusal(), { show: () => {} })
    await vi.advanceTimersByTimeAsync(60_000)

    expect(calls).toBe(2)
    expect(await approved).toBe(true)
  })

  inFullRun('waitForApproval() ends when its signal aborts, and hides the number', async () => {
    const stop = new AbortController()
    let hidden = false
    vi.stubGlobal('fetch', (_url: string, { signal }: RequestInit) => silence(signal))

    const approved = waitForApproval(refusal(), { show: () => () => void (hidden = true), signal: stop.signal })
    setTimeout(() => stop.abort(), 50)

    expect(await approved).toBe(false)
    expect(hidden).toBe(true)
  })
})
