import { describe, expect, it } from 'vitest'

import { addAnother, phones } from './phone.ts'
import { button, headline, appears } from './screen.ts'
import { close, delivery, joinedForPush, press, tellWindows } from './push-phone.ts'

const phone = await phones({ serviceWorkers: 'allow' })

/** A phone with notifications, at its settings. */
async function atSettings() {
  const joined = await joinedForPush(phone, 'granted')
  await expect.poll(joined.countRegistrations).toBe(1)
  const pushDelivery = await delivery(joined.service, joined.page)
  await button(joined.page, 'Settings').click()
  return { ...joined, ...pushDelivery }
}

describe('a test request', () => {
  it('a test request reports that its notification arrived, which opens a practice request, even while the app is closed', async () => {
    const { service, page, pushes, worker, deliver, notices } = await atSettings()
    await button(page, 'Send a test request').click()
    await pushes.received(1)

    await deliver(pushes.messages[0]!.text)
    await appears(page.getByText('A notification arrived.'))
    const [notice] = await notices()
    await tellWindows(worker, { practice: 'a' })
    await headline(page, 'Practice request')
    const number = /\d\d/.exec(await page.getByText(/^Enter \d\d$/).innerText())![0]
    await page.locator('#number').fill(number === '10' ? '11' : '10')
    await button(page, 'Approve').click()
    await appears(page.getByRole('alert').getByText('The numbers didn’t match'))
    await page.locator('#number').fill(number)
    await button(page, 'Approve').click()
    await headline(page, 'It works')

    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    expect(notice).toMatchObject({ title: 'Test · this signs no one in', options: { silent: false, tag: 'test' } })
    expect(await appears(page.getByText('Requests reach this phone.'))).toBe(true)
    await close(service, page)
    const opened = await worker.evaluate(press, { test: 'a' })
    await page.goto(new URL(opened, `${service.url}/authenticator/`).href)
    expect(await headline(page, 'Practice request')).toBe(true)
  })

  it('a test request reports after 20 seconds that no notification arrived, with what to do', async () => {
    const { page } = await atSettings()
    await page.clock.install()
    await button(page, 'Send a test request').click()
    await appears(page.getByText('Waiting for the notification'))

    await page.clock.fastForward(20_000)

    await appears(page.getByText('No notification arrived.'))
    expect(await page.locator('.steps li').count()).toBe(3)
  })

  it('a test request opens in the page where notifications are off, and sends nothing', async () => {
    const { page } = await phone.joined({ context: { serviceWorkers: 'block' } })
    const calls: string[] = []
    page.on('request', (request) => void calls.push(new URL(request.url()).pathname))
    await button(page, 'Settings').click()

    await button(page, 'Send a test request').click()
    await headline(page, 'Practice request')
    const number = /\d\d/.exec(await page.getByText(/^Enter \d\d$/).innerText())![0]
    await page.locator('#number').fill(number)
    await button(page, 'Approve').click()

    await headline(page, 'It works')
    expect(await appears(page.getByText('Requests appear only while the app is open.'))).toBe(true)
    expect(calls.filter((path) => path.startsWith('/device/') && path !== '/device/requests')).toEqual([])
  })

  it('a test request can be sent for each account', async () => {
    const { service, page } = await atSettings()
    await button(page, 'Back').click()
    await addAnother(service, page, 'bob')
    await button(page, 'Settings').click()

    await page.getByLabel('Account').selectOption({ label: 'bob at Wiki' })
    const testRequest = page.waitForRequest((request) => request.url().endsWith('/device/push/test'))
    await button(page, 'Send a test request').click()

    const [, payload = ''] = (await testRequest).postData()?.split('.') ?? []
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string }
    const bob = await service.client.users.getByUsername('bob')
    expect((await service.client.tokens.get(service.domainId, bob.id)).device?.id).toBe(sub)
  })
})
