import { useEffect, useState } from 'preact/hooks'

import type { ApprovalEntry, HistoryEntry } from '../../contract/device-answers.ts'
import type { CallEntry, CallState } from '../../contract/phone-calls.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'

/** An answer, with its account. */
export interface AccountAnswer {
  readonly account: Account
  readonly entry: HistoryEntry & { readonly call?: CallState; readonly approval?: ApprovalEntry }
}

interface Page {
  readonly account: Account
  readonly entries: readonly HistoryEntry[]
  readonly calls: readonly CallEntry[]
  readonly approvals: readonly ApprovalEntry[]
  readonly more: boolean
}

export interface AnsweredHistory {
  /** The answers of all accounts, newest first; undefined while they are loaded. */
  readonly answers: readonly AccountAnswer[] | undefined
  /** Whether the history of an account could not be loaded. */
  readonly failed: boolean
  /** Loads older answers; undefined when there are none. */
  readonly loadOlder: (() => Promise<void>) | undefined
}

/** The answers that this device gave, as its services store them. */
export function useHistory(device: Device, accounts: readonly Account[]): AnsweredHistory {
  const [pages, setPages] = useState<readonly Page[]>()
  const [failed, setFailed] = useState(false)

  async function read(page: Page): Promise<Page> {
    try {
      const { account } = page
      const answered = await device.history(account, { before: page.entries.at(-1) })
      const { entries, more, calls = page.calls, approvals = page.approvals } = answered
      return { account, entries: [...page.entries, ...entries], calls, approvals, more }
    } catch {
      // One message for all accounts; the others are shown.
      setFailed(true)
      return page
    }
  }
  async function extend(page: Page) {
    const longer = await read(page)
    setPages((before) => before?.map((each) => (each === page ? longer : each)))
  }

  useEffect(() => {
    let isUnmounted = false
    const start = async () => {
      const empty = { entries: [], calls: [], approvals: [], more: false }
      const first = await Promise.all(accounts.map((account) => read({ account, ...empty })))
      if (!isUnmounted) setPages(first)
    }
    void start()
    return () => void (isUnmounted = true)
  }, [device])

  const frontier = pages && frontierOf(pages)
  return {
    answers: pages
      ?.flatMap(answersOf)
      .filter(({ entry }) => !frontier || entry.settledAt >= frontier.since)
      .sort(byTime),
    failed,
    loadOlder: frontier && (() => extend(frontier.page)),
  }
}

/** The time back to which all accounts are complete, and the page to extend next; undefined when everything is loaded. */
function frontierOf(pages: readonly Page[]): { readonly page: Page; readonly since: number } | undefined {
  const unread = pages
    .filter(({ more }) => more)
    .map((page) => ({ page, since: page.entries.at(-1)?.settledAt ?? Number.POSITIVE_INFINITY }))
  return unread.sort((a, b) => b.since - a.since)[0]
}

/** A call or an approval is shown like a request, with words of its own. */
const answersOf = ({ account, entries, calls, approvals }: Page): AccountAnswer[] =>
  [...entries, ...calls.map(shownCall), ...approvals.map(shownApproval)].map((entry) => ({ account, entry }))

const shownCall = ({ state, ...call }: CallEntry): AccountAnswer['entry'] => ({
  ...call,
  attributes: [],
  state: state === 'confirmed' ? 'approved' : 'denied',
  call: state,
})

const shownApproval = (approval: ApprovalEntry): AccountAnswer['entry'] => ({
  ...approval,
  attributes: [],
  state: approval.decision === 'approve' && !approval.wrongNumber ? 'approved' : 'denied',
  ...(approval.decision === 'report' && { reason: 'reported' }),
  ...(approval.wrongNumber && { reason: 'wrong_number' }),
  settledAt: approval.answeredAt,
  approval,
})

const byTime = (a: AccountAnswer, b: AccountAnswer) => b.entry.settledAt - a.entry.settledAt
