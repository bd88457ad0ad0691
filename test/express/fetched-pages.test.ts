import { describe, expect, it } from 'vitest'

import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

/** The headers of libraries that fetch pages by script. */
const fetched = { accept: 'text/html', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
const turbo = { ...fetched, 'x-turbo-request-id': 'b6c8' }
const htmx = { ...fetched, accept: '*/*', 'hx-request': 'true' }

/** A person who is signed in and has not passed the second step. */
async function openApp(options: Parameters<typeof startWebApp>[0] = {}) {
  const app = await startWebApp(options)
  const person = app.browser()
  const account = await app.verify(app.browser(), 'alice')
  await app.signIn(person, 'alice')
  const pendingCount = async () => (await app.device.requests(account)).requests?.length ?? 0
  return { app, person, pendingCount }
}

describeInFullRun('htmx', () => {
  it('htmx gets 403 with the page to open, which returns to the page that htmx is on', async () => {
    const { app, person } = await openApp()

    const answer = await person.open('/part', { ...htmx, 'hx-current-url': `${app.url}/orders?year=2026#newest` })

    expect([answer.status, answer.body.error]).toEqual([403, 'mfa_required'])
    expect(answer.headers['hx-redirect']).toBe('/mfa?returnTo=%2Forders%3Fyear%3D2026%23newest')
  })

  it('a page of ours that htmx asks for is opened with its whole query, also where a question mark is in it', async () => {
    const { person } = await openApp()

    const answer = await person.open('/mfa?use=code&returnTo=/search?words=a?b', htmx)

    expect(answer.headers['hx-redirect']).toBe('/mfa?use=code&returnTo=/search?words=a?b')
  })

  it('a boosted link of htmx returns to the linked page', async () => {
    const { app, person } = await openApp()
    const headers = { ...htmx, 'hx-boosted': 'true', 'hx-current-url': `${app.url}/orders` }

    const answer = await person.open('/linked', headers)

    expect(answer.headers['hx-redirect']).toBe('/mfa?returnTo=%2Flinked')
  })

  it.each(['https://evil.example/', 'javascript:alert(1)', '//evil.example', 'nothing', '/mfa/devices'])(
    'a page of htmx that is no page of this app is not returned to: %s',
    async (page) => {
      const { person } = await openApp()

      const answer = await person.open('/part', { ...htmx, 'hx-current-url': page })

      expect([answer.status, answer.headers['hx-redirect']]).toEqual([403, '/mfa'])
    },
  )
})

describe('Turbo', () => {
  inFullRun('Turbo is led to the page, and returns to what it has read', async () => {
    const { person } = await openApp()

    const answer = await person.open('/orders?year=2026', turbo)

    expect([answer.status, answer.headers['location']]).toEqual([303, '/mfa?returnTo=%2Forders%3Fyear%3D2026'])
  })

  inFullRun('a frame of Turbo returns to the page around it', async () => {
    const { app, person } = await openApp()

    const answer = await person.open('/part', { ...fetched, 'turbo-frame': 'part', referer: `${app.url}/orders` })

    expect([answer.status, answer.headers['location']]).toEqual([303, '/mfa?returnTo=%2Forders'])
  })

  inFullRun('the page that Turbo fetches asks nobody, and has Turbo load it', async () => {
    const { person, pendingCount } = await openApp()
    await person.open('/orders', turbo)

    const page = await person.open('/mfa?returnTo=%2Forders', { ...turbo, 'x-sec-purpose': 'prefetch' })

    expect(page.status).toBe(200)
    expect(page.text).toContain('<meta name="turbo-visit-control" content="reload">')
    expect(await pendingCount()).toBe(0)
  })

  it('a page that Turbo preloads sends no request', async () => {
    const { person, pendingCount } = await openApp()

    const page = await person.open('/mfa', { 'x-sec-purpose': 'prefetch' })

    expect([page.status, await pendingCount()]).toEqual([503, 0])
  })

  inFullRun.each(['/mfa/devices', '/mfa'])('Turbo and htmx open a link to %s as a page', async (path) => {
    const { app } = await openApp()
    const person = app.browser()
    await app.verify(person, 'bob')

    const byTurbo = await person.open(`${path}?done=app`, turbo)
    const byHtmx = await person.open(`${path}?done=app`, { ...htmx, 'hx-boosted': 'true' })

    expect([byTurbo.status, byHtmx.status]).toEqual([200, 200])
    expect(byTurbo.text).toContain('turbo-visit-control')
    expect(byHtmx.headers['hx-redirect']).toBe(`${path}?done=app`)
  })

  inFullRun('each page of the second step has Turbo load it', async () => {
    const { person } = await openApp()

    const page = await person.visit('/mfa')

    expect(page.text).toContain('<meta name="turbo-visit-control" content="reload">')
  })
})

describe('the challenge in an answer', () => {
  it('the challenge in an answer is absolute where the address of the app is known, and never from Host or Origin', async () => {
    const app = await startWebApp({ mfa: { publicUrl: 'http://localhost/portal' } })
    const person = app.browser()
    await app.signIn(person, 'alice')
    const headers = { ...fetched, accept: 'application/json', host: 'evil.example', origin: 'https://evil.example' }

    const answer = await person.open('/list', headers)

    expect(answer.body.challenge).toBe('http://localhost/portal/mfa')
    expect(answer.headers['mfa-challenge']).toBe('http://localhost/portal/mfa')
  })

  inFullRun('the challenge in an answer is a path where the address of the app is not known', async () => {
    const { person } = await openApp()

    const answer = await person.fetch('/list')

    expect(answer.body.challenge).toBe('/mfa')
  })
})

describe('returnOrigins', () => {
  const origin = 'https://spa.example'
  const fromThere = { 'sec-fetch-site': 'cross-site', referer: `${origin}/` }

  /** What is answered to a verified person who opens the page with this returnTo. */
  async function open(returnTo: string, headers: Record<string, string>) {
    const app = await startWebApp({ mfa: { returnOrigins: [origin] } })
    const person = app.browser()
    await app.verify(person, 'alice')
    return person.open(`/mfa?returnTo=${encodeURIComponent(returnTo)}`, headers)
  }

  it.each([
    [`${origin}/orders?year=2026#newest`, `${origin}/orders?year=2026#newest`],
    [`${origin}:444/`, '/'],
    [`http://spa.example/`, '/'],
    [`https://user:secret@spa.example/`, '/'],
    [`https://spa.example.evil.example/`, '/'],
    [`https://spa.example@evil.example/`, '/'],
    [`blob:https://spa.example/4711`, '/'],
    [`https://spa.example\\@evil.example/`, 'https://spa.example/@evil.example/'],
  ])('a page at a listed origin is returned to, and no other: %s', async (returnTo, expected) => {
    const answer = await open(returnTo, fromThere)

    expect([answer.status, answer.headers['location']]).toEqual([303, expected])
  })

  inFullRun.each([
    ['a link on another page', { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' }],
    ['a page that does not say who it is', { 'sec-fetch-site': 'cross-site' }],
  ])('%s cannot choose where a person continues', async (_, headers) => {
    const answer = await open(`${origin}/`, headers)

    expect(answer.headers['location']).toBe('/')
  })

  inFullRun('the forms of the second step may lead to a listed origin, and to no other', async () => {
    const { person } = await openApp({ mfa: { returnOrigins: [origin] } })

    const page = await person.visit('/mfa')

    expect(page.headers['content-security-policy']).toContain(`form-action 'self' ${origin};`)
  })

  it.each(['https://spa.example/', 'https://spa.example/path', 'spa.example', 'https://SPA.example', '*', 'null'])(
    'an origin that browsers write otherwise is refused at start: %s',
    async (wrong) => {
      await expect(startWebApp({ mfa: { returnOrigins: [wrong] } })).rejects.toThrow(
        /returnOrigins.*https:\/\/spa.example/,
      )
    },
  )
})
