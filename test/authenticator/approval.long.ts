import { describe, expect, it } from 'vitest'

import type { Approval } from '../../src/contract/approvals.ts'
import { createCall } from '../service/start-service.ts'
import { axeViolations } from '../support/axe.ts'
import { pinOfPerson, useConsole } from './console-person.ts'
import { everyUnansweredApprovalScreen } from './every-approval-screen.ts'
import { loseResponses } from './lose-responses.ts'
import { phones } from './phone.ts'
import { appears, button, headline } from './screen.ts'

const phone = await phones()
const { running, person: newPerson } = useConsole(phone)

const details = [
  { label: 'To', value: 'DE89 3704 0044 0532 0130 00' },
  { label: 'Amount', value: '€250.00' },
]
const transfer = { title: 'Transfer €250.00', details }

/** A person with the authenticator open, and an app that asks them. */
async function person({ withPin = false } = {}) {
  const { id, domainId, page } = await newPerson({ withPin })
  const path = `/domains/${domainId}/approvals`
  const askBy = async (call: ReturnType<typeof createCall>, content: object) =>
    call('POST', path, { body: { user: { id }, ...transfer, ...content } })
  const ask = async (content: object = {}): Promise<Approval> => (await askBy(running().call, content)).json
  const get = async (approval: string): Promise<Approval> => (await running().call('GET', `${path}/${approval}`)).json
  return { page, ask, askBy, get }
}

/** The same, with an action on the screen. */
async function asked(content: object = {}, options = {}) {
  const arranged = await person(options)
  const approval = await arranged.ask(content)
  await headline(arranged.page, 'Approve this?')
  return { ...arranged, approval, state: async () => (await arranged.get(approval.id)).state }
}

const report = 'I didn’t ask for this\u00a0– deny and block'

describe('an action to approve', () => {
  it('shows all of an action, and approves it with a proof of exactly that', async () => {
    const { page, approval, state, get } = await asked()

    const text = await page.locator('#facts').innerText()
    for (const shown of ['Transfer €250.00', 'To', details[0]!.value, 'Amount', '€250.00', 'You, in ', 'Expires'])
      expect(text).toContain(shown)
    expect(await axeViolations(page)).toEqual([])
    await button(page, 'Approve').click()

    expect(await headline(page, 'Approved')).toBe(true)
    expect(await appears(page.getByText('Transfer €250.00'))).toBe(true)
    expect(await state()).toBe('approved')
    const [answer] = (await get(approval.id)).approvers
    expect(answer?.proof?.answer).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    await button(page, 'OK').click()
    await page.getByText('Nothing to approve').waitFor()
    await page.locator('.bar button').nth(0).click()
    expect(await appears(page.locator('.card .row').getByText('Transfer €250.00'))).toBe(true)
  })

  it('an approval whose response was lost is shown as one', async () => {
    const { page, state } = await asked()
    await loseResponses(page)

    await button(page, 'Approve').click()
    await page.getByRole('alert').getByText('The service isn’t responding.').waitFor()
    await page.unroute('**/answer')

    expect(await headline(page, 'Approved')).toBe(true)
    expect(await state()).toBe('approved')
  })

  it('denies an action', async () => {
    const { page, state } = await asked()

    await button(page, 'Deny').click()

    expect(await headline(page, 'Denied')).toBe(true)
    expect(await state()).toBe('denied')
  })

  it('a requester that is not confirmed is named as such, blocked by a report, and allowed again', async () => {
    const { page, state, ask } = await asked({ requestedBy: 'deploy script' })
    expect(await appears(page.getByText('deploy script (not confirmed)'))).toBe(true)

    await button(page, report).click()

    expect(await headline(page, 'Denied and blocked')).toBe(true)
    expect(await state()).toBe('denied')
    await button(page, 'Allow again').click()
    expect(await headline(page, 'Denied')).toBe(true)
    expect(await appears(page.getByText('Whoever asked can ask you again.'))).toBe(true)
    expect(await button(page, 'Allow again').count()).toBe(0)
    await button(page, 'OK').click()
    await ask({ requestedBy: 'deploy script' })
    expect(await headline(page, 'Approve this?')).toBe(true)
  })

  it('"Allow again" after a report lifts the block of that report, and no other one of the same name', async () => {
    const { page, askBy } = await person()
    const { origin, service, organization, call } = running()
    const otherApp = createCall(origin, await service.administration.createApiKey(organization.id))
    const requester = { requestedBy: 'deploy script' }
    for (const app of [call, otherApp]) {
      await askBy(app, requester)
      await button(page, report).click()
      await headline(page, 'Denied and blocked')
      if (app === call) await button(page, 'OK').click()
    }

    await button(page, 'Allow again').click()
    await button(page, 'Allow again').waitFor({ state: 'detached' })

    expect((await askBy(call, requester)).status).toBe(403)
    expect((await askBy(otherApp, requester)).status).toBe(200)
  })

  it('a blocked requester is listed with its account, where it can be allowed again', async () => {
    const { page } = await asked({ requestedBy: 'deploy script' })
    await button(page, report).click()
    await button(page, 'OK').click()

    await page.getByRole('button', { name: /^Options for/ }).click()
    expect(await appears(page.getByRole('heading', { name: 'Blocked requesters' }))).toBe(true)
    await button(page, 'Allow again').click()

    await page.getByRole('heading', { name: 'Blocked requesters' }).waitFor({ state: 'detached' })
  })

  it('asks for the number of an action, and approves nothing without it', async () => {
    const { page, approval, state } = await asked({ numberMatching: true })
    await button(page, 'Approve').click({ force: true })
    expect(await state()).toBe('pending')

    await page.locator('#number').fill(approval.number!)
    await button(page, 'Approve').click()

    expect(await headline(page, 'Approved')).toBe(true)
    expect(await state()).toBe('approved')
  })

  it('an action with a wrong number is denied, and the history says so', async () => {
    const { page, approval, state } = await asked({ numberMatching: true })
    await page.locator('#number').fill(approval.number === '10' ? '11' : '10')
    await button(page, 'Approve').click()
    await headline(page, 'The numbers didn’t match')
    await button(page, 'OK').click()

    await page.locator('.bar button').nth(0).click()
    await page.locator('.card .row').getByText('Transfer €250.00').waitFor()

    expect(await page.locator('.card .row').innerText()).toContain('The numbers didn’t match')
    expect(await state()).toBe('denied')
  })

  it('asks for the PIN of an action, and again after a wrong one', async () => {
    const { page, state } = await asked({}, { withPin: true })
    await page.locator('#pin').fill('4072')
    await button(page, 'Approve').click()
    await page.getByText('attempts left').waitFor()

    await page.locator('#pin').fill(pinOfPerson)
    await button(page, 'Approve').click()

    expect(await headline(page, 'Approved')).toBe(true)
    expect(await state()).toBe('approved')
  })

  it('long content cannot be approved before its end was on the screen', async () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ label: `Item ${index}`, value: 'x '.repeat(200) }))
    const { page, state } = await asked({ details: many })
    const approve = button(page, 'Approve')
    expect(await appears(page.getByText('Scroll to the end to approve'))).toBe(true)
    expect(await approve.getAttribute('aria-disabled')).toBe('true')
    await approve.click({ force: true })
    expect(await state()).toBe('pending')

    await page.locator('#facts .origin').scrollIntoViewIfNeeded()
    await page.mouse.wheel(0, 20_000)
    await page.getByText('Scroll to the end to approve').waitFor({ state: 'detached' })
    await approve.click()

    expect(await headline(page, 'Approved')).toBe(true)
  })

  it('shows invisible and bidirectional characters, mixed alphabets and HTML as what they are', async () => {
    const { page } = await asked({
      title: 'Pay \u202eLLIB\u202c to р\u0430ypal',
      details: [{ label: 'To\u200b', value: '<img src=x onerror=alert(1)><b>bold</b>' }],
    })

    const chips = await page.locator('#facts code').allInnerTexts()
    expect(chips).toEqual(['U+202E', 'U+202C', 'U+200B'])
    expect(await page.locator('#facts').textContent()).not.toMatch(/\p{Bidi_Control}|\u200b/u)
    expect(await appears(page.getByText('A word here mixes alphabets'))).toBe(true)
    expect(await page.locator('#facts :is(img, b)').count()).toBe(0)
    expect(await appears(page.getByText('<b>bold</b>'))).toBe(true)
  })

  it('an action that arrives before the person leaves the answer to another one is announced', async () => {
    const { page, ask } = await asked()
    await button(page, 'Approve').click()
    await headline(page, 'Approved')

    await ask({ title: 'Transfer €300.00' })
    await page.locator('.banner').getByText('Approve an action').waitFor()
    const left = await page.locator('.banner').innerText()
    await button(page, 'Review').click()

    expect(left).toMatch(/· [345]:\d\d/)
    expect(await headline(page, 'Approve this?')).toBe(true)
    expect(await appears(page.getByText('Transfer €300.00'))).toBe(true)
  })

  it('a report of an action in the person’s own name says that their sign-ins have ended', async () => {
    const { page } = await asked()

    await button(page, report).click()

    await headline(page, 'Denied and blocked')
    expect(await appears(page.getByText('Your sign-ins to all apps have ended.'))).toBe(true)
  })

  it('the buttons of long content cover nothing of its end when it can be approved', async () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ label: `Item ${index}`, value: 'x '.repeat(40) }))
    const { page } = await asked({ details: many })
    await page.getByText('Scroll to the end to approve').waitFor()
    const bottom = (selector: string) => page.locator(selector).evaluate((each) => each.getBoundingClientRect().bottom)

    for (let step = 0; (await page.locator('.hold').count()) > 0 && step < 400; step++) await page.mouse.wheel(0, 20)
    const top = await page.locator('.actions').evaluate((each) => each.getBoundingClientRect().top)

    expect(await page.locator('.hold').count()).toBe(0)
    expect(await bottom('#facts .origin')).toBeLessThanOrEqual(top)
  })

  it('an action that nobody answers in time ends', async () => {
    const { texts, states } = await unanswered()

    expect(texts['expired']).toMatch(/Time ran out\s+Transfer €250\.00\s+Nothing was approved\./)
    expect(states).toContain('expired')
  })

  it('an action that this version cannot show says so, and is not approved', async () => {
    const { texts, states, sent } = await unanswered()

    expect(texts['unknown version']?.match(/so you can only deny it\./g)).toHaveLength(1)
    expect(texts['unknown version']).not.toContain('250')
    expect(states).toContain('pending')
    expect(sent).toEqual([])
  })

  /** What the screens said of actions that nobody could answer, although "Approve" was pressed on the last one. */
  async function unanswered() {
    const rest = await phone.joinedAtRest()
    const { page, service, pass } = rest
    const texts: Record<string, string> = {}
    const sent: string[] = []
    page.on('request', (request) => request.url().endsWith('/answer') && sent.push(request.url()))
    await everyUnansweredApprovalScreen(rest, async (screen) => {
      texts[screen] = await page.locator('.card').first().innerText()
    })
    // Presses are ignored at first.
    await pass(1)
    await button(page, 'Approve').click({ force: true })
    const { approvals } = await service.client.approvals.list(service.domainId)
    return { texts, sent, states: approvals.map(({ state }) => state) }
  }

  it('an action ends on the screen when the app cancels it', async () => {
    const { page, approval } = await asked()

    await running().call('DELETE', `/domains/${running().domain.id}/approvals/${approval.id}`)

    expect(await headline(page, 'No longer needed')).toBe(true)
    expect(await appears(page.getByText('Transfer €250.00'))).toBe(true)
  })
})
