import type { Client } from '../client/client.ts'
import type { Decision } from '../contract/device.ts'
import type { DeviceRequest } from '../contract/device-answers.ts'
import type { Account } from '../device/account.ts'
import type { Device } from '../device/device.ts'

/** A user's device, controlled by a test. */
export interface TestDevice {
  /** The pending requests, newest first. */
  pending(): Promise<readonly DeviceRequest[]>
  /** Approves the newest request, with the number from its web page. @throws {Error} when no request is pending. */
  approve(): Promise<void>
  deny(): Promise<void>
  /** "It wasn’t me." */
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
    if (!request) throw new Error(`No request is pending for ${account.user.username}. Open the challenge page first.`)
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
