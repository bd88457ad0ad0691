import { type Clock, systemClock } from '../../ground/clock.ts'
import { type Account, requiredSecret } from '../../device/account.ts'
import { currentCode } from '../../device/offline-code.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { printRows } from '../terminal/print.ts'
import { canPrompt } from '../terminal/prompt.ts'
import { pinOf } from './pin.ts'
import type { PinSettings } from './pin.ts'
import { accountName } from './account-name.ts'

export interface CodeSettings extends PinSettings {
  readonly json?: boolean
}

/** Prints the offline code of each account. In the JSON, members may be added, but never changed. */
export async function code(
  accounts: readonly Account[],
  settings: CodeSettings,
  clock: Clock = systemClock,
): Promise<void> {
  if (settings.pinStdin && accounts.filter((account) => requiredSecret(account)).length > 1) {
    throw new Failure('Several accounts have their own PIN or passcode. Choose one of them.', exitCode.usage)
  }
  const codes = []
  for (const account of accounts) codes.push(...(await codeOf(account, settings, clock)))
  if (codes.length === 0) {
    throw new Failure('These accounts have no offline codes. Remove them, then activate new codes.')
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
  if (codes.some(({ account }) => requiredSecret(account))) {
    // By design only the service can check the PIN, so that a stolen file does not allow guessing it.
    console.error("If you mistyped the PIN or passcode, the code doesn't work.")
  }
}

/** Accounts are handled one by one, because each may ask for its PIN. */
async function codeOf(account: Account, settings: CodeSettings, clock: Clock) {
  if (requiredSecret(account) && !canPrompt() && !settings.pinStdin) {
    console.error(`${accountName(account)}: requires its PIN or passcode. Pipe it in and add --pin-stdin.`)
    return []
  }
  if (canPrompt() && requiredSecret(account)) console.log(accountName(account))
  const pin = await pinOf(account, settings)
  const currentOtp = await currentCode(account, clock.now(), pin)
  return currentOtp ? [{ account, code: currentOtp.code, expiresAt: currentOtp.expiresAt }] : []
}
