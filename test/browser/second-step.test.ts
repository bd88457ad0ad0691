import { afterEach, describe, expect, it, vi } from 'vitest'

import { leadToSecondStep } from '../../src/browser/index.ts'

const asked = { error: 'mfa_required', challenge: '/mfa' }
const answerOf = (content: unknown, status = 403) => Response.json(content, { status })

/** How many pages were loaded. */
let loaded = 0

/** What a tab keeps over page loads. */
function stubSessionStorage() {
  const kept = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
}

/** A page of an app; `went` is where it was led. */
function openPage(href = 'https://app.example/page?tab=2#/reports') {
  vi.stubGlobal('performance', { timeOrigin: ++loaded })
  const went: string[] = []
  const { pathname, search, hash, origin } = new URL(href)
  const assign = (to: URL) => void went.push(to.href)
  vi.stubGlobal('location', { href, pathname, search, hash, origin, assign })
  return went
}

afterEach(() => vi.unstubAllGlobals())

describe('leadToSecondStep()', () => {
  it('leadToSecondStep() opens the challenge that an answer names, which then returns to the same page', async () => {
    const went = openPage()

    expect(await leadToSecondStep(answerOf({ ...asked, challenge: '/mfa?purpose=step_up' }))).toBe(true)

    const back = encodeURIComponent('/page?tab=2#/reports')
    expect(went).toEqual([`https://app.example/mfa?purpose=step_up&returnTo=${back}`])
  })

  it('leadToSecondStep() returns where the app says', async () => {
    const went = openPage()

    await leadToSecondStep(answerOf(asked), '/basket')

    expect(went).toEqual(['https://app.example/mfa?returnTo=%2Fbasket'])
  })

  it.each([
    ['a page', new Response('<h1>Forbidden</h1>', { status: 403 })],
    ['another refusal', answerOf({ error: 'forbidden' })],
    ['nothing', answerOf(null)],
    ['an answer that says so without refusing', answerOf(asked, 200)],
  ])('leadToSecondStep() leaves %s to the app, which can still read it', async (_, answer) => {
    const went = openPage()

    expect(await leadToSecondStep(answer)).toBe(false)

    expect(went).toEqual([])
    expect(answer.bodyUsed).toBe(false)
  })

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', 'data:text/html,x', 7])(
    'leadToSecondStep() never leads elsewhere, whoever answered: %j',
    async (challenge) => {
      const went = openPage()

      expect(await leadToSecondStep(answerOf({ ...asked, challenge }))).toBe(false)

      expect(went).toEqual([])
    },
  )

  it('leadToSecondStep() fails with an error that says what to do if the page already has the challenge’s address', async () => {
    const went = openPage('https://app.example/mfa?returnTo=%2F')

    await expect(leadToSecondStep(answerOf(asked))).rejects.toThrow('does not forward /mfa to mfa()')

    expect(went).toEqual([])
  })

  it('leadToSecondStep() also fails if a router shows another address for the challenge, and reports it once', async () => {
    stubSessionStorage()
    openPage('https://app.example/')
    await leadToSecondStep(answerOf(asked))
    const went = openPage('https://app.example/')

    await expect(leadToSecondStep(answerOf(asked))).rejects.toThrow('does not forward /mfa to mfa()')
    expect(went).toEqual([])

    expect(await leadToSecondStep(answerOf(asked))).toBe(true)
  })

  it('leadToSecondStep() works for several answers of one page, for another challenge, and much later', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    stubSessionStorage()
    openPage()
    await leadToSecondStep(answerOf(asked))
    expect(await leadToSecondStep(answerOf(asked))).toBe(true)

    openPage()
    expect(await leadToSecondStep(answerOf({ ...asked, challenge: '/mfa?purpose=step_up' }))).toBe(true)
    vi.setSystemTime(Date.now() + 30_000)
    openPage()
    expect(await leadToSecondStep(answerOf({ ...asked, challenge: '/mfa?purpose=step_up' }))).toBe(true)
    vi.useRealTimers()
  })
})
