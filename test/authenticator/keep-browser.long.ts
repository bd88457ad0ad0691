import { describe, expect, it } from 'vitest'

import { fromDesk, phones, small } from './phone.ts'
import { appears } from './screen.ts'

const phone = await phones()

const unknown = { ...fromDesk, unknownBrowser: 'number' } as const

/** A request on the phone. */
async function openRequest(more: object = unknown) {
  const { service, page } = await phone.joined({ context: small })
  const session = await service.ask('alice', { ...fromDesk, ...more })
  await page.locator('#number').waitFor()
  const approve = async () => {
    await page.locator('#number').fill(session.number!)
    await page.locator('.answer .filled').click()
    await page.getByText('Nothing to approve').waitFor()
    return service.state(session.id)
  }
  return { page, approve, keep: page.getByLabel('Keep this browser') }
}

describe('a request from a new browser', () => {
  it('a request from a new browser says that the browser is new', async () => {
    const { page } = await openRequest()

    expect(await appears(page.locator('#facts').getByText('New browser'))).toBe(true)
    await page.locator('.facts-box button').click()
    expect(await page.locator('.facts').innerText()).toContain('New browser')
  })

  it('a new browser is not kept unless the person says so', async () => {
    const { keep, approve } = await openRequest()

    expect(await keep.isChecked()).toBe(false)
    const session = await approve()
    expect(session).toMatchObject({ state: 'approved' })
    expect(session.keepBrowser).toBeUndefined()
  })

  it('a new browser is kept when the person says so', async () => {
    const { keep, approve } = await openRequest()

    await keep.check()

    expect(await approve()).toMatchObject({ state: 'approved', keepBrowser: true })
  })

  it.each([
    ['of a change of devices', { ...unknown, purpose: 'change_devices' }],
    ['from an app that does not distinguish browsers', fromDesk],
  ])('the app offers no browser to keep in a request %s', async (_, more) => {
    const { keep } = await openRequest(more)

    expect(await keep.count()).toBe(0)
  })
})
