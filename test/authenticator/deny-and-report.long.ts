import { describe, expect, it } from 'vitest'

import { loseResponses } from './lose-responses.ts'
import { fromDesk, phones, small, withClock } from './phone.ts'
import { button, freeze, headline, appears, setHidden } from './screen.ts'

const phone = await phones()

/** A request at the question that follows "Deny". */
async function atWasItYou() {
  const { service, page } = await phone.joined({ context: small })
  const session = await service.ask('alice', fromDesk)
  await headline(page, 'Sign in to Wiki?')
  await button(page, 'Deny').tap()
  await headline(page, 'Was it you?')
  return { service, page, id: session.id, number: session.number!, state: () => service.state(session.id) }
}

describe('the question after Deny', () => {
  it('the question after Deny denies a request that was a mistake', async () => {
    const { page, state } = await atWasItYou()

    const stateBefore = await state()
    await button(page, 'Yes, a mistake').tap()
    await headline(page, 'Denied')

    expect(stateBefore).toMatchObject({ state: 'pending' })
    expect(await state()).toMatchObject({ state: 'denied', reason: 'user_denied' })
  })

  it('the question after Deny reports a request that an attacker made, and says what to do', async () => {
    const { page, state } = await atWasItYou()

    await button(page, 'No, report it').tap()
    await headline(page, 'Blocked. No one got in.')

    expect(await appears(page.getByText('change it soon'))).toBe(true)
    expect(await state()).toMatchObject({ state: 'denied', reason: 'reported' })
  })

  it('the screen after a report says how many requests it blocked', async () => {
    const { service, page } = await atWasItYou()
    await service.ask('alice')

    await button(page, 'No, report it').tap()
    await headline(page, 'Blocked. No one got in.')

    expect(await appears(page.getByText('2 requests blocked.'))).toBe(true)
  })

  it('the question after Deny reports a request that an attacker cancels meanwhile', async () => {
    const { service, page, id } = await atWasItYou()
    await service.client.sessions.cancel(service.domainId, id)
    await expect.poll(() => page.title()).not.toContain('1')

    await button(page, 'No, report it').tap()
    await headline(page, 'Reported')

    expect(await appears(page.getByText('New requests are paused for 15 minutes'))).toBe(true)
  })

  it('the question after Deny denies the request when the person goes back', async () => {
    const { page, state } = await atWasItYou()

    await page.goBack()
    await headline(page, 'Denied')

    expect(await state()).toMatchObject({ state: 'denied', reason: 'user_denied' })
  })

  it('the question after Deny denies the request when the person leaves the app', async () => {
    const { page, state } = await atWasItYou()

    await setHidden(page, true)

    await expect.poll(async () => (await state()).state).toBe('denied')
  })

  it('the question after Deny denies the request just before it expires', async () => {
    const { service, page, pass } = await phone.joinedAtRest()
    const session = await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')
    await page.clock.fastForward(500)
    await button(page, 'Deny').click()
    await headline(page, 'Was it you?')

    await pass(86)
    await headline(page, 'Denied')

    expect(await service.state(session.id)).toMatchObject({ state: 'denied', reason: 'user_denied' })
  })

  it('the question after Deny ignores the second tap of a double tap on Deny', async () => {
    const { service, page } = await phone.joined({ prepare: withClock })
    await freeze(page)
    const session = await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')
    await page.clock.runFor(1_000)
    await expect.poll(() => button(page, 'Deny').isEnabled()).toBe(true)

    await button(page, 'Deny').dispatchEvent('click')
    for (const name of ['Yes, a mistake', 'No, report it']) await button(page, name).dispatchEvent('click')

    expect(await headline(page, 'Was it you?')).toBe(true)
    expect(await service.state(session.id)).toMatchObject({ state: 'pending' })
  })

  it('the question after Deny stays after a failure, and can be answered again', async () => {
    const { page, state } = await atWasItYou()
    await page.route('**/answer', (route) => route.abort())

    await button(page, 'No, report it').tap()
    await appears(page.getByRole('alert').getByText('The service isn’t responding.'))
    await page.unroute('**/answer')
    await button(page, 'No, report it').tap()
    await headline(page, 'Blocked. No one got in.')

    expect(await state()).toMatchObject({ reason: 'reported' })
  })
})

describe('an answer whose response was lost, however often it was sent', () => {
  it.each([
    ['Approve', 'Approved', 'approved'],
    ['It wasn’t me – block and report', 'Blocked. No one got in.', 'denied'],
  ])('an answer whose response was lost is shown as the service counted it: %s', async (name, outcome, state) => {
    const { service, page } = await phone.joined()
    const session = await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')
    await loseResponses(page)

    await button(page, name).click()

    expect(await headline(page, outcome)).toBe(true)
    expect(await button(page, 'It wasn’t me – block and report').count()).toBe(0)
    expect(await service.state(session.id)).toMatchObject({ state })
  })

  it('a wrong number whose response was lost is shown as one', async () => {
    const { service, page } = await phone.joined()
    const { number } = await service.ask('alice', { numberMatching: true })
    await page.getByLabel('Enter the number').fill(number === '10' ? '11' : '10')
    await loseResponses(page)

    await button(page, 'Approve').click()

    expect(await headline(page, 'The numbers didn’t match')).toBe(true)
  })

  it('a refusal that comes after the approval of another tab does not hide the approval', async () => {
    const { page, number, state } = await atWasItYou()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByLabel('Enter the number').fill(number)
    await button(other, 'Approve').click()
    await headline(other, 'Approved')
    await other.close()

    await button(page, 'Yes, a mistake').tap()

    expect(await headline(page, 'Approved')).toBe(true)
    expect(await state()).toMatchObject({ state: 'approved' })
  })

  it('an answer whose response was lost is only shown once the service can be asked about it', async () => {
    const { service, page } = await phone.joined()
    await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')
    await loseResponses(page)
    await page.route('**/history', (route) => route.abort())

    await button(page, 'Approve').click()
    await headline(page, 'One moment…')
    await appears(page.getByRole('alert').getByText('The service isn’t responding.'))
    await page.unroute('**/history')

    expect(await headline(page, 'Approved')).toBe(true)
  })

  it('a request that is answered in one tab is shown as answered in the other', async () => {
    const { service, page } = await phone.joined()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await service.ask('alice')
    await headline(other, 'Sign in to Wiki?')
    await headline(page, 'Sign in to Wiki?')

    await button(page, 'Approve').click()

    expect(await headline(other, 'Approved')).toBe(true)
    await other.close()
  })
})

describe('a request that ended by itself', () => {
  /** A request that was canceled while it was open on the phone. */
  async function atGone() {
    const { service, page, pass } = await phone.joinedAtRest()
    const session = await service.ask('alice', fromDesk)
    await headline(page, 'Sign in to Wiki?')
    await service.client.sessions.cancel(service.domainId, session.id)
    await headline(page, 'No longer needed')
    return { service, page, pass }
  }

  it('a request that ended by itself can be reported from the card that says so', async () => {
    const { service, page } = await atGone()

    await button(page, 'It wasn’t me – block and report').click()
    await headline(page, 'Reported')

    expect(await appears(page.getByText('New requests are paused for 15 minutes'))).toBe(true)
    await expect(service.ask('alice')).rejects.toMatchObject({ status: 429 })
  })

  it('a request that ended by itself stays on the screen until the person has read it', async () => {
    const { page, pass } = await atGone()

    await pass(60)
    await headline(page, 'No longer needed')
    await button(page, 'OK').click()

    expect(await appears(page.getByText('Nothing to approve'))).toBe(true)
  })

  it('a request that ended by itself gives way to a newer one, which the person would wait for', async () => {
    const { service, page, pass } = await atGone()
    await service.ask('alice', { ...fromDesk, attributes: [{ key: 'Browser', value: 'Safari' }] })
    await expect.poll(() => page.title()).toContain('1')

    await pass(5)
    await headline(page, 'Sign in to Wiki?')

    expect(await appears(page.locator('#facts').getByText('Safari'))).toBe(true)
  })

  it('a request that ended by itself is not asked about again when the report comes too late', async () => {
    const { page, pass } = await atGone()

    await pass(11 * 60)
    await button(page, 'It wasn’t me – block and report').click()
    await headline(page, 'No longer needed')

    expect(await button(page, 'It wasn’t me – block and report').count()).toBe(0)
  })
})
