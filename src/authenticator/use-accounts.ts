import { useCallback, useEffect, useState } from 'preact/hooks'

import type { Account } from '../device/account.ts'
import type { AccountsStore, KeptAccount } from './accounts-store.ts'

export interface Accounts {
  /** As their owner arranged them; undefined while they are read. */
  readonly list: readonly KeptAccount[] | undefined
  /** The browser does not let the page store anything. */
  readonly unavailable: boolean
  add(account: Account): Promise<void>
  /** @param label Nothing for the domain's own name. */
  rename(id: string, label: string): Promise<void>
  /** One place up or down. */
  move(id: string, by: -1 | 1): Promise<void>
  remove(id: string): Promise<void>
}

/** The accounts of this browser, also as other tabs change them. */
export function useAccounts(store: AccountsStore): Accounts {
  const [list, setList] = useState<readonly KeptAccount[]>()
  const [unavailable, setUnavailable] = useState(false)

  const read = useCallback(async () => {
    try {
      setList(arranged(await store.list()))
    } catch {
      // Whatever the reason, without a place for keys there is nothing this page can do.
      setUnavailable(true)
    }
  }, [store])

  useEffect(() => {
    void read()
    return store.onChange(() => void read())
  }, [store, read])

  async function change(write: (accounts: readonly KeptAccount[]) => Promise<void>) {
    // As it is kept now: another tab may have changed it a moment ago.
    await write(arranged(await store.list()))
    await read()
  }

  return {
    list,
    unavailable,
    add: (account) => change((all) => store.save({ ...account, position: (all.at(-1)?.position ?? -1) + 1 })),
    rename: (id, label) =>
      change((all) => store.save(...all.filter((account) => account.id === id).map((one) => relabelled(one, label)))),
    move: (id, by) => change((all) => store.save(...swapped(all, id, by))),
    remove: (id) => change(() => store.delete(id)),
  }
}

/** What an account is called on this device. */
export function nameOf(account: KeptAccount): string {
  return account.label ?? account.domain.name
}

function relabelled(account: KeptAccount, label: string): KeptAccount {
  const given = label.trim()
  if (given !== '' && given !== account.domain.name) return { ...account, label: given }
  const { label: before, ...unnamed } = account
  return before === undefined ? account : unnamed
}

function arranged(accounts: readonly KeptAccount[]): readonly KeptAccount[] {
  const ordered = [...accounts].sort((a, b) => (a.position ?? -1) - (b.position ?? -1))
  return ordered.map((account, position) => ({ ...account, position }))
}

function swapped(accounts: readonly KeptAccount[], id: string, by: -1 | 1): readonly KeptAccount[] {
  const from = accounts.findIndex((account) => account.id === id)
  const [one, other] = [accounts[from], accounts[from + by]]
  return one && other
    ? arranged([{ ...one, position: from + by }, { ...other, position: from }, ...rest(accounts, one, other)])
    : accounts
}

function rest(accounts: readonly KeptAccount[], ...without: readonly KeptAccount[]): readonly KeptAccount[] {
  return accounts.filter((account) => !without.includes(account))
}
