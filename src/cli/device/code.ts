import { type Clock, systemClock } from '../../clock.ts'
import type { Account } from '../../device/account.ts'
import { currentCode } from '../../device/offline-code.ts'
import { Failure } from './failure.ts'
import { accountName, printRows } from './print.ts'

/** Prints the offline code of each account. The JSON is a promise to scripts: members are added, never changed. */
export async function code(accounts: readonly Account[], json: boolean, clock: Clock = systemClock): Promise<void> {
  const now = clock.now()
  const found = await Promise.all(accounts.map((account) => codeOf(account, now)))
  const codes = found.flat()
  if (codes.length === 0) {
    throw new Failure('These accounts have no offline codes. Remove them and activate them anew with a new code.')
  }
  if (json) {
    console.log(JSON.stringify({ codes: codes.map(({ account, ...rest }) => ({ account: account.id, ...rest })) }))
    return
  }
  for (const { account, code: digits, expiresAt } of codes) {
    printRows([
      ['Account', accountName(account)],
      ['Code', `${digits.slice(0, 3)} ${digits.slice(3)}`],
      ['Left', `${expiresAt - now} seconds`],
    ])
  }
}

async function codeOf(account: Account, now: number) {
  const found = await currentCode(account, now)
  return found ? [{ account, code: found.code, expiresAt: found.expiresAt }] : []
}
