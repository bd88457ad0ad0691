import type { Page } from 'playwright-core'

import { createDevice } from '../../src/device/device.ts'
import { exportPrivateKey } from '../../src/device/keys.ts'

const device = createDevice({ extractableKeys: true })

/** Adds an account to the open app, which finds it as one that another tab has added. */
export async function seedAccount(page: Page, serviceUrl: string, code: string): Promise<void> {
  const { privateKey, codeSecret, ...account } = await device.activate(serviceUrl, code, { name: 'Chrome on Linux' })
  const [key, secret] = await Promise.all([
    exportPrivateKey(privateKey),
    codeSecret && crypto.subtle.exportKey('jwk', codeSecret),
  ])
  await page.mainFrame().evaluate(store, { account, key, secret })
}

interface Seed {
  readonly account: object
  readonly key: JsonWebKey
  readonly secret: JsonWebKey | undefined
}

/** Runs in the page: stores keys as the app does, so that they cannot be exported. */
async function store({ account, key, secret }: Seed): Promise<void> {
  const load = (jwk: JsonWebKey, algorithm: EcKeyImportParams | HmacImportParams) =>
    crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
  const privateKey = await load(key, { name: 'ECDSA', namedCurve: 'P-256' })
  const codeSecret = secret && (await load(secret, { name: 'HMAC', hash: 'SHA-1' }))
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open('second-factor', 1)
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('accounts', { keyPath: 'id' }))
    opening.addEventListener('success', () => resolve(opening.result))
  })
  const transaction = database.transaction('accounts', 'readwrite')
  const all = transaction.objectStore('accounts')
  const counting = all.count()
  counting.addEventListener('success', () =>
    all.put({ ...account, privateKey, ...(codeSecret && { codeSecret }), position: counting.result }),
  )
  await new Promise((resolve) => transaction.addEventListener('complete', resolve))
  database.close()
  const channel = new BroadcastChannel('second-factor-accounts')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel never leaves its origin
  channel.postMessage('changed')
  channel.close()
}

/**
 * Runs in the page: goes home, and removes what is stored. @returns whether the app is as it was when it was opened without
 * an account.
 */
export async function leaveApp(): Promise<boolean> {
  if (!location.pathname.endsWith('/authenticator/') || !document.querySelector('main')) return false
  if ((history.state as { away?: boolean } | null)?.away) {
    const left = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }))
    history.back()
    await left
  }
  // Runs alone in the page, so it shares nothing with the function above.
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open('second-factor')
    opening.addEventListener('success', () => resolve(opening.result))
  })
  const transaction = database.transaction('accounts', 'readwrite')
  transaction.objectStore('accounts').clear()
  await new Promise((resolve) => transaction.addEventListener('complete', resolve))
  database.close()
  localStorage.clear()
  const channel = new BroadcastChannel('second-factor-accounts')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel never leaves its origin
  channel.postMessage('changed')
  channel.close()
  for (let waited = 0; waited < 20; waited++) {
    if (document.querySelector('.welcome + .sentence'))
      return navigator.language.startsWith(document.documentElement.lang)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  return false
}
