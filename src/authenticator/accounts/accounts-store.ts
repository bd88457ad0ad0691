import type { Account } from '../../device/account.ts'

/** An account as it is stored, with the owner's name and order. */
export interface StoredAccount extends Account {
  /** Replaces the domain's name. */
  readonly label?: string
  /** The account's place in the list; absent in old accounts. */
  readonly position?: number
  /** The code that added it, which is used up: its link may be opened again. Absent in old and moved accounts. */
  readonly code?: string
}

/** Stores accounts in this browser. Private keys are stored as key objects, which can be used but not exported. */
export interface AccountsStore {
  list(): Promise<readonly StoredAccount[]>
  /** Adds or replaces accounts, all of them or none. */
  save(...accounts: readonly StoredAccount[]): Promise<void>
  delete(id: string): Promise<void>
  /** Keeps what calls have learned about the clock of this device, for accounts that are still stored. By id, seconds. */
  keepClockOffsets(offsets: ReadonlyMap<string, number>): Promise<void>
  /** Makes sure that an account can be stored, before its code is used up. @throws {DOMException} if not. */
  readonly ensureWritable: () => Promise<void>
  /** Calls back when another tab changed the list. */
  onChange(callback: () => void): () => void
}

const name = 'second-factor'
const accounts = 'accounts'

/** @throws {DOMException} from each call when the browser does not let the page store anything. */
export function createAccountsStore(): AccountsStore {
  const channel = new BroadcastChannel(`${name}-${accounts}`)
  const change = async (action: (store: IDBObjectStore) => IDBRequest | undefined) => {
    await run('readwrite', action)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel never leaves its origin
    channel.postMessage('changed')
  }
  return {
    list: () => run<StoredAccount[]>('readonly', (store) => store.getAll()),
    save: (...changed) => change((store) => changed.map((account) => store.put(account)).at(-1)),
    delete: (id) => change((store) => store.delete(id)),
    async keepClockOffsets(offsets) {
      // Together, so that an account that is removed meanwhile stays removed.
      await run('readwrite', (store) => {
        const stored = store.getAll() as IDBRequest<StoredAccount[]>
        stored.addEventListener('success', () => {
          for (const account of stored.result) {
            store.put({ ...account, clockOffset: offsets.get(account.id) ?? account.clockOffset })
          }
        })
        return stored
      })
    },
    async ensureWritable() {
      await run('readwrite', (store) => {
        store.put({ id: '' })
        return store.delete('')
      })
    },
    onChange(callback) {
      channel.addEventListener('message', callback)
      return () => channel.removeEventListener('message', callback)
    },
  }
}

async function run<T>(
  mode: IDBTransactionMode,
  action: (store: IDBObjectStore) => IDBRequest<T> | undefined,
): Promise<T> {
  const database = await open()
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(accounts, mode, { durability: 'strict' })
      const request = action(transaction.objectStore(accounts))
      transaction.addEventListener('complete', () => resolve(request?.result as T))
      transaction.addEventListener('abort', () => reject(transaction.error))
    })
  } finally {
    database.close()
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(accounts, { keyPath: 'id' }))
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}
