import { useCallback, useEffect, useState } from 'preact/hooks'

import type { Account } from '../device/account.ts'
import type { AccountsStore } from './accounts-store.ts'

export interface Accounts {
  /** In the order they were added; undefined while they are read. */
  readonly list: readonly Account[] | undefined
  /** The browser does not let the page store anything. */
  readonly unavailable: boolean
  add(account: Account): Promise<void>
  remove(id: string): Promise<void>
}

/** The accounts of this browser, also as other tabs change them. */
export function useAccounts(store: AccountsStore): Accounts {
  const [list, setList] = useState<readonly Account[]>()
  const [unavailable, setUnavailable] = useState(false)

  const read = useCallback(async () => {
    try {
      setList(await store.list())
    } catch {
      // Whatever the reason, without a place for keys there is nothing this page can do.
      setUnavailable(true)
    }
  }, [store])

  useEffect(() => {
    void read()
    return store.onChange(() => void read())
  }, [store, read])

  return {
    list,
    unavailable,
    async add(account) {
      await store.save(account)
      await read()
    },
    async remove(id) {
      await store.delete(id)
      await read()
    },
  }
}
