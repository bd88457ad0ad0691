export interface KeyFacts {
  readonly extractable: boolean
  readonly exported: string
}

/** Runs in the page: tries to read out every key that is kept there. */
export async function readKeys(): Promise<readonly KeyFacts[]> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open('second-factor')
    request.addEventListener('success', () => resolve(request.result))
  })
  const accounts = await new Promise<Record<string, unknown>[]>((resolve) => {
    const request = database.transaction('accounts').objectStore('accounts').getAll()
    request.addEventListener('success', () => resolve(request.result))
  })
  const keys = accounts.flatMap((account) => Object.values(account)).filter((value) => value instanceof CryptoKey)
  return Promise.all(
    keys.map(async (key) => ({
      extractable: key.extractable,
      exported: await crypto.subtle.exportKey('jwk', key).then(
        () => 'exported',
        (error: DOMException) => error.name,
      ),
    })),
  )
}
