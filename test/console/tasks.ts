import type { Page } from 'playwright-core'

import { button, confirm, type Desk, row } from './desk.ts'

/** What the help desk does each day. The person is called Alice Archer. */
export interface Task {
  readonly prepare?: (desk: Desk) => Promise<unknown>
  /** From the search on, which has found only this person. */
  readonly steps: (page: Page) => Promise<unknown>
}

export const tasks: Readonly<Record<string, Task>> = {
  'finds a person': { steps: (page) => page.getByRole('heading', { level: 1, name: 'Alice Archer' }).waitFor() },
  'sends a person through enrollment again': {
    async steps(page) {
      await button(page, 'Send enrollment mail: Wiki').click()
      await confirm(page, 'Send enrollment mail')
      await page.getByText('A mail was sent to').waitFor()
    },
  },
  'lets a person in who has lost the phone': {
    async steps(page) {
      await button(page, 'Create a code').click()
      await confirm(page, 'Create a code')
      await page.locator('.big-code').waitFor()
    },
  },
  'unlocks a person': {
    prepare: (desk) => desk.lock('alice'),
    async steps(page) {
      await button(page, 'Unlock').click()
      await confirm(page, 'Unlock')
      await page.getByText('is unlocked.').waitFor()
      await page.getByText('Codes are locked').waitFor({ state: 'detached' })
    },
  },
  'assigns a hardware token': {
    prepare: (desk) =>
      desk.client.hardware.create({ serialNumber: 'SN-1', type: 'TOTP6', timeStep: 30, seed: '31'.repeat(20) }),
    async steps(page) {
      await button(page, 'Assign a hardware token').click()
      await page.keyboard.type('SN-1')
      await confirm(page, 'Assign a hardware token')
      await page.getByText('has a hardware token now.').waitFor()
    },
  },
  'ends a sign-in that is not the person’s': {
    prepare: (desk) =>
      desk.client.sessions.create(desk.domainOf('Wiki'), {
        user: { username: 'alice' },
        bypasscode: '000000000',
        ipAddress: '203.0.113.7',
        attributes: [{ key: 'Browser', value: 'Firefox' }],
      }),
    async steps(page) {
      await page.getByText('203.0.113.7').waitFor()
      // The newest one: a person who was locked out has others.
      await page
        .getByRole('button', { name: /^Not theirs: Wiki/ })
        .first()
        .click()
      await confirm(page, 'Sign out everywhere')
      await page.getByText('was signed out of all apps.').waitFor()
    },
  },
}

/** Runs in the page: counts the clicks of the person. */
function countClicks() {
  const counted = window as unknown as { clicks: number }
  counted.clicks = 0
  addEventListener('click', (event) => void (counted.clicks += event.isTrusted && event.detail > 0 ? 1 : 0), true)
}

/** Does a task from the search on. @param delay Between two keys, milliseconds. */
export async function doTask(page: Page, task: Task, { delay = 0 } = {}) {
  await row(page, '').first().waitFor()
  await page.evaluate(countClicks)
  const start = performance.now()
  await page.keyboard.press('/')
  await page.keyboard.type('alice@', { delay })
  await page.keyboard.press('Enter')
  await task.steps(page)
  const clicks = await page.evaluate(() => (window as unknown as { clicks: number }).clicks)
  return { clicks, seconds: (performance.now() - start) / 1000 }
}
