import { describe, expect, it } from 'vitest'

import { administrator } from '../service/features/administrators/console-holder.ts'
import { askCaller, outcomeOf } from '../service/features/callers/phone-caller.ts'
import { axeViolations } from '../support/axe.ts'
import { pinOfPerson, useConsole } from './console-person.ts'
import { loseResponses } from './lose-responses.ts'
import { phones } from './phone.ts'
import { button, headline, appears, read } from './screen.ts'

const phone = await phones()
const { running, person: newPerson } = useConsole(phone)

/** A person with the authenticator open, and the help desk. */
async function person({ withPin = false } = {}) {
  const { page, ...member } = await newPerson({ withPin })
  const { id, domainId } = member
  const helpdesk = await administrator(running(), { role: 'helpdesk', domains: [domainId] })
  const ask = async () => (await askCaller(helpdesk, member)).json
  const stateOf = async (call: string) => (await outcomeOf(helpdesk, member, call)).json.state
  const signIn = () => running().call('POST', `/domains/${domainId}/sessions`, { body: { user: { id } } })
  return { page, ask, stateOf, signIn }
}

/** The same, with a call on the screen. */
async function called() {
  const arranged = await person()
  const { id, number } = await arranged.ask()
  await headline(arranged.page, 'Did you call the help desk?')
  return { ...arranged, number: number as string, state: () => arranged.stateOf(id) }
}

const yes = 'Yes, it’s me on the phone'
const no = 'No, I didn’t call'

describe('a call to the help desk', () => {
  it('a help desk call says what to do when the person was called, and that it signs no one in', async () => {
    const { page } = await called()

    const factTexts = await page.locator('#facts p').allInnerTexts()
    expect(factTexts).toEqual(['If someone called you, tap No.', 'This signs no one in.'])
    const labels = await page.locator('.call button').allInnerTexts()
    expect(labels).toContain(no)
    expect(labels).toContain(yes)
    expect(labels.join(' ')).not.toMatch(/approve|deny|scan/i)
  })

  it('a call to the help desk is confirmed with the number, and not without it', async () => {
    const { page, number, state } = await called()
    const confirm = button(page, yes)

    expect(await confirm.getAttribute('aria-disabled')).toBe('true')
    await confirm.click({ force: true })
    expect(await state()).toBe('pending')
    await page.locator('#number').fill(number)
    await confirm.click()

    expect(await headline(page, 'Confirmed')).toBe(true)
    expect(await appears(page.getByText('No one was signed in.'))).toBe(true)
    expect(await state()).toBe('confirmed')
  })

  it('a confirmed help desk call whose response was lost is shown as confirmed', async () => {
    const { page, number, state } = await called()
    await page.locator('#number').fill(number)
    await loseResponses(page)

    await button(page, yes).click()
    await page.getByRole('alert').getByText('The service isn’t responding.').waitFor()
    await page.unroute('**/answer')

    expect(await headline(page, 'Confirmed')).toBe(true)
    expect(await state()).toBe('confirmed')
  })

  it('the answer No to a help desk call needs no number, says what to do next, and is in the history', async () => {
    const { page, state } = await called()

    await button(page, no).click()

    expect(await headline(page, 'The help desk knows')).toBe(true)
    expect(await appears(page.getByText('hang up'))).toBe(true)
    expect(await state()).toBe('denied')
    await button(page, 'OK').click()
    await page.getByText('Nothing to approve').waitFor()
    await page.locator('.bar button').nth(0).click()
    const entry = page.locator('.card .row')
    expect(await entry.locator('strong').innerText()).toBe(no)
    expect(await entry.getByText('Did you call the help desk?').count()).toBe(1)
  })

  it('a call to the help desk ends with a wrong number', async () => {
    const { page, number, state } = await called()

    await page.locator('#number').fill(number === '10' ? '11' : '10')
    await button(page, yes).click()

    expect(await headline(page, 'The numbers didn’t match')).toBe(true)
    expect(await state()).toBe('wrong_number')
  })

  it('a call to the help desk ends on the screen when its time is over', async () => {
    const { page } = await called()

    await running().clock.advance(90)

    expect(await headline(page, 'No longer needed')).toBe(true)
  })

  it('a call to the help desk is in a list when a sign-in waits as well, so neither is mistaken', async () => {
    const { page, ask, signIn } = await person()
    await signIn()
    await page.locator('.report').waitFor()
    const { number } = await ask()
    await page.locator('.later').click()
    await page.getByRole('heading', { name: 'Did you call the help desk?' }).waitFor()

    await page.locator('section:has(#calls) button.row').click()
    await page.locator('#number').fill(number)
    await button(page, yes).click()

    expect(await headline(page, 'Confirmed')).toBe(true)
    await button(page, 'OK').click()
    expect(await appears(page.locator('.report').or(page.getByText('You have a sign-in request')))).toBe(true)
  })

  it('a call to the help desk is announced on a screen that the person uses for something else', async () => {
    const { page, ask } = await person()
    await page.locator('.bar button').nth(1).click()
    await ask()

    await page.locator('.banner').getByText('Did you call the help desk?').waitFor()
    await button(page, 'Review').click()

    expect(await headline(page, 'Did you call the help desk?')).toBe(true)
  })

  it('a call to the help desk does not open again after the person went back', async () => {
    const { page } = await called()

    await page.goBack()

    const list = page.locator('section', { has: page.getByRole('heading', { name: 'Did you call the help desk?' }) })
    expect(await appears(list.locator('button.row'))).toBe(true)
  })

  it('a call to the help desk asks for the PIN after the number', async () => {
    const { page, ask, stateOf } = await person({ withPin: true })
    const { id, number } = await ask()

    await page.locator('#number').fill(number)
    await page.locator('#pin').fill('0000')
    await button(page, yes).click()
    expect(await appears(page.getByText('4 attempts left'))).toBe(true)
    await page.locator('#pin').fill(pinOfPerson)
    await button(page, yes).click()

    expect(await headline(page, 'Confirmed')).toBe(true)
    expect(await stateOf(id)).toBe('confirmed')
  })

  it('the screen of a help desk call has no problems that axe finds, and fits on a small phone', async () => {
    const { page } = await called()

    expect(await axeViolations(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 560 })
    expect(await read(page, () => document.documentElement.scrollHeight)).toBeLessThanOrEqual(560)
  })
})
