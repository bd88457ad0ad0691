import type { Page, Route } from 'playwright-core'

import type { Inbox } from '../../src/contract/device-answers.ts'
import type { NewApproval } from '../../src/contract/approvals.ts'
import { createDevice } from '../../src/device/device.ts'
import type { RunningService } from '../support/running-service.ts'
import { wrong } from '../story/person.ts'
import type { Phones } from './phone.ts'

/** Actions as apps write them, in the language of their users. */
export interface Actions {
  readonly transfer: Pick<NewApproval, 'title' | 'details'>
  readonly deployment: Pick<NewApproval, 'title' | 'details'>
  /** Repeated until it fills several screens. */
  readonly position: { readonly label: string; readonly value: string }
}

export const englishActions: Actions = {
  transfer: {
    title: 'Transfer €250.00',
    details: [
      { label: 'To', value: 'Anna Berg, DE89 3704 0044 0532 0130 00' },
      { label: 'Purpose', value: 'Rent for December' },
    ],
  },
  deployment: {
    title: 'Deploy v4.2 to production',
    details: [{ label: 'Commit', value: '1f0c6a2f6d5f3c0d0a1e4f7b8c9d0e1f2a3b4c5d' }],
  },
  position: { label: 'Delivery', value: '12 chairs and 3 tables, to the conference room on the second floor' },
}

/** What looks like something else, or like nothing: in every language the same. */
const unusual = {
  title: 'Pay \u202eLLIB\u202c to р\u0430ypal',
  details: [
    { label: 'To\u200b', value: '<b>Anna</b> & شركة 12 م' },
    { label: 'Reference', value: `${'A1B2'.repeat(30)}\u00ad` },
  ],
}

const deny = '.answer .outlined'
const approve = '.actions .filled'
const ok = '.stacked .outlined'
const allowAgain = '.stacked .link'

/**
 * Leads an authenticator to the screens of approvals, in any language.
 * @param page shows the account of alice.
 * @param look is called on each of them.
 */
export async function everyApprovalScreen(
  service: RunningService,
  page: Page,
  look: (screen: string) => Promise<void>,
  actions: Actions = englishActions,
): Promise<void> {
  const { transfer, deployment, position } = actions
  const { approvals } = service.client
  const ask = (more: Partial<NewApproval>) =>
    approvals.create(service.domainId, { user: { username: 'alice' }, ...transfer, ...more })
  /** The next request opens by itself. */
  async function asked(more: Partial<NewApproval>) {
    const approval = await ask(more)
    await page.locator('.approval').waitFor()
    return approval
  }
  async function answer(button: string) {
    await page.locator(button).click()
    await page.locator('.outcome').waitFor()
  }
  async function back() {
    await page.locator(ok).click()
    await page.locator('.coded').waitFor()
  }

  await asked({})
  await look('an action')
  await answer(approve)
  await look('approved')
  await back()

  await asked({ numberMatching: true, requestedBy: 'Payment agent' })
  await look('the number of an action')
  await answer(deny)
  await look('denied')
  await back()

  const { number = '' } = await asked({ numberMatching: true })
  await page.locator('#number').fill(wrong(number))
  await answer(approve)
  await look('a wrong number')
  await back()

  await asked({ details: Array.from({ length: 20 }, () => position) })
  await look('a long action')
  await page.mouse.wheel(0, 20_000)
  await page.locator('.hold').waitFor({ state: 'detached' })
  await look('the end of a long action')
  await answer(approve)
  await back()

  const unusualAction = await asked({ ...unusual, requestedBy: 'Anna Berg \u200b' })
  await look('unusual characters')
  await approvals.cancel(service.domainId, unusualAction.id)
  await page.locator('.outcome').waitFor()
  await look('canceled')
  await back()

  const { code } = await service.enroll('ben')
  await createDevice().activate(service.url, code, { name: 'Test' })
  const { id: requestedBy } = await service.client.users.create({
    username: 'dora',
    name: 'Dora Novak',
    email: 'dora@example.com',
  })
  await service.client.domains.addUser(service.domainId, requestedBy)
  const fourEyes = { ...deployment, approvers: ['alice', 'ben'], needed: 2, requestedBy }
  await approvals.create(service.domainId, fourEyes)
  await page.locator('.approval').waitFor()
  await look('four eyes')
  await answer(approve)
  await look('others have to approve')
  await back()

  await asked({})
  await answer('.report')
  await look('reported in the own name')
  await back()
  await asked({ requestedBy: 'Payment agent' })
  await answer('.report')
  await look('reported')
  await page.locator(allowAgain).click()
  await page.locator(allowAgain).waitFor({ state: 'detached' })
  await look('allowed again')
  await back()

  await asked({ requestedBy: 'Payment agent' })
  await answer('.report')
  await back()
  await page.locator('.coded .icon-button').click()
  await page.locator('#blocks').waitFor()
  await page.locator('#blocks').scrollIntoViewIfNeeded()
  await look('blocked requesters')
  await ask({ requestedBy: 'Another agent' })
  await page.locator('.banner').waitFor()
  await look('banner of an action')
  await ask({ ...deployment, requestedBy })
  await page.locator('.banner button').click()
  await page.locator('button.row').nth(1).waitFor()
  await look('several actions')
  await page.locator('.bar button').nth(0).click()
  await page.locator('.card .row').first().waitFor()
  await look('history with actions')
}

/** The same for an account that asks for a PIN, which is not 0000. */
export async function everyApprovalScreenWithPin(
  service: RunningService,
  page: Page,
  look: (screen: string) => Promise<void>,
  { transfer }: Actions = englishActions,
): Promise<void> {
  await service.client.approvals.create(service.domainId, { user: { username: 'alice' }, ...transfer })
  await page.locator('#pin').waitFor()
  await look('the PIN of an action')
  await page.locator('#pin').fill('0000')
  await page.locator(approve).click()
  await page.locator('.answer .problem:not(:empty)').waitFor()
  await look('a wrong PIN of an action')
}

/** The same for an action that nobody answers in time, and then for one that this version of the app cannot show. */
export async function everyUnansweredApprovalScreen(
  { service, page, pass }: Awaited<ReturnType<Phones['joinedAtRest']>>,
  look: (screen: string) => Promise<void>,
  { transfer }: Actions = englishActions,
): Promise<void> {
  const ask = () => service.client.approvals.create(service.domainId, { user: { username: 'alice' }, ...transfer })
  await ask()
  await page.locator('.approval').waitFor()
  await pass(300)
  await page.locator('.outcome').waitFor()
  await look('expired')
  await page.locator(ok).click()
  await page.locator('.coded').waitFor()

  await page.route('**/device/requests', fromLaterVersion)
  await ask()
  await page.reload()
  await page.locator('.approval').waitFor()
  await look('unknown version')
}

/** As a service would answer that knows more about actions than this app. */
async function fromLaterVersion(route: Route): Promise<void> {
  const headers = route.request().headers()
  // Without streams, the app polls.
  if (headers['accept']?.startsWith('text/event-stream')) return route.fulfill({ json: {} })
  if (headers['if-none-match'] !== undefined) return route.continue()
  const response = await route.fetch()
  const { approvals = [], ...inbox }: Inbox = await response.json()
  const later = approvals.map((each) => ({
    ...each,
    content: JSON.stringify({ ...JSON.parse(each.content), currency: 'EUR' }),
  }))
  return route.fulfill({ response, json: { ...inbox, approvals: later } })
}
