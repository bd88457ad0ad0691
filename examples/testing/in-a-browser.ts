import type { Page } from 'playwright-core' // or from '@playwright/test'
import type { TestService } from 'second-factor/testing'

/** Signs Alice in, and approves on her device when the page asks for it. The page then continues by itself. */
export async function signIn(page: Page, service: TestService, url: string) {
  const device = await service.enroll('alice')
  await page.request.post(`${url}/login`, { form: { username: 'alice', password: 'secret' } })
  await page.goto(`${url}/account`)
  await page.getByRole('heading', { name: 'Approve the sign-in' }).waitFor()
  await device.approve()
  await page.waitForURL(`${url}/account`)
}
