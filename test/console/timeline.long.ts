import { describe, expect, it } from 'vitest'

import { button, confirm, link, row, signedIn, startDesk } from './desk.ts'

describe('the timeline of a person', () => {
  it('a person’s timeline shows sign-ins and changes with who made them, filtered, by page, and links to the audit trail', async () => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    await desk.lock('alice')
    const { page } = await signedIn(desk)
    await row(page, 'Alice Archer').click()
    const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Sign-ins and changes' }) })
    const titles = () => card.locator('.row strong').allInnerTexts()
    await button(page, 'Create a recovery code').click()
    await confirm(page, 'Create a recovery code')
    await button(page, 'Done').click()
    await desk.lock('alice')
    await page.reload()

    await card.getByText('A recovery code was created').waitFor()
    const text = await card.innerText()
    const firstCount = (await titles()).length
    await button(page, 'Show older').click()
    await card.getByText('A person was added to an app').waitFor()
    const fullCount = (await titles()).length
    await button(page, 'Changes').click()
    await card.getByText('Wiki', { exact: true }).first().waitFor({ state: 'detached' })
    const changes = await titles()
    await button(page, 'Sign-ins').click()
    await card.getByText('A recovery code was created').waitFor({ state: 'detached' })
    const signIns = await titles()
    await link(page, 'Show in the audit trail').click()
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()

    expect(text).toMatch(/Olivia Owner\n.?Lost device/u)
    expect([firstCount, fullCount > firstCount]).toEqual([20, true])
    expect(changes).toContain('A person was added')
    expect(changes).not.toContain('Wiki')
    expect(new Set(signIns)).toEqual(new Set(['Wiki']))
    expect(new URL(page.url()).searchParams.get('user')).toMatch(/^[0-9a-f]{40}$/)
  })

  it('an error of older entries goes with the next choice of what the timeline shows', async () => {
    const desk = await startDesk()
    const id = await desk.addPerson('alice', 'Alice Archer')
    for (let index = 0; index < 30; index++) await desk.client.users.update(id, { name: `Alice ${index}` })
    const { page } = await signedIn(desk)
    const older = /timeline\?.*before/
    await page.route(older, (route) => route.abort())
    await row(page, 'Alice').click()
    await button(page, 'Show older').click()
    const problem = page.getByText('The service isn’t responding. Try again in a moment.')
    await problem.waitFor()

    await button(page, 'Changes').click()

    await problem.waitFor({ state: 'detached' })
  })
})
