import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { button, confirm, row, signedIn, startDesk } from './desk.ts'
import { addPhone } from './phone.ts'

const agent = { name: 'Hal Helper', email: 'hal@example.com', role: 'helpdesk', domains: ['Wiki'] } as const

async function callFromAlice() {
  const desk = await startDesk()
  const phone = await addPhone(desk, await desk.addPerson('alice', 'Alice Archer'))
  const { page } = await signedIn(desk, agent)
  await row(page, 'Alice Archer').click()
  return { desk, phone, page }
}

async function verify(page: Page, name = 'Verify caller'): Promise<string> {
  await button(page, name).click()
  return page.locator('.big-code').innerText()
}

describe('a caller', () => {
  it('a caller is verified by the number that the agent reads out, and then no other administrator is asked', async () => {
    const { phone, page } = await callFromAlice()

    const wrong = await verify(page)
    await phone.answer('confirm', wrong === '10' ? '11' : '10')
    await page.getByRole('dialog', { name: 'Wrong number' }).waitFor()
    await button(page, 'Done').click()
    const number = await verify(page, 'Ask again')
    await button(page, 'Cancel').click()
    await page.reload()
    await button(page, 'Show the number').click()
    const shownNumber = await page.locator('.big-code').innerText()
    await phone.answer('confirm', number)
    await page.getByText('Caller verified').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('10 minutes left').waitFor()
    await button(page, 'Create a recovery code').click()
    await confirm(page, 'Create a recovery code')
    await page.locator('.big-code').waitFor()

    expect(shownNumber).toBe(number)
  })

  it('a person who reports that they are not the caller ends the call, and blocks the help desk', async () => {
    const { phone, page } = await callFromAlice()

    await verify(page)
    await phone.answer('report')
    await page.getByRole('dialog', { name: 'End the call' }).waitFor()
    await button(page, 'Done').click()
    await page.reload()
    await page.getByText('The help desk can’t change anything for this person until').waitFor()
    const offered = await button(page, 'Verify caller').count()
    await button(page, 'Sign out everywhere').click()
    await confirm(page, 'Sign out everywhere')
    await page.getByText('This person said that a call to the help desk wasn’t theirs.').waitFor()

    expect(offered).toBe(0)
  })

  it('a caller cannot be asked without limit, and the page says when they can be asked again', async () => {
    const { desk, page } = await callFromAlice()
    for (const name of ['Verify caller', 'Ask again']) {
      await verify(page, name)
      await button(page, 'Cancel').click()
      await page.clock.install({ time: Date.now() + 100_000 })
      await desk.clock.advance(100)
      await page.reload()
      await page.getByText('No answer').waitFor()
    }

    await button(page, 'Ask again').click()

    await page.getByText('No more questions are possible now. You can ask again from').waitFor()
    expect(await page.locator('.big-code').count()).toBe(0)
  })
})
