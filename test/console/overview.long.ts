import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { button, type Desk, expectHeadline, row, signedIn, startDesk } from './desk.ts'

const day = 24 * 60 * 60

/** Where a link leads, below the console. */
const targetOf = async (locator: Locator) => (await locator.getAttribute('href'))?.replace('/console/', '')

/** Two people, one of them locked, after ten wrong recovery codes. */
async function startBusyDesk(): Promise<Desk> {
  const desk = await startDesk()
  await desk.addPerson('alice', 'Alice Archer')
  await desk.addPerson('bob', 'Bob Baker', ['Wiki', 'Webmail'])
  await desk.lock('alice')
  return desk
}

describe('the overview', () => {
  it('the overview opens first, and leads from each figure to the list behind it', async () => {
    const desk = await startBusyDesk()
    const wiki = desk.domainOf('Wiki')
    const since = (Math.floor(desk.clock.now() / day) - 29) * day
    const { page } = await signedIn(desk)
    await page.goto(desk.url)
    await page.waitForURL(`${desk.url}/overview`)
    const figure = (name: RegExp) => page.getByRole('main').getByRole('link', { name })
    await figure(/^1\s*Locked now$/).waitFor()
    const ofWiki = page.getByRole('row', { name: 'Wiki' }).getByRole('link')
    const targets = await Promise.all([targetOf(figure(/^0\s*Reported/)), targetOf(figure(/^Denied\s*\d/))])

    expect(await ofWiki.allInnerTexts()).toEqual(['2', '0', '0', '2'])
    expect(await targetOf(ofWiki.last())).toBe(`people?filter=no_factor&domain=${wiki}`)
    expect(targets[0]).toMatch(/^audit\?event=session\.denied&reason=reported&since=\d+$/)
    expect(targets[1]).toBe(`audit?event=session.denied&reason=not_reported&since=${since}`)
    await figure(/Locked now/).click()
    await row(page, 'Alice Archer').waitFor()
    expect(await row(page, 'Bob Baker').count()).toBe(0)
  })

  it('the overview says in a table what the chart shows, for the app that was chosen', async () => {
    const desk = await startBusyDesk()
    const { page } = await signedIn(desk)
    await page.goto(`${desk.url}/overview`)

    await page.getByText('Show as a table').click()
    const today = page
      .getByRole('region', { name: /^Sign-ins/ })
      .getByRole('row')
      .nth(1)
    const [date, ...counts] = (await today.innerText()).split(/\s*\t\s*/)
    await page.getByRole('combobox', { name: 'App' }).selectOption('Webmail')
    await page.getByText('No sign-ins yet.').waitFor()

    expect(date).toBe(
      new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
        desk.clock.now() * 1000,
      ),
    )
    expect(counts.map(Number)).toEqual([0, expect.any(Number), 0, 0, 0])
    expect(Number(counts[1])).toBeGreaterThan(0)
    expect(page.url()).toBe(`${desk.url}/overview?domain=${desk.domainOf('Webmail')}`)
  })

  it('the overview reads the figures again each minute, without counting as a use of the session', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk, { role: 'helpdesk', domains: ['Wiki'] })
    await page.clock.install()
    const preferHeaders: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().includes('/admin/overview')) preferHeaders.push(request.headers()['prefer'])
    })
    await page.goto(`${desk.url}/overview`)
    await page.getByRole('heading', { name: 'No people yet' }).waitFor()
    await desk.addPerson('alice', 'Alice Archer')

    await page.clock.fastForward(60_000)
    await page.getByText('Locked now').waitFor()

    expect(preferHeaders).toEqual([undefined, 'wait=0'])
    // The help desk does not read the audit trail.
    expect(
      await page
        .getByRole('main')
        .getByRole('link', { name: /Reported/ })
        .count(),
    ).toBe(0)
    await expectHeadline(page, 'Overview')
    expect(await button(page, 'Try again').count()).toBe(0)
  })
})
