/**
 * `npm run build && node bench/request-to-screen.ts [rounds]`: the time from creating a session until the authenticator shows its
 * request, and from the tap on "Approve" until the waiting client knows. A real browser over loopback; the service commits to a
 * file. Prints the median and the spread of 30 rounds, milliseconds.
 */
import type { Page } from 'playwright-core'

import { launchChromium } from '../test/support/chromium.ts'
import { startService } from './running-service.ts'
import { spread } from './spread.ts'

const rounds = Number(process.argv[2] ?? 30)

const service = await startService('SQLite')
const chromium = await launchChromium()

try {
  const page = await chromium.newPage({ locale: 'en-GB', viewport: { width: 390, height: 844 } })
  const screen = await watchScreen(page)
  await join(page)
  const toAnswer: number[] = []
  const toScreen: number[] = []
  const toClient: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.getByText('Nothing to approve').first().waitFor()
    const sentAt = performance.now()
    const display = screen.next()
    const session = await ask()
    toAnswer.push(performance.now() - sentAt)
    toScreen.push((await display) - sentAt)

    const waiting = service.client.sessions.wait(service.domainId, session.id).then(() => performance.now())
    const approve = page.getByRole('button', { name: 'Approve' })
    // Disabled for a moment, against taps that were meant for the screen before.
    await approve.and(page.locator(':enabled')).waitFor()
    const button = await approve.elementHandle()
    await page.getByRole('textbox').fill(session.number ?? '')
    const tapped = performance.now()
    await button?.evaluate((element) => element.dispatchEvent(new MouseEvent('click', { bubbles: true })))
    toClient.push((await waiting) - tapped)
  }
  console.log(`session to answer    ${spread(toAnswer)}`)
  console.log(`session to screen    ${spread(toScreen)}`)
  console.log(`approve to client    ${spread(toClient)}`)
} finally {
  await chromium.close()
  await service.close()
}

function ask() {
  return service.client.sessions.create(service.domainId, { user: { username: 'alice' }, numberMatching: true })
}

async function join(page: Page): Promise<void> {
  const { code } = await service.enroll('alice')
  await page.goto(`${service.url}/authenticator/#code=${code}`)
  await page.getByRole('button', { name: 'Add this account' }).click()
}

/** Reports when the frame that shows a request has been painted. */
async function watchScreen(page: Page): Promise<{ next(): Promise<number> }> {
  let tell = (_at: number): void => {}
  await page.exposeFunction('drawn', () => tell(performance.now()))
  await page.addInitScript(() => {
    let there = false
    new MutationObserver(() => {
      const wasThere = there
      there = document.querySelector('form.answer') !== null
      if (there && !wasThere) requestAnimationFrame(() => painted.port2.postMessage(''))
    }).observe(document, { childList: true, subtree: true })
    // A message posted before a frame is painted arrives after the frame.
    const painted = new MessageChannel()
    painted.port1.addEventListener('message', () => Reflect.get(window, 'drawn')())
    painted.port1.start()
  })
  return { next: () => new Promise((resolve) => (tell = resolve)) }
}
