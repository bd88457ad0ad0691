import { type Clock, systemClock } from '../../ground/clock.ts'
import { requiredSecret } from '../../device/account.ts'
import { printable } from '../../ground/printable.ts'
import { printRows } from '../terminal/print.ts'
import type { Pending } from './pending.ts'
import { accountName } from './account-name.ts'
import { pinWord } from './pin-word.ts'

/** Prints a request with everything that helps to decide. */
export function printRequest({ account, request }: Pending, clock: Clock = systemClock): void {
  const kind = requiredSecret(account)
  const remaining = Math.max(0, request.expiresAt - clock.now() - account.clockOffset)
  printRows([
    ['Session', request.id],
    [request.purpose === 'change_devices' ? 'Change devices' : 'Sign-in', `${accountName(account)}?`],
    ...(request.ipAddress === undefined ? [] : [['From', `${request.ipAddress} (unverified)`] as const]),
    ...request.attributes.map(({ key, value }) => [printable(key), value] as const),
    ...(request.neverPassed ? [['Warning', 'new browser'] as const] : []),
    ['Time', `${timeOf(request.createdAt)}, ${remaining} seconds left`],
    ...(kind === undefined ? [] : [['Requires', `your ${pinWord[kind]}`] as const]),
    ...(request.numberLength > 0 ? [['Number', `${request.numberLength} digits, shown on the web page`] as const] : []),
  ])
}

const timeOf = (seconds: number) => new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(seconds * 1000)
