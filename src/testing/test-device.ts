import type { Client } from '../client/client.ts'
import type { ApprovalDecision } from '../contract/approval-facts.ts'
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
  /**
   * Answers a pending approval of an action, with the number from its page. @param action Its title or id; by default the newest one.
   * @param decision By default, `approve`. @throws {Error} when no such approval is pending.
   */
  approveAction(action?: string, decision?: ApprovalDecision): Promise<void>
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

  async function approveAction(action?: string, decision: ApprovalDecision = 'approve'): Promise<void> {
    const { approvals = [] } = await core.requests(account)
    const approval = approvals.find(
      ({ id, content }) => action === undefined || id === action || titleOf(content) === action,
    )
    if (!approval) throw new Error(`No such approval is pending for ${account.user.username}.`)
    const { number } = decision === 'approve' ? await client.approvals.get(domainId, approval.id) : {}
    await core.answerApproval(account, approval, { decision, ...(number === undefined ? {} : { number }) })
  }

  return Object.freeze({
    approveAction,
    pending,
    approve: () => answer('approve'),
    deny: () => answer('deny'),
    report: () => answer('report'),
  })
}

const titleOf = (content: string): unknown => (JSON.parse(content) as { title?: unknown }).title
