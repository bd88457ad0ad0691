import { describe, expect, it } from 'vitest'

import { addAnother, phones } from './phone.ts'
import { button, headline } from './screen.ts'

const phone = await phones()

/** A browser has six connections to one place, for all its windows: what waits for news must leave some for the answer. */
describe('several open windows', () => {
  it('several open windows leave a free connection for answers, however many accounts there are', async () => {
    const { service, page } = await phone.joined()
    await addAnother(service, page, 'bob', 'carol', 'dave')
    const secondPage = await page.context().newPage()
    await secondPage.goto(page.url())
    await secondPage.getByText('Nothing to approve').waitFor()
    const session = await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')

    await button(page, 'Approve').click()
    await headline(page, 'Approved')

    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })
})

describe('twenty accounts on one phone', () => {
  it('twenty accounts on one phone all receive requests, and all can answer them', async () => {
    const { service, page } = await phone.joined({ service: { limits: { triesPerAddress: 100 } } })
    const names = Array.from({ length: 19 }, (_, index) => `person${index}`)
    await addAnother(service, page, ...names)

    const session = await service.ask('person18')
    await headline(page, 'Sign in to Wiki?')
    await button(page, 'Approve').click()
    await headline(page, 'Approved')

    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })
})
