/** A complete push over REST and over the device's interface: create, read on the device, approve, read and redeem. */
import { createClient } from '../../src/client/client.ts'
import type { ServiceGiven } from '../contenders/prepare.ts'
import type { Load } from '../measuring/load.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import { addPushUsers } from './second-steps.ts'

export async function createLoad({ url, apiKey, domainId }: ServiceGiven): Promise<Load> {
  const clock = createMovedClock()
  // Other loads of this service may have moved its clock.
  const synchronize = async () => {
    const now = await (await fetch(`${url}/bench/clock`, { method: 'POST' })).text()
    clock.move(Number(now) - clock.now())
  }
  await synchronize()
  const client = createClient({ baseUrl: `${url}/api`, apiKey, clock })
  const push = await addPushUsers({ client, domainId, url, apiKey }, clock, 64)
  return { size: 500, nextPass: synchronize, unit: push }
}
