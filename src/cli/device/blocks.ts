import type { RequesterBlock } from '../../contract/approval-answers.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { printJson, printTable, shortId } from '../terminal/print.ts'
import { accountName } from './account-name.ts'
import { dateTime, requesterName } from './print-action.ts'

interface AccountBlock {
  readonly account: Account
  readonly block: RequesterBlock
}

/** Prints which requesters the person has blocked. In the JSON, members may be added, but never changed. */
export async function listBlocks(device: Device, accounts: readonly Account[], json: boolean): Promise<void> {
  const blocks = await readBlocks(device, accounts)
  if (json) return printJson({ blocks: blocks.map(({ account, block }) => ({ ...block, account: account.id })) })
  const rows = blocks.map(({ account, block }) => [
    shortId(block.id),
    requesterName(block.requester, block.domain.name),
    dateTime(block.until),
    accountName(account),
  ])
  printTable(['Block', 'Requester', 'Until', 'Account'], rows, 'No requester is blocked.')
}

/** Allows a blocked requester to ask again. @param id The id of the block, or the beginning of it. */
export async function unblock(device: Device, accounts: readonly Account[], id: string): Promise<void> {
  const blocks = await readBlocks(device, accounts)
  const [only, ...otherMatches] = blocks.filter(({ block }) => block.id.startsWith(id.toLowerCase()))
  if (!only) throw new Failure(`No block ${id}. To see all: second-factor device blocks`)
  if (otherMatches.length > 0) throw new Failure('Several blocks match. Type more of the id.', exitCode.usage)
  await device.liftBlock(only.account, only.block)
  console.log(`Allowed again  ${requesterName(only.block.requester, only.block.domain.name)}`)
}

/** A block belongs to the person, so two accounts of one person list it twice: each is shown once. */
async function readBlocks(device: Device, accounts: readonly Account[]): Promise<readonly AccountBlock[]> {
  const lists = await Promise.all(
    accounts.map(async (account) => (await device.blocks(account)).map((block) => ({ account, block }))),
  )
  return [...new Map(lists.flat().map((each) => [each.block.id, each])).values()]
}
