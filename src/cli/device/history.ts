import type { HistoryEntry } from '../../contract/device.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { printTable } from '../admin/print.ts'
import { accountName } from './print.ts'

export interface HistorySettings {
  /** At most so many of each account. */
  readonly limit: number
  readonly json: boolean
}

/** Prints what this device answered, newest first. The JSON is a promise to scripts: members are added, never changed. */
export async function history(
  device: Device,
  accounts: readonly Account[],
  { limit, json }: HistorySettings,
): Promise<void> {
  const found = await Promise.all(accounts.map((account) => entriesOf(device, account, limit)))
  const entries = found.flat().sort((a, b) => b.entry.settledAt - a.entry.settledAt)
  if (json) {
    const view = { entries: entries.map(({ account, entry }) => ({ ...entry, account: account.id })) }
    console.log(JSON.stringify(view, undefined, 2))
    return
  }
  const rows = entries.map(({ account, entry }) => [
    dateTime(entry.settledAt),
    answers[entry.reason ?? entry.state] ?? 'Denied',
    entry.purpose === 'change_devices' ? 'Change of devices' : 'Sign-in',
    accountName(account),
    entry.ipAddress ?? '',
    entry.attributes.map(({ key, value }) => `${key} ${value}`).join(', '),
  ])
  printTable(
    ['Time', 'Answer', 'About', 'Account', 'From', 'Facts'],
    rows,
    'This device has answered nothing in the last 90 days.',
  )
}

async function entriesOf(device: Device, account: Account, limit: number) {
  const entries: HistoryEntry[] = []
  for (let more = true; more && entries.length < limit;) {
    const page = await device.history(account, { before: entries.at(-1) })
    entries.push(...page.entries)
    more = page.more
  }
  return entries.slice(0, limit).map((entry) => ({ account, entry }))
}

const answers: Readonly<Record<string, string>> = {
  approved: 'Approved',
  user_denied: 'Denied',
  reported: 'Reported',
  wrong_number: 'Wrong number',
}

const dateTime = (seconds: number) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(seconds * 1000)
