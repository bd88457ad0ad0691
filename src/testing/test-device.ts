import type { Client } from '../client/client.ts'
import type { Decision, DeviceRequest } from '../contract/device.ts'
import type { Account } from '../device/account.ts'
import type { Device } from '../device/device.ts'

/** A person's device, in the hand of a test. */
export interface TestDevice {
  /** What waits for an answer, newest first. */
  pending(): Promise<readonly DeviceRequest[]>
  /** Approves the newest request, with the number that its web page shows. @throws {Error} when nothing is pending. */
  approve(): Promise<void>
  deny(): Promise<void>
  /** "This was not me." */
  report(): Promise<void>
}

export function createTestDevice(
  core: Device,
  account: Account,
  { client, domainId }: { client: Client; domainId: string },
): TestDevice {
  const pending = async () => (await core.requests(account)).requests ?? []

  async function answer(decision: Decision): Promise<void> {
    const [request] = await pending()
    if (!request) throw new Error(`Nothing is pending for ${account.user.username}: open the challenge page first`)
    const { number } = decision === 'approve' ? await client.sessions.get(domainId, request.id) : {}
    await core.answer(account, request, { decision, ...(number === undefined ? {} : { number }) })
  }

  return Object.freeze({
    pending,
    approve: () => answer('approve'),
    deny: () => answer('deny'),
    report: () => answer('report'),
  })
}
