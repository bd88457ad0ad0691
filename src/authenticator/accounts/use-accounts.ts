import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

import { useVisible } from '../hooks/use-visible.ts'
import type { AccountsStore, StoredAccount } from './accounts-store.ts'

export interface Accounts {
  /** The accounts in the owner's order; undefined while they are loaded. */
  readonly list: readonly StoredAccount[] | undefined
  /** Whether the page could not read its keys, whatever the reason: it cannot work without them. */
  readonly unavailable: boolean
  add(account: StoredAccount): Promise<void>
  /** @param label Empty for the domain's own name. */
  rename(id: string, label: string): Promise<void>
  /** One place up or down. */
  move(id: string, by: -1 | 1): Promise<void>
  remove(id: string): Promise<void>
}

/** The accounts of this browser, kept in sync with other tabs. */
export function useAccounts(store: AccountsStore): Accounts {
  const [list, setList] = useState<readonly StoredAccount[]>()
  const [unavailable, setUnavailable] = useState(false)
  const visible = useVisible()
  /** The clock offsets as they are stored. Calls change those of the list. */
  const offsets = useRef<ReadonlyMap<string, number>>(new Map())

  const read = useCallback(async () => {
    try {
      const stored = inOrder(await store.list())
      offsets.current = offsetsOf(stored)
      setList(stored)
      setUnavailable(false)
    } catch {
      setUnavailable(true)
    }
  }, [store])

  useEffect(() => {
    void read()
    return store.onChange(() => void read())
  }, [store, read])
  useEffect(() => {
    // Some browsers lose their storage for a moment, such as while the phone was locked.
    if (unavailable) void read()
  }, [visible])

  useEffect(() => {
    if (!list?.some(({ id, clockOffset }) => clockOffset !== offsets.current.get(id))) return
    offsets.current = offsetsOf(list)
    // Without them, offline codes of a clock that is wrong would be wrong after the next start. Calls learn them again.
    store.keepClockOffsets(offsets.current).catch(() => {})
  })

  async function change(write: (accounts: readonly StoredAccount[]) => Promise<void>) {
    // Reads the stored list first, as another tab may have changed it.
    await write(inOrder(await store.list()))
    await read()
  }

  return {
    list,
    // With the keys that it has read, the page works on.
    unavailable: unavailable && list === undefined,
    add: (account) => change((all) => store.save({ ...account, position: (all.at(-1)?.position ?? -1) + 1 })),
    rename: (id, label) =>
      change((all) =>
        store.save(...all.filter((account) => account.id === id).map((account) => withLabel(account, label))),
      ),
    move: (id, by) => change((all) => store.save(...swapped(all, id, by))),
    remove: (id) => change(() => store.delete(id)),
  }
}

const offsetsOf = (accounts: readonly StoredAccount[]) =>
  new Map(accounts.map(({ id, clockOffset }) => [id, clockOffset]))

/** The name of an account on this device. */
export function nameOf(account: StoredAccount): string {
  return account.label ?? account.domain.name
}

function withLabel(account: StoredAccount, label: string): StoredAccount {
  const trimmed = label.trim()
  if (trimmed !== '' && trimmed !== account.domain.name) return { ...account, label: trimmed }
  const { label: before, ...unnamed } = account
  return before === undefined ? account : unnamed
}

function inOrder(accounts: readonly StoredAccount[]): readonly StoredAccount[] {
  const ordered = [...accounts].sort((a, b) => (a.position ?? -1) - (b.position ?? -1))
  return ordered.map((account, position) => ({ ...account, position }))
}

function swapped(accounts: readonly StoredAccount[], id: string, by: -1 | 1): readonly StoredAccount[] {
  const from = accounts.findIndex((account) => account.id === id)
  const to = from + by
  const positions = new Map([
    [from, to],
    [to, from],
  ])
  if (from < 0 || !accounts[to]) return accounts
  return inOrder(accounts.map((account, index) => ({ ...account, position: positions.get(index) ?? index })))
}
