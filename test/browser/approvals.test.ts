import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startBank } from '../express/approving-app.ts'

const chromium = await sharedChromium()

const content = `<!doctype html><output></output><script type="module">
  import { followSecondStep } from '/browser.js'
  followSecondStep({
    showApproval({ number }) {
      const shown = document.querySelector('output')
      shown.textContent = number
      return () => (shown.textContent = '')
    },
  })
  globalThis.transfer = async () => {
    const body = JSON.stringify({ to: 'anna', amount: '250' })
    const answer = await fetch('/transfer', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return answer.status + ' ' + (await answer.text())
  }
  globalThis.ready = true
</script>`

/** A page of the app that sends money by a script, and shows the number itself. */
async function openPage() {
  const bank = await startBank({
    first: [
      (req, res, next) => (req.path === '/browser.js' ? res.sendFile(`${root}/dist/browser/index.js`) : next()),
      (req, res, next) => (req.path === '/page' ? void res.type('html').send(content) : next()),
    ],
  })
  const { browser, account } = await bank.signedIn()
  const page = await keptPage(chromium)
  await page.context().addCookies(browser.cookiesAt(bank.url))
  await page.goto(`${bank.url}/page`)
  await page.waitForFunction(() => 'ready' in globalThis)
  const sent = page.evaluate(() => (globalThis as unknown as { transfer: () => Promise<string> }).transfer())
  const output = page.locator('output')
  await expect.poll(() => output.textContent()).toMatch(/^\d+$/)
  return { bank, account, sent, output, number: (await output.textContent()) ?? '' }
}

describe('followSecondStep({ showApproval })', () => {
  it('followSecondStep() waits for the approval of an action, and sends the request again', async () => {
    const { bank, account, sent, output, number } = await openPage()

    await bank.answer(account, 'approve', number)

    expect(await sent).toBe('200 sent Transfer 250')
    expect(await output.textContent()).toBe('')
    expect(bank.runs).toHaveLength(1)
  })

  it('followSecondStep() gives the app its answer when the action was denied, and sends nothing again', async () => {
    const { bank, account, sent } = await openPage()

    await bank.answer(account, 'deny')

    expect(await sent).toContain('approval_required')
    expect(bank.runs).toEqual([])
    expect(await bank.waiting(account)).toEqual([])
  })
})
