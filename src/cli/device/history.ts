import type { HistoryEntry } from '../../contract/device-answers.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { printJson, printTable } from '../terminal/print.ts'
import { accountName } from './account-name.ts'

export interface HistorySettings {
  /** Maximum number of entries per account. */
  readonly limit: number
  readonly json: boolean
}

/** Prints the answers of this device, newest first. In the JSON, members may be added, but never changed. */
export async function history(
  device: Device,
  accounts: readonly Account[],
  { limit, json }: HistorySettings,
): Promise<void> {
  const perAccount = await Promise.all(accounts.map((account) => entriesOf(device, account, limit)))
  const entries = perAccount.flat().sort((a, b) => b.entry.settledAt - a.entry.settledAt)
  if (json) {
    return printJson({ entries: entries.map(({ account, entry }) => ({ ...entry, account: account.id })) })
  }
  const rows = entries.map(({ account, entry }) => [
    dateTime(entry.settledAt),
    answers[entry.reason ?? entry.state] ?? 'Denied',
    entry.purpose === 'change_devices' ? 'Device change' : 'Sign-in',
    accountName(account),
    entry.ipAddress ?? '',
    entry.attributes.map(({ key, value }) => `${key} ${value}`).join(', '),
  ])
  printTable(
    ['Time', 'Answer', 'Request', 'Account', 'From', 'Details'],
    rows,
    'This device has not answered any request in the last 90 days.',
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
