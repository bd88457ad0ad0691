import { type Clock, systemClock } from '../../clock.ts'
import { type Account, asksFor } from '../../device/account.ts'
import { currentCode } from '../../device/offline-code.ts'
import { canAsk } from './ask.ts'
import { exitCode } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { pinOf } from './pin.ts'
import type { PinSettings } from './pin.ts'
import { accountName, printRows } from './print.ts'

export interface CodeSettings extends PinSettings {
  readonly json?: boolean
}

/** Prints the offline code of each account. The JSON is a promise to scripts: members are added, never changed. */
export async function code(
  accounts: readonly Account[],
  settings: CodeSettings,
  clock: Clock = systemClock,
): Promise<void> {
  if (settings.pinStdin && accounts.filter((account) => asksFor(account)).length > 1) {
    throw new Failure('Several accounts have a PIN or passcode of their own. Name one of them.', exitCode.usage)
  }
  const codes = []
  for (const account of accounts) codes.push(...(await codeOf(account, settings, clock)))
  if (codes.length === 0) {
    throw new Failure('These accounts have no offline codes. Remove them and activate them anew with a new code.')
  }
  if (settings.json) {
    console.log(JSON.stringify({ codes: codes.map(({ account, ...rest }) => ({ account: account.id, ...rest })) }))
    return
  }
  for (const { account, code: digits, expiresAt } of codes) {
    printRows([
      ['Account', accountName(account)],
      ['Code', `${digits.slice(0, 3)} ${digits.slice(3)}`],
      ['Left', `${expiresAt - clock.now()} seconds`],
    ])
  }
  if (codes.some(({ account }) => asksFor(account))) {
    // Nothing on this machine could tell, so that nobody can guess here; the service can.
    console.error('After a mistyped PIN or passcode there is a code as well, but it does not work.')
  }
}

/** One after the other, as each may have to be asked for. With the code of the moment after that. */
async function codeOf(account: Account, settings: CodeSettings, clock: Clock) {
  if (asksFor(account) && !canAsk() && !settings.pinStdin) {
    console.error(`${accountName(account)}: asks for its PIN or passcode. Pipe it in and add --pin-stdin.`)
    return []
  }
  if (canAsk() && asksFor(account)) console.log(accountName(account))
  const pin = await pinOf(account, settings)
  const found = await currentCode(account, clock.now(), pin)
  return found ? [{ account, code: found.code, expiresAt: found.expiresAt }] : []
}
