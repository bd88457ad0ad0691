import { startTestService } from 'second-factor/testing'
import { expect, it, onTestFinished } from 'vitest'

import { createApp } from '../../examples/testing/app.ts'
import { signIn } from '../../examples/testing/in-a-browser.ts'
import { launchChromium } from '../support/chromium.ts'
import { listen } from '../support/listen.ts'

it('signs in with a browser and a test device', async () => {
  const service = await startTestService()
  const chromium = await launchChromium()
  onTestFinished(async () => {
    await chromium.close()
    await service.close()
  })
  const url = await listen(createApp({ service, clock: service.clock }))
  const page = await chromium.newPage()

  await signIn(page, service, url)

  expect(await page.textContent('body')).toBe('Welcome')
})
