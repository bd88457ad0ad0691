import { styleText } from 'node:util'

import { type Clock, systemClock } from '../../clock.ts'
import { type Account, asksFor } from '../../device/account.ts'
import { printable } from '../../device/printable.ts'
import type { Pending } from './pending.ts'

type Row = readonly [label: string, value: string]

/** One fact per line, aligned. */
export function printRows(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(([label]) => label.length))
  for (const [label, value] of rows) {
    console.log(`${styleText('dim', label.padEnd(width), { stream: process.stdout })}  ${printable(value)}`)
  }
}

/** All that helps to decide. */
export function printRequest({ account, request }: Pending, clock: Clock = systemClock): void {
  const asked = asksFor(account)
  const left = Math.max(0, request.expiresAt - clock.now() - account.clockOffset)
  printRows([
    ['Session', request.id],
    [request.purpose === 'change_devices' ? 'Change devices' : 'Sign-in', `${accountName(account)}?`],
    ...(request.ipAddress === undefined ? [] : [['From', `${request.ipAddress} (reported by the app)`] as const]),
    ...request.attributes.map(({ key, value }) => [printable(key), value] as const),
    ['Time', `${timeOf(request.createdAt)}, ${left} seconds left`],
    ...(asked === undefined ? [] : [['Asks for', `your ${pinWord[asked]}`] as const]),
    ...(request.numberLength > 0 ? [['Number', `${request.numberLength} digits, shown on the web page`] as const] : []),
  ])
}

/** As people call it. */
export const pinWord = { PIN: 'PIN', PASSCODE: 'passcode' } as const

export function accountName({ label, user, domain, organization }: Account): string {
  const own = label === undefined ? '' : `${label}: `
  return printable(`${own}${user.username} at ${domain.name} (${organization.name})`)
}

const timeOf = (seconds: number) => new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(seconds * 1000)
