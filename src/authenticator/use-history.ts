import { useEffect, useState } from 'preact/hooks'

import type { HistoryEntry } from '../contract/device.ts'
import type { Account } from '../device/account.ts'
import type { Device } from '../device/device.ts'

/** One answer, and for which account it was given. */
export interface Remembered {
  readonly account: Account
  readonly entry: HistoryEntry
}

interface Page {
  readonly account: Account
  readonly entries: readonly HistoryEntry[]
  readonly more: boolean
}

export interface AnsweredHistory {
  /** Of all accounts, newest first; undefined while it is read. */
  readonly answers: readonly Remembered[] | undefined
  /** Of some account it could not be read. */
  readonly troubled: boolean
  /** Reads older ones; absent where there are none. */
  readonly older: (() => Promise<void>) | undefined
}

/** What this device answered, as its services know it. */
export function useHistory(device: Device, accounts: readonly Account[]): AnsweredHistory {
  const [pages, setPages] = useState<readonly Page[]>()
  const [troubled, setTroubled] = useState(false)

  async function read(page: Page): Promise<Page> {
    try {
      const { entries, more } = await device.history(page.account, { before: page.entries.at(-1) })
      return { account: page.account, entries: [...page.entries, ...entries], more }
    } catch {
      // Said for all of them at once: the rest is shown.
      setTroubled(true)
      return page
    }
  }
  async function readOn(page: Page) {
    const longer = await read(page)
    setPages((before) => before?.map((each) => (each === page ? longer : each)))
  }

  useEffect(() => {
    let late = false
    const start = async () => {
      const first = await Promise.all(accounts.map((account) => read({ account, entries: [], more: false })))
      if (!late) setPages(first)
    }
    void start()
    return () => void (late = true)
  }, [device])

  const frontier = pages && frontierOf(pages)
  return {
    answers: pages
      ?.flatMap(answersOf)
      .filter(({ entry }) => !frontier || entry.settledAt >= frontier.since)
      .sort(byTime),
    troubled,
    older: frontier && (() => readOn(frontier.page)),
  }
}

/** How far back all of it is known, and whose page is to be read to get further. */
function frontierOf(pages: readonly Page[]): { readonly page: Page; readonly since: number } | undefined {
  const unread = pages
    .filter(({ more }) => more)
    .map((page) => ({ page, since: page.entries.at(-1)?.settledAt ?? Number.POSITIVE_INFINITY }))
  return unread.sort((a, b) => b.since - a.since)[0]
}

const answersOf = ({ account, entries }: Page): Remembered[] => entries.map((entry) => ({ account, entry }))

const byTime = (a: Remembered, b: Remembered) => b.entry.settledAt - a.entry.settledAt
