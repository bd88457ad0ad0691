/** A complete push over REST and over the device's interface: create, read on the device, approve, read and redeem. */
import { createClient } from '../../src/client/client.ts'
import type { ServiceGiven } from '../contenders/prepare.ts'
import type { Load } from '../measuring/load.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import { addPushUsers } from './second-steps.ts'

/** Several nodes that share a database, and the apps that wait for them. */
export interface PushOptions extends ServiceGiven {
  /** The addresses of the nodes; without them, that of the service. */
  readonly urls?: readonly [string, ...string[]]
  /** How many app processes wait, each at another node; without them, the session is read after the answer. */
  readonly apps?: number
}

export async function createLoad({ url, urls = [url], apps = 0, apiKey, domainId }: PushOptions): Promise<Load> {
  const clock = createMovedClock()
  // Other loads of this service may have moved its clock.
  const synchronize = async () => {
    const now = await (await fetch(`${url}/bench/clock`, { method: 'POST' })).text()
    clock.move(Number(now) - clock.now())
  }
  if (urls.length === 1) await synchronize()
  const client = createClient({ baseUrl: `${url}/api`, apiKey, clock })
  const waiting = Array.from({ length: apps }, (_, index) =>
    createClient({ baseUrl: `${urls[index % urls.length]}/api`, apiKey, clock }),
  )
  let waits = 0
  const wait = (sessionId: string) => {
    const app = waiting[waits++ % waiting.length] ?? client
    return app.sessions.wait(domainId, sessionId)
  }
  const push = await addPushUsers({ client, domainId, urls, apiKey, wait: apps > 0 ? wait : undefined }, clock, 64)
  // Nodes must agree on the time.
  return { size: 500, unit: push, ...(urls.length === 1 && { nextPass: synchronize }) }
}
