import { expect, it } from 'vitest'

import { addAuthenticator } from '../support/virtual-authenticator.ts'
import {
  button,
  confirm,
  type Desk,
  expectHeadline,
  inDialog,
  link,
  register,
  row,
  signedIn,
  startDesk,
} from './desk.ts'

/** A browser whose first tab shows the console to Olivia, while Ann has signed in at its second tab. */
async function twoTabs(desk: Desk) {
  const { page: first } = await signedIn(desk)
  await row(first, 'Alice Archer').click()
  await button(first, 'Create a recovery code').click()
  const second = await first.context().newPage()
  await addAuthenticator(second)
  await register(second, await desk.invite({ name: 'Ann Admin', email: 'ann@example.com', role: 'owner' }))
  await first.bringToFront()
  return { first, second }
}

it('a tab of the console asks who is there once another administrator has signed in, and does nothing in that name', async () => {
  const desk = await startDesk()
  const id = await desk.addPerson('alice', 'Alice Archer')
  const { first, second } = await twoTabs(desk)

  await confirm(first, 'Create a recovery code')
  await button(first, 'Sign in with a passkey').waitFor()
  const { bypasscodes } = await desk.client.users.get(id)
  await button(first, 'Sign in with a passkey').click()
  await inDialog(first, 'Create a recovery code').click()
  await first.locator('.big-code').waitFor()

  expect(bypasscodes).toEqual([])
  expect((await desk.client.users.get(id)).bypasscodes).toHaveLength(1)
  await link(second, 'Administrators').click()
  await button(second, 'Sign in with a passkey').waitFor()
})

it('a tab of the console begins anew when another administrator signs in there', async () => {
  const desk = await startDesk()
  await desk.addPerson('alice', 'Alice Archer')
  const { first, second } = await twoTabs(desk)
  await second.close()
  await first.reload()
  await expectHeadline(first, 'Alice Archer')
  await first.locator('#navigation').getByText('Ann Admin').waitFor()
  expect(await first.getByRole('dialog').count()).toBe(0)
})
