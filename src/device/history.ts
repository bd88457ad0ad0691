import { devicePaths } from '../contract/device.ts'
import { History, type HistoryEntry } from '../contract/device-answers.ts'
import type { Account } from './account.ts'
import type { DeviceContext } from './options.ts'
import { parseContent } from './send.ts'
import { signedCall } from './signed-call.ts'

export interface HistoryOptions {
  /** The last entry of the previous page. */
  readonly before?: Pick<HistoryEntry, 'id'> | undefined
}

/** Reads a page of the answers that this device gave. */
export async function history(
  context: DeviceContext,
  account: Account,
  { before }: HistoryOptions = {},
): Promise<History> {
  const response = await signedCall(context, account, {
    method: 'GET',
    path: devicePaths.history,
    ...(before && { content: { before: before.id } }),
  })
  return parseContent(response, History)
}
