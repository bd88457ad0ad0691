import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { startOwnApp } from './own-factors.ts'

const secretOn = ({ text }: { readonly text: string }): string => /secret=([A-Z2-7]+)/.exec(text)?.[1] ?? 'none'
const codesOn = ({ text }: { readonly text: string }) => text.match(/\d{3} \d{3} \d{3}/g)

describe('a page that shows a secret shows the same one again', () => {
  it('a newcomer who goes back to the app and on again still sees the secret that was scanned', async () => {
    const app = await startOwnApp({ factors: ['otp'] })
    const { browser } = await app.newcomer()
    const page = await browser.open('/mfa/enroll/app')

    await browser.visit('/account?tab=2')

    expect(secretOn(page)).not.toBe('none')
    expect(secretOn(await browser.open('/mfa/enroll/app'))).toBe(secretOn(page))
  })

  inFullRun(
    'an app that is being set up keeps its secret while another tab asks for the second step, and after it',
    async () => {
      const app = await startOwnApp()
      const { browser, account } = await app.withDevice()
      const page = await browser.open('/mfa/devices/app')
      await app.clock.advance(301)

      await browser.open('/danger')
      const meanwhile = await browser.open('/mfa/devices/app')
      await app.stepUp(browser, account)
      await app.passByDevice(browser, account)

      expect(secretOn(page)).not.toBe('none')
      expect(secretOn(meanwhile)).toBe(secretOn(page))
      expect(secretOn(await browser.open('/mfa/devices/app'))).toBe(secretOn(page))
    },
  )

  inFullRun(
    'new recovery codes stay on their page while another tab asks for the second step, and after it',
    async () => {
      const app = await startOwnApp()
      const { browser, account } = await app.withDevice()
      await browser.submit('/mfa/devices/codes')
      const page = await browser.open('/mfa/devices/codes')
      await app.clock.advance(301)

      await browser.open('/danger')
      const meanwhile = await browser.open('/mfa/devices/codes')
      await app.stepUp(browser, account)

      expect(codesOn(page)).toHaveLength(5)
      expect(codesOn(meanwhile)).toEqual(codesOn(page))
      expect(codesOn(await browser.open('/mfa/devices/codes'))).toEqual(codesOn(page))
      await app.clock.advance(600)
      expect(codesOn(await browser.open('/mfa/devices/codes'))).toBeNull()
    },
  )
})
