import type { Client } from '../client/client.ts'
import type { ApprovalDecision } from '../contract/approval-facts.ts'
import type { Decision } from '../contract/device.ts'
import type { DeviceApproval, DeviceRequest } from '../contract/device-answers.ts'
import type { Account } from '../device/account.ts'
import { readContent } from '../device/approvals.ts'
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
  /** The actions that wait for an approval, newest first. */
  pendingActions(): Promise<readonly PendingAction[]>
  /**
   * Approves an action, and types the number where one is asked for.
   *
   * @param action Its title or its id; without it, the newest one.
   * @throws {Error} when no such action is pending.
   */
  approveAction(action?: string): Promise<void>
  denyAction(action?: string): Promise<void>
  /** "I didn’t ask for this." Blocks the requester for 24 hours. */
  reportAction(action?: string): Promise<void>
}

/** An action as the device shows it. */
export interface PendingAction {
  readonly id: string
  readonly title: string
  readonly details: readonly { readonly label: string; readonly value: string }[]
  /** Who asks. */
  readonly requester: string
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

  const approvals = async () => {
    const list = (await core.requests(account)).approvals ?? []
    return list.map((approval) => ({ approval, action: shownAction(approval) }))
  }

  async function answerAction(decision: ApprovalDecision, name?: string): Promise<void> {
    const list = await approvals()
    const match = list.find(({ action }) => name === undefined || name === action.id || name === action.title)
    if (!match) {
      const titles = list.map(({ action }) => `"${action.title}"`).join(', ')
      const missing = name === undefined ? 'No action waits' : `No action "${name}" waits`
      throw new Error(`${missing} for the approval of ${account.user.username}. Pending: ${titles || 'none'}.`)
    }
    const { approval } = match
    const asksNumber = decision === 'approve' && approval.numberLength > 0
    const { number } = asksNumber ? await client.approvals.get(domainId, approval.id) : {}
    await core.answerApproval(account, approval, { decision, number })
  }

  return Object.freeze({
    pending,
    approve: () => answer('approve'),
    deny: () => answer('deny'),
    report: () => answer('report'),
    pendingActions: async () => (await approvals()).map(({ action }) => action),
    approveAction: (action?: string) => answerAction('approve', action),
    denyAction: (action?: string) => answerAction('deny', action),
    reportAction: (action?: string) => answerAction('report', action),
  })
}

function shownAction(approval: DeviceApproval): PendingAction {
  const content = readContent(approval)
  if (!content)
    throw new Error(`The test device cannot show the content of ${approval.id}. It has to be of this version.`)
  const { title, details, requester } = content
  return { id: approval.id, title, details, requester: requester.name }
}
