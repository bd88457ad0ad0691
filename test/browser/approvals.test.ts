import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
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

  inFullRun(
    'followSecondStep() gives the app its answer when the action was denied, and sends nothing again',
    async () => {
      const { bank, account, sent } = await openPage()

      await bank.answer(account, 'deny')

      expect(await sent).toContain('approval_required')
      expect(bank.runs).toEqual([])
      expect(await bank.waiting(account)).toEqual([])
    },
  )
})

describeInFullRun('the page of an approval', () => {
  it('the page of an approval sends a form again as it was, also when the user asks again, and leads where the app says', async () => {
    const bodies: unknown[] = []
    const elsewhere = (url: string) => `${url.replace('127.0.0.1', 'localhost')}/elsewhere`
    const form = `<!doctype html><form method="post" action="/transfer"><input name="to" value="anna"><input name="amount" value="5">
      <input name="action" value="1"><input name="method" value="2"><input name="id" value="3"><input name="submit" value="4">
      <input name="empty"><input type="file" name="file"><textarea name="text">\n\na\n b\n</textarea><button>Send</button></form>`
    const bank = await startBank({
      first: [(req, res, next) => (req.path === '/page' ? void res.type('html').send(form) : next())],
      before: [
        ({ body, headers: { host } }, res, next) => {
          bodies.push(body)
          const send = res.send.bind(res)
          res.send = (text) =>
            String(text).startsWith('sent') ? (res.redirect(303, elsewhere(`http://${host}`)), res) : send(text)
          next()
        },
      ],
    })
    const { browser, account } = await bank.signedIn()
    const page = await keptPage(chromium)
    await page.context().addCookies(browser.cookiesAt(bank.url))
    await page.goto(`${bank.url}/page`)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('#number').waitFor()
    await bank.answer(account, 'deny')
    await page.getByRole('button', { name: 'Ask again' }).click()
    const number = (await page.locator('#number').textContent()) ?? ''

    await bank.answer(account, 'approve', number)
    await page.waitForURL(elsewhere(bank.url))

    expect(bodies[0]).toMatchObject({ action: '1', empty: '', file: '', text: '\r\na\r\n b\r\n' })
    expect(bodies.map((body) => JSON.stringify(body))).toEqual(bodies.map(() => JSON.stringify(bodies[0])))
    expect(bank.runs).toHaveLength(1)
  })
})
