import type { Page } from 'playwright-core'

import { isolated } from '../../src/ground/printable.ts'
import { button, confirm, type Desk, expectHeadline, openScreen } from './desk.ts'
import { addPhone } from './phone.ts'

/** The person of the tasks, who has many namesakes, and what the help desk types to find it. */
export const nadia = { name: 'Nadia Becker', username: 'n.becker42', typed: 'becker nadia n.becker42' }

/** What the help desk does each day. */
export interface Task {
  /**
   * How often the pointer is pressed at most, after the name was typed: for the action, its reason, and the confirmation.
   */
  readonly clicks: number
  /** What happens before, elsewhere. */
  readonly prepare?: (desk: Desk) => Promise<unknown>
  /** From the page of the person. */
  readonly steps: (page: Page, caller: Caller) => Promise<unknown>
}

export type Caller = Awaited<ReturnType<typeof addPhone>>

/** In the order of a day: the caller is verified first, and has no device at the end. */
export const tasks: Readonly<Record<string, Task>> = {
  'finds a person, and sees the state': {
    clicks: 0,
    prepare: (desk) => desk.lock(nadia.username),
    steps: (page) => page.locator('.page-head').getByText('Codes locked').waitFor(),
  },
  'verifies a caller, and lets the person in': {
    clicks: 3,
    async steps(page, caller) {
      await button(page, 'Verify caller').click()
      await caller.answer('confirm', await page.locator('.big-code').innerText())
      await page.getByText('Caller verified').waitFor()
      // The focus is where most calls go on: the first action.
      await page.locator('.call-actions button:focus').getByText('Create a recovery code').waitFor()
      await page.keyboard.press('Enter')
      await confirm(page, 'Create a recovery code')
      // Not the dialog that asks, whose name has the same words: the code unlocks the person, and must be there.
      await page.getByRole('dialog', { name: /^Recovery code for/ }).waitFor()
    },
  },
  'unlocks a person': {
    clicks: 3,
    prepare: (desk) => desk.lock(nadia.username),
    async steps(page) {
      await button(page, 'Unlock').click()
      await confirm(page, 'Unlock')
      await page.getByText('is unlocked.').waitFor()
      await page.getByText('Codes are locked').waitFor({ state: 'detached' })
    },
  },
  'sees who signed in as a person, and what was changed': {
    clicks: 1,
    async steps(page) {
      await page.getByText('Codes were unlocked').first().waitFor()
      // The wrong codes of today fill the first page.
      await button(page, 'Show older').click()
      // After a day, only the outcome of a sign-in is known for sure.
      await page.getByText('Approved · Recovery code').first().waitFor()
    },
  },
  'ends a sign-in that is not the person’s': {
    clicks: 3,
    async steps(page) {
      // The newest one: a person who was locked out has others.
      await page
        .getByRole('button', { name: /^Not theirs: Wiki/ })
        .first()
        .click()
      await confirm(page, 'Sign out everywhere')
      await page.getByText('was signed out of all apps.').waitFor()
    },
  },
  'assigns a hardware token': {
    clicks: 3,
    prepare: (desk) =>
      desk.client.hardware.create({ serialNumber: 'SN-1', type: 'TOTP6', timeStep: 30, seed: '31'.repeat(20) }),
    async steps(page) {
      await button(page, 'Assign a hardware token').click()
      await page.keyboard.type('SN-1')
      await confirm(page, 'Assign a hardware token')
      await page.getByText('has a hardware token now.').waitFor()
    },
  },
  'resets a person': {
    clicks: 3,
    async steps(page) {
      await button(page, 'Reset').click()
      await confirm(page, 'Reset')
      await page.getByText(`${isolated(nadia.name)} was reset.`).waitFor()
      await page.locator('.page-head').getByText('No sign-in method').waitFor()
    },
  },
  'sends an enrollment mail': {
    clicks: 3,
    async steps(page) {
      await button(page, 'Send enrollment mail').click()
      await confirm(page, 'Send enrollment mail')
      await page.getByText('A mail was sent to').waitFor()
    },
  },
}

/** The person, with a device and a sign-in. */
export async function addNadia(desk: Desk): Promise<Caller> {
  const id = await desk.addPerson(nadia.username, nadia.name)
  const caller = await addPhone(desk, id)
  const { code } = await desk.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
  const user = { username: nadia.username }
  await desk.client.sessions.create(desk.domainOf('Wiki'), { user, bypasscode: code ?? '' })
  return caller
}

/** Runs in the page: counts the clicks of the person. */
function countClicks() {
  const counter = window as unknown as { clicks?: number }
  const isCounting = counter.clicks !== undefined
  counter.clicks = 0
  if (isCounting) return
  addEventListener('click', (event) => void (counter.clicks! += event.isTrusted && event.detail > 0 ? 1 : 0), true)
}

interface Doing {
  readonly desk: Desk
  readonly caller: Caller
  /** Between two keys, milliseconds. */
  readonly delay?: number
}

/** Does a task from the first page of the console on. */
export async function doTask(page: Page, task: Task, { desk, caller, delay = 0 }: Doing) {
  await task.prepare?.(desk)
  await openScreen(page, `${desk.url}/overview`)
  await expectHeadline(page, 'Overview')
  // A code that the task before has shown stays on every page until somebody closes it.
  const shownCode = page.getByRole('dialog').getByRole('button', { name: 'Done' })
  if (await shownCode.isVisible()) await shownCode.click()
  await page.evaluate(countClicks)
  const start = performance.now()
  await page.keyboard.press('/')
  await page.locator('#search:focus').waitFor()
  await page.keyboard.type(nadia.typed, { delay })
  await page.keyboard.press('Enter')
  await expectHeadline(page, nadia.name)
  await task.steps(page, caller)
  const clicks = await page.evaluate(() => (window as unknown as { clicks: number }).clicks)
  return { clicks, seconds: (performance.now() - start) / 1000 }
}
