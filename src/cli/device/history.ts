import type { ApprovalEntry, HistoryEntry } from '../../contract/device-answers.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { printJson, printTable } from '../terminal/print.ts'
import { escapedText } from '../../ground/visible-text.ts'
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
  if (json) {
    const entries = newestFirst(perAccount.flatMap((each) => each.entries))
    const approvals = newestFirst(perAccount.flatMap((each) => each.approvals))
    return printJson({
      entries: entries.map(({ account, entry }) => ({ ...entry, account: account.id })),
      approvals: approvals.map(({ account, entry }) => ({ ...entry, account: account.id })),
    })
  }
  // The limit is for both kinds together.
  const shown = perAccount.flatMap(({ entries, approvals }) => newestFirst([...entries, ...approvals]).slice(0, limit))
  const rows = newestFirst(shown).map(rowOf)
  printTable(
    ['Time', 'Answer', 'Request', 'Account', 'From', 'Details'],
    rows,
    'This device has not answered any request in the last 90 days.',
  )
}

interface Answered<Entry> {
  readonly account: Account
  readonly entry: Entry
  /** When it was answered, Unix time, seconds. */
  readonly time: number
}

async function entriesOf(device: Device, account: Account, limit: number) {
  const entries: HistoryEntry[] = []
  const approvals: ApprovalEntry[] = []
  for (let more = true; more && entries.length < limit;) {
    const page = await device.history(account, { before: entries.at(-1) })
    entries.push(...page.entries)
    approvals.push(...(page.approvals ?? []))
    more = page.more
  }
  return {
    entries: entries.slice(0, limit).map((entry) => ({ account, entry, time: entry.settledAt })),
    approvals: approvals.slice(0, limit).map((entry) => ({ account, entry, time: entry.answeredAt })),
  }
}

const newestFirst = <T extends { readonly time: number }>(list: readonly T[]): readonly T[] =>
  list.toSorted((a, b) => b.time - a.time)

function rowOf({ account, entry, time }: Answered<HistoryEntry | ApprovalEntry>): readonly string[] {
  if ('title' in entry) {
    const answer = entry.wrongNumber ? answers['wrong_number'] : decisions[entry.decision]
    return [dateTime(time), answer ?? 'Denied', 'Action', accountName(account), '', escapedText(entry.title)]
  }
  return [
    dateTime(time),
    answers[entry.reason ?? entry.state] ?? 'Denied',
    entry.purpose === 'change_devices' ? 'Device change' : 'Sign-in',
    accountName(account),
    entry.ipAddress ?? '',
    entry.attributes.map(({ key, value }) => `${key} ${value}`).join(', '),
  ]
}

const decisions = { approve: 'Approved', deny: 'Denied', report: 'Reported' } as const

const answers: Readonly<Record<string, string>> = {
  approved: 'Approved',
  user_denied: 'Denied',
  reported: 'Reported',
  wrong_number: 'Wrong number',
}

const dateTime = (seconds: number) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(seconds * 1000)
