import { afterEach, describe, expect, it, vi } from 'vitest'

import { leadToChallenge, leadToSecondStep } from '../../src/browser/index.ts'

const rejection = { error: 'mfa_required', challenge: '/mfa' }
const answerOf = (content: unknown, status = 403) => Response.json(content, { status })

/** How many pages were loaded. */
let loaded = 0

/** What a tab keeps over page loads. */
function stubSessionStorage() {
  const storedItems = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => storedItems.get(key) ?? null,
    setItem: (key: string, value: string) => void storedItems.set(key, value),
    removeItem: (key: string) => void storedItems.delete(key),
  })
}

/** Opens a page of an app. @returns the URLs that it is led to. */
function openPage(href = 'https://app.example/page?tab=2#/reports') {
  vi.stubGlobal('performance', { timeOrigin: ++loaded })
  const openedUrls: string[] = []
  const { pathname, search, hash, origin } = new URL(href)
  const assign = (to: URL) => void openedUrls.push(to.href)
  vi.stubGlobal('location', { href, pathname, search, hash, origin, assign })
  return openedUrls
}

afterEach(() => vi.unstubAllGlobals())

describe('leadToChallenge()', () => {
  const api = 'https://api.example'

  it.each([
    ['a path', '/mfa', [], 'https://app.example/mfa?returnTo=%2Fpage%3Ftab%3D2%23%2Freports'],
    [
      'an address at this origin',
      'https://app.example/mfa?purpose=step_up',
      [],
      'https://app.example/mfa?purpose=step_up&returnTo=%2Fpage%3Ftab%3D2%23%2Freports',
    ],
    [
      'an address that the app knows, where a development server shows it',
      'http://localhost:3000/mfa',
      [],
      'https://app.example/mfa?returnTo=%2Fpage%3Ftab%3D2%23%2Freports',
    ],
  ])('leadToChallenge() opens %s at this origin', (_, challenge, origins, expected) => {
    const openedUrls = openPage()

    expect(leadToChallenge(challenge, undefined, { origins })).toBe(true)

    expect(openedUrls).toEqual([expected])
  })

  it('leadToChallenge() opens the address of a listed API there, and names the page', () => {
    openPage()
    const links: object[] = []
    vi.stubGlobal('document', {
      body: { append() {} },
      createElement() {
        const link = { remove() {}, click: () => void Object.assign(link, { clicked: true }) }
        links.push(link)
        return link
      },
    })

    expect(leadToChallenge(`${api}/mfa`, undefined, { origins: [api] })).toBe(true)

    const returnTo = encodeURIComponent('https://app.example/page?tab=2#/reports')
    expect(links).toMatchObject([{ href: `${api}/mfa?returnTo=${returnTo}`, referrerPolicy: 'origin', clicked: true }])
  })

  it('leadToChallenge() names the option that is missing where the API has another origin', () => {
    openPage('https://app.example/mfa')

    expect(() => leadToChallenge('https://api.example/mfa')).toThrow("list that: { origins: ['https://api.example'] }")
  })

  it('leadToChallenge() rejects options in the place of returnTo', () => {
    openPage()

    const options = { origins: ['https://api.example'] } as unknown as string
    expect(() => leadToChallenge('https://api.example/mfa', options)).toThrow('the options come after it')
  })

  it('with-graphql.js opens the challenge of an error that asks for one, and of no other', async () => {
    const { href } = new URL('../../examples/single-page-app/with-graphql.js', import.meta.url)
    const { openSecondStep } = (await import(href)) as { openSecondStep: (errors?: object[]) => boolean }
    const openedUrls = openPage()

    const answers = [
      openSecondStep(),
      openSecondStep([{ message: 'no such field' }]),
      openSecondStep([
        { extensions: { code: 'FORBIDDEN' } },
        { extensions: { code: 'MFA_REQUIRED', challenge: '/mfa' } },
      ]),
    ]

    expect(answers).toEqual([false, false, true])
    expect(openedUrls).toHaveLength(1)
  })
})

describe('leadToSecondStep()', () => {
  it('leadToSecondStep() opens the challenge that an answer names, which then returns to the same page', async () => {
    const openedUrls = openPage()

    expect(await leadToSecondStep(answerOf({ ...rejection, challenge: '/mfa?purpose=step_up' }))).toBe(true)

    const returnTo = encodeURIComponent('/page?tab=2#/reports')
    expect(openedUrls).toEqual([`https://app.example/mfa?purpose=step_up&returnTo=${returnTo}`])
  })

  it('leadToSecondStep() returns where the app says', async () => {
    const openedUrls = openPage()

    await leadToSecondStep(answerOf(rejection), '/basket')

    expect(openedUrls).toEqual(['https://app.example/mfa?returnTo=%2Fbasket'])
  })

  it.each([
    ['a page', new Response('<h1>Forbidden</h1>', { status: 403 })],
    ['another refusal', answerOf({ error: 'forbidden' })],
    ['nothing', answerOf(null)],
    ['an answer that says so without refusing', answerOf(rejection, 200)],
  ])('leadToSecondStep() leaves %s to the app, which can still read it', async (_, answer) => {
    const openedUrls = openPage()

    expect(await leadToSecondStep(answer)).toBe(false)

    expect(openedUrls).toEqual([])
    expect(answer.bodyUsed).toBe(false)
  })

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    'https://app.example//evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    7,
  ])('leadToSecondStep() never leads elsewhere, whoever answered: %j', async (challenge) => {
    const openedUrls = openPage()

    await leadToSecondStep(answerOf({ ...rejection, challenge }))
    if (typeof challenge === 'string') leadToChallenge(challenge)

    expect(openedUrls.filter((url) => new URL(url).origin !== 'https://app.example')).toEqual([])
  })

  it('leadToSecondStep() leaves the answer of an origin that is not listed to the app', async () => {
    const openedUrls = openPage()
    const answer = Object.defineProperty(answerOf(rejection), 'url', { value: 'https://api.example/list' })

    expect(await leadToSecondStep(answer)).toBe(false)

    expect(openedUrls).toEqual([])
  })

  it('leadToSecondStep() fails with an error that says what to do if the page already has the challenge’s address', async () => {
    const openedUrls = openPage('https://app.example/mfa?returnTo=%2F')

    await expect(leadToSecondStep(answerOf(rejection))).rejects.toThrow('does not forward /mfa to mfa()')

    expect(openedUrls).toEqual([])
  })

  it('leadToSecondStep() also fails if a router shows another address for the challenge, and reports it once', async () => {
    stubSessionStorage()
    openPage('https://app.example/')
    await leadToSecondStep(answerOf(rejection))
    const openedUrls = openPage('https://app.example/')

    await expect(leadToSecondStep(answerOf(rejection))).rejects.toThrow('does not forward /mfa to mfa()')
    expect(openedUrls).toEqual([])

    expect(await leadToSecondStep(answerOf(rejection))).toBe(true)
  })

  it('leadToSecondStep() works for several answers of one page, for another challenge, and much later', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    stubSessionStorage()
    const openedUrls = openPage()
    await leadToSecondStep(answerOf(rejection))
    expect(await leadToSecondStep(answerOf(rejection))).toBe(true)
    // Opened again, the page would interrupt itself.
    expect(openedUrls).toHaveLength(1)

    openPage()
    expect(await leadToSecondStep(answerOf({ ...rejection, challenge: '/mfa?purpose=step_up' }))).toBe(true)
    vi.setSystemTime(Date.now() + 30_000)
    openPage()
    expect(await leadToSecondStep(answerOf({ ...rejection, challenge: '/mfa?purpose=step_up' }))).toBe(true)
    vi.useRealTimers()
  })
})
