import { createDevice } from '../../src/device/index.ts'
import type { Account } from '../../src/device/index.ts'
import { pause, systemClock } from '../../src/ground/clock.ts'
import type { ServiceNodes } from './service-nodes.ts'
import { numberOn, startWebApp } from './web-app.ts'

/**
 * Starts users who sign in repeatedly: to a real app with `mfa()`, whose service is behind `origin`, with devices that use the
 * same address. Call it in a test.
 */
export async function startPeople(nodes: ServiceNodes, origin: string, count: number) {
  const { apiKey, domainId } = nodes
  const app = await startWebApp({
    mfa: {
      service: { baseUrl: `${origin}/api`, apiKey, domainId },
      authenticatorUrl: origin,
      clock: systemClock,
      provision: false,
    },
  })
  const device = createDevice()
  const people = await Promise.all(Array.from({ length: count }, (_, index) => enroll(`person-${index}`)))

  async function enroll(username: string) {
    const client = nodes.client(origin)
    const user = await client.users.create({ username, name: username, email: 'person@example.com' })
    await client.domains.addUser(domainId, user.id)
    const { code = '' } = await client.tokens.issue(domainId, user.id)
    return { username, account: await device.activate(origin, code, { name: 'Test device' }) }
  }

  /** A full sign-in, from the login to the protected page: a push, the number, and the answer on the device. */
  async function signIn({ username, account }: { username: string; account: Account }): Promise<void> {
    const browser = app.browser()
    await app.signIn(browser, username)
    const page = await browser.visit('/account')
    const number = numberOn(page)
    // As the page does.
    const status = browser.fetch('/mfa/status')
    void status.catch(() => undefined)
    const [deviceRequest] = (await device.requests(account)).requests ?? []
    if (!deviceRequest) throw new Error('nothing is pending')
    await device.answer(account, deviceRequest, { decision: 'approve', number })
    const { body: change } = await status
    if (change.change !== 'settled') throw new Error(`the page was told ${JSON.stringify(change)}`)
    await browser.submit('/mfa/complete')
    const { body } = await browser.fetch('/account')
    if (body.verified !== true) throw new Error(`not verified: ${JSON.stringify(body)}`)
  }

  return {
    app,
    /**
     * Each user signs in repeatedly until `isOver` returns true.
     * @param rest Before the next sign-in, milliseconds.
     * @returns the number of sign-ins, and the errors.
     */
    signInUntil: async (isOver: (count: number) => boolean, rest = 0) => {
      let done = 0
      const lost: string[] = []
      await Promise.all(
        people.map(async (person) => {
          while (!isOver(done + lost.length)) {
            await signIn(person).then(
              () => (done += 1),
              (error: unknown) => lost.push(`${person.username}: ${String(error)}`),
            )
            await pause(systemClock, rest)
          }
        }),
      )
      return { done, lost }
    },
  }
}
