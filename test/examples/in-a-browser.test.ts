import { startTestService } from 'second-factor/testing'
import { expect, it, onTestFinished } from 'vitest'

import { createApp } from '../../examples/testing/app.ts'
import { signIn } from '../../examples/testing/in-a-browser.ts'
import { listen } from '../support/listen.ts'
import { sharedChromium } from '../support/shared-chromium.ts'

const chromium = await sharedChromium()

it('the example for browser tests signs in with a browser and a test device', async () => {
  const service = await startTestService()
  onTestFinished(() => service.close())
  const url = await listen(createApp({ service, clock: service.clock }))
  const page = await chromium.newPage()

  await signIn(page, service, url)

  expect(await page.textContent('body')).toBe('Welcome')
})
