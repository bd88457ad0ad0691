/**
 * `npm run build && node bench/approve-to-page.ts [rounds]`: how long after "approve" the web page moves on, in a real
 * browser over loopback. Prints the median and the spread of 25 sign-ins, milliseconds.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { embedded } from 'second-factor/service'

import { createExampleApp } from '../example-app/app.ts'
import { createDevice } from '../src/device/device.ts'
import { launchChromium } from '../test/support/chromium.ts'
import { createAccount, numberOn, signIn } from '../test/story/person.ts'
import { spread } from './spread.ts'

const rounds = Number(process.argv[2] ?? 25)

const server = createServer()
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://localhost:${(server.address() as AddressInfo).port}`
const service = embedded({ database: ':memory:' })
const example = createExampleApp({ database: ':memory:', service, sessionSecret: 'for a benchmark', publicUrl: url })
server.on('request', example.app)
const chromium = await launchChromium()
const device = createDevice()

try {
  const page = await chromium.newPage()
  await createAccount(page, url, 'alice')
  await signIn(page, 'alice')
  const code = (await page.locator('#code').textContent())?.replace(' ', '') ?? ''
  const account = await device.activate(`${url}/mfa`, code, { name: 'Benchmark' })

  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.locator('#number').waitFor()
    const number = await numberOn(page)
    const [request] = (await device.requests(account)).requests ?? []
    if (!request) throw new Error('nothing to approve')
    // The page's connection for news is up.
    await page.waitForTimeout(150)

    const moved = page.waitForRequest(`${url}/account`)
    const start = performance.now()
    await device.answer(account, request, { decision: 'approve', number })
    await moved
    times.push(performance.now() - start)

    await page.waitForURL(`${url}/account`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto(`${url}/sign-in`)
    await signIn(page, 'alice')
  }
  console.log(`approve to page    ${spread(times)}`)
} finally {
  await chromium.close()
  server.closeAllConnections()
  server.close()
  await service.close()
  example.close()
}
