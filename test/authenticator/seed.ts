import type { Page } from 'playwright-core'

import { devicePaths } from '../../src/contract/device.ts'
import { Activated } from '../../src/contract/device-answers.ts'
import { preview } from '../../src/device/activate.ts'
import { fromBase32 } from '../../src/ground/base32.ts'
import { createKeyPair, exportPrivateKey, exportPublicKey } from '../../src/device/keys.ts'
import { DeviceOptions } from '../../src/device/options.ts'
import { parseContent } from '../../src/device/send.ts'
import { signedCall } from '../../src/device/signed-call.ts'

const device = DeviceOptions.parse({ extractableKeys: true })

/**
 * Adds an account to the open app, which finds it as one that another tab has added.
 * @param pin Where the domain requires one. Then the account has no offline codes, whose lock takes long.
 */
export async function seedAccount(page: Page, serviceUrl: string, code: string, pin?: string): Promise<void> {
  await page.mainFrame().evaluate(store, [await activate(serviceUrl, code, pin)])
}

/** The same for several accounts. */
export async function seedAccounts(page: Page, serviceUrl: string, codes: readonly string[]): Promise<void> {
  const seeds: Seed[] = []
  // One after another, as they are listed in this order.
  for (const code of codes) seeds.push(await activate(serviceUrl, code))
  await page.mainFrame().evaluate(store, seeds)
}

async function activate(serviceUrl: string, code: string, pin?: string): Promise<Seed> {
  const { service } = await preview(device, serviceUrl, code)
  const { privateKey, publicKey } = await createKeyPair(true)
  const signer = { serviceUrl, service, privateKey, clockOffset: 0 }
  const content = { code, name: 'Chrome on Linux', key: await exportPublicKey(publicKey), ...(pin && { pin }) }
  const response = await signedCall(device, signer, { method: 'POST', path: devicePaths.activate, content })
  const { device: id, codes, ...activated } = await parseContent(response, Activated)
  const { clockOffset } = signer
  return {
    account: { ...activated, id, service, serviceUrl, clockOffset },
    key: await exportPrivateKey(privateKey),
    secret: pin === undefined ? [...fromBase32(codes.secret)] : undefined,
  }
}

interface Seed {
  readonly account: object
  readonly key: JsonWebKey
  readonly secret: readonly number[] | undefined
}

/** Runs in the page: stores keys as the app does, so that they cannot be exported. */
async function store(seeds: readonly Seed[]): Promise<void> {
  const { subtle } = crypto
  const hmac = { name: 'HMAC', hash: 'SHA-1' }
  const accounts = await Promise.all(
    seeds.map(async ({ account, key, secret }) => ({
      ...account,
      privateKey: await subtle.importKey('jwk', key, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']),
      ...(secret && { codeSecret: await subtle.importKey('raw', new Uint8Array(secret), hmac, false, ['sign']) }),
    })),
  )
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open('second-factor', 1)
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('accounts', { keyPath: 'id' }))
    opening.addEventListener('success', () => resolve(opening.result))
  })
  const transaction = database.transaction('accounts', 'readwrite')
  const accountStore = transaction.objectStore('accounts')
  const counting = accountStore.count()
  counting.addEventListener('success', () =>
    accounts.forEach((account, index) => accountStore.put({ ...account, position: counting.result + index })),
  )
  await new Promise((resolve) => transaction.addEventListener('complete', resolve))
  database.close()
  const channel = new BroadcastChannel('second-factor-accounts')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel never leaves its origin
  channel.postMessage('changed')
  channel.close()
}
