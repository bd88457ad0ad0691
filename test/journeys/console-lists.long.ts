import { describe, expect, it } from 'vitest'

import { expectHeadline, link, row, signedIn, startDesk } from '../console/desk.ts'

const many = 120

/** An app with many people, of whom two share a name; one of them has signed in. */
async function deskWithMany() {
  const desk = await startDesk()
  const rows = Array.from({ length: many }, (_, index) => {
    const username = `person${String(index).padStart(3, '0')}`
    return { username, name: `Person ${String(index).padStart(3, '0')}`, email: `${username}@example.com` }
  })
  const named = ['Nadia Becker', 'Zoë Straßer'].map((name, index) => ({
    username: `named${index}`,
    name,
    email: `named${index}@example.com`,
  }))
  await desk.client.domains.synchronizeUsers(desk.domainOf('Wiki'), [...rows, ...named])
  const { id } = await desk.client.users.getByUsername('named0')
  await desk.client.domains.addUser(desk.domainOf('Webmail'), id)
  await desk.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
  await desk.lock('named0')
  return desk
}

describe('the lists of the console', () => {
  it('the lists of the console lead from a search to a person and back to the same place', async () => {
    const desk = await deskWithMany()
    const { page } = await signedIn(desk, {}, { viewport: { width: 1280, height: 800 } })
    await link(page, 'People').click()
    const status = page.getByRole('status')
    const rows = page.locator('tbody tr')
    await status.getByText('1–50 of 122').waitFor()

    // At least twelve people are seen at once.
    const visibleRows = await rows.evaluateAll(
      (elements) => elements.filter((each) => each.getBoundingClientRect().bottom <= innerHeight).length,
    )
    expect(visibleRows).toBeGreaterThanOrEqual(12)
    expect(await rows.first().evaluate((each) => Math.round(each.getBoundingClientRect().height))).toBeLessThanOrEqual(
      46,
    )

    await link(page, 'Next page').click()
    await status.getByText('51–100 of 122').waitFor()
    await link(page, 'Name').click()
    await status.getByText('1–50 of 122').waitFor()
    await row(page, 'Zoë Straßer').waitFor()
    expect(await page.locator('th[aria-sort=descending]').innerText()).toContain('Name')

    await page.getByRole('searchbox').fill('becker nadia')
    await status.getByText('1–1 of 1').waitFor()
    // Namesakes are told apart at a glance, whatever the other columns hold.
    const names = row(page, 'Nadia Becker').locator('strong, small')
    for (const [index, atLeast] of [90, 70].entries())
      expect((await names.nth(index).boundingBox())?.width).toBeGreaterThan(atLeast)
    await row(page, 'Nadia Becker').click()
    await expectHeadline(page, 'Nadia Becker')
    await page.goBack()
    await status.getByText('1–1 of 1').waitFor()
    await page.reload()
    await row(page, 'Nadia Becker').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('becker nadia')

    await page.getByRole('searchbox').fill('strasser zoe')
    await row(page, 'Zoë Straßer').waitFor()
    await page.getByRole('searchbox').fill('no such person')
    await page.getByText('No one found.').waitFor()
  })

  it('the audit list of the console finds an event by what its button says', async () => {
    const desk = await startDesk()
    const id = await desk.addPerson('alice', 'Alice Archer')
    await desk.addPerson('bob', 'Bob Baker')
    await desk.client.users.delete(id)
    const { page } = await signedIn(desk, {}, { viewport: { width: 1280, height: 800 } })
    await desk.clock.advance(3)
    await link(page, 'Audit').click()
    const rows = page.locator('tbody tr')
    await rows.first().waitFor()

    await page.getByText('More filters').click()
    // The entries stay in sight.
    expect(await rows.first().evaluate((each) => each.getBoundingClientRect().bottom)).toBeLessThan(800)
    await page.getByRole('searchbox', { name: 'Search events' }).fill('reset')
    await page.getByText('No entries match this filter.').waitFor()
    await page.getByRole('searchbox', { name: 'Search events' }).fill('person deleted')
    await rows.filter({ hasText: 'A person was deleted' }).waitFor()
    await page.reload()
    await rows.filter({ hasText: 'A person was deleted' }).waitFor()

    expect(await rows.count()).toBe(1)
    expect(await page.locator('optgroup').first().getAttribute('label')).toBe('Sign-ins')
    const reset = page.locator('option', { hasText: '(Reset)' })
    expect(await reset.innerText()).toContain('All sign-in methods of a person were removed')
  })
})
