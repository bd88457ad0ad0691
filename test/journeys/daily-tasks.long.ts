import { describe, expect, it } from 'vitest'

import { button, confirm, row, signedIn, startDesk } from '../console/desk.ts'
import { addNadia, doTask, nadia, tasks } from '../console/tasks.ts'
import { random128 } from '../support/device-signer.ts'

const agent = { name: 'Hal Helper', email: 'hal@example.com', role: 'helpdesk', domains: ['Wiki'] } as const

describe('the help desk', () => {
  it('the help desk does each daily task in three clicks after typing a full name that many have', async () => {
    const desk = await startDesk()
    const namesakes = Array.from({ length: 250 }, (_, index) => {
      const username = `n.becker${index + 100}`
      return {
        username,
        name: index % 5 === 0 ? nadia.name : `Nadja Bäcker ${index}`,
        email: `${username}@example.com`,
      }
    })
    await desk.client.domains.synchronizeUsers(desk.domainOf('Wiki'), namesakes)
    const caller = await addNadia(desk)
    const { page } = await signedIn(desk, agent)
    await page.getByRole('searchbox').fill(nadia.name)
    await row(page, nadia.name).nth(49).waitFor()

    const done: Record<string, number> = {}
    for (const [name, task] of Object.entries(tasks)) {
      const { clicks } = await doTask(page, task, { desk, caller })
      done[name] = clicks
    }

    expect(done).toEqual(Object.fromEntries(Object.entries(tasks).map(([name, { clicks }]) => [name, clicks])))
  })

  it('a reset lists by name what it removes as its dialog opens, and requires a chosen reason', async () => {
    const desk = await startDesk()
    await addNadia(desk)
    const { id } = await desk.client.users.getByUsername(nadia.username)
    const wiki = desk.domainOf('Wiki')
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Wiki'] })
    await row(page, nadia.name).click()
    await button(page, 'Reset').waitFor()
    // A browser and codes that the page has not seen yet.
    const { code } = await desk.client.bypassCodes.create(id, { usesAllowed: 3, expirationTime: 60 })
    const challenge = random128()
    const user = { username: nadia.username }
    const session = await desk.client.sessions.create(wiki, { user, bypasscode: code!, challenge })
    await desk.client.sessions.redeem(wiki, session.id, challenge, { rememberDays: 30, name: 'Firefox on Linux' })

    await button(page, 'Reset').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Firefox on Linux').waitFor()
    const lost = await dialog.locator('dl').innerText()
    const chosen = await dialog.getByRole('radio', { checked: true }).count()
    await dialog.getByRole('button', { name: 'Reset' }).click()
    await dialog.getByText('Choose a reason.').waitFor()
    const factorsBefore = (await desk.client.users.get(id)).factors
    await confirm(page, 'Reset')
    await page.getByText('was reset.').waitFor()
    await button(page, 'Reset').click()
    await dialog.getByText('There’s nothing to remove.').waitFor()

    expect(lost.split(/\n+/)).toEqual([
      'Devices',
      expect.stringContaining('Test'),
      'Recovery codes',
      expect.stringContaining('1 code left.'),
      'Kept browsers',
      expect.stringContaining('Firefox on Linux'),
    ])
    expect(chosen).toBe(0)
    expect(factorsBefore).toContain('push')
  })

  it('the person page uses columns where there is room, and fits large text on a phone and forced colors', async () => {
    const desk = await startDesk()
    await addNadia(desk)
    await desk.lock(nadia.username)
    const { page } = await signedIn(
      desk,
      { role: 'admin', domains: ['Wiki'] },
      { viewport: { width: 1100, height: 800 } },
    )
    await row(page, nadia.name).click()
    await button(page, 'Reset').waitFor()
    const heading = (name: string) => page.getByRole('heading', { level: 2, name }).boundingBox()
    const isBeside = async () => (await heading('Devices'))?.y === (await heading('Sign-ins and changes'))?.y
    const layouts = [await isBeside()]
    await page.setViewportSize({ width: 1000, height: 800 })
    layouts.push(await isBeside())

    await page.emulateMedia({ forcedColors: 'active' })
    const colorOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((each) => getComputedStyle(each).backgroundColor)
    const chosenColors = [await colorOf('.nav-link[aria-current]'), await colorOf('.chip[aria-pressed=true]')]
    const otherColors = [await colorOf('.nav-link:not([aria-current])'), await colorOf('.chip[aria-pressed=false]')]

    await page.setViewportSize({ width: 360, height: 800 })
    await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'))
    await button(page, 'Create a recovery code').click()
    const hidden = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)

    expect(layouts).toEqual([true, false])
    expect(chosenColors[0]).not.toBe(otherColors[0])
    expect(chosenColors[1]).not.toBe(otherColors[1])
    expect(hidden).toBe(0)
  })
})
