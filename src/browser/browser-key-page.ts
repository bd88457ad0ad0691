/**
 * The key of a browser that its user keeps. It never leaves this browser, and pages of other origins cannot reach it, so a relay
 * cannot sign with it. A script of its own, because most pages need none of it.
 */
import { browserProofText } from '../contract/browser-proof-text.ts'

/** How long the browser may take, ms. A sign-in must not wait for a database that does not open. */
const keyTimeout = 2000

const [store, name] = ['keys', 'browser']

const main = document.querySelector('main')
if (main) void (main.dataset['proof'] === undefined ? offerKey(main) : sendProof(main))

/** The page sends it with what approves the sign-in; it is kept only if the person said so. */
async function offerKey({ dataset }: HTMLElement): Promise<void> {
  const key = await unlessStuck(presentKey().then((storedKey) => storedKey ?? newKey()))
  if (!key) return
  const publicKey = base64url(await crypto.subtle.exportKey('raw', key.publicKey))
  dataset['browserKey'] = publicKey
  for (const field of document.querySelectorAll<HTMLInputElement>('input[name="browserKey"]')) field.value = publicKey
}

/** Signs with the key that there is, and continues. Without one, this is a new browser. */
async function sendProof({ dataset }: HTMLElement): Promise<void> {
  const { base = '', proof = '', token = '', use = '' } = dataset
  const signature = (await unlessStuck(signed(proof))) ?? ''
  try {
    const answer = await fetch(`${base}/browser`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ page: token, use, signature }),
      credentials: 'same-origin',
    })
    const { location: next } = (await answer.json()) as { readonly location?: string }
    location.replace(next ?? base)
  } catch {
    location.replace(`${base}?unproven`)
  }
}

async function signed(proof: string): Promise<string | undefined> {
  const key = await presentKey()
  if (!key) return undefined
  const text = new TextEncoder().encode(browserProofText(proof, location.origin))
  return base64url(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key.privateKey, text))
}

/** Storage may be disabled, and on plain http there are no keys. */
async function unlessStuck<T>(work: Promise<T>): Promise<T | undefined> {
  const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, keyTimeout))
  try {
    return await Promise.race([work, timeout])
  } catch {
    return undefined
  }
}

async function presentKey(): Promise<CryptoKeyPair | undefined> {
  const database = await openDatabase()
  return (await done(database.transaction(store).objectStore(store).get(name))) as CryptoKeyPair | undefined
}

/** If two pages make one at the same time, the first one counts. */
async function newKey(): Promise<CryptoKeyPair | undefined> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
  const database = await openDatabase()
  const added = done(database.transaction(store, 'readwrite').objectStore(store).add(pair, name))
  return added.then(
    () => pair,
    () => presentKey(),
  )
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open('second-factor', 1)
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(store))
  return done(opening)
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('no reason given')))
  })
}

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
