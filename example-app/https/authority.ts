import { randomBytes, X509Certificate } from 'node:crypto'
import { rm } from 'node:fs/promises'

import { generate } from 'selfsigned'

import { keptFile } from '../kept-file.ts'
import { kind, KeyPair, toDate } from './key-pair.ts'

const day = 86_400

/** A phone that has forgotten us trusts us no longer than this. Phones want at most 825 days of a certificate, browsers 398. */
const lifetime = 365 * day

/** So long before its end another one is made: nobody's test ends in the middle. */
const margin = 14 * day

/** What certificates of this folder are signed with: made once, and again before it ends. Its key never leaves the folder. */
export async function openAuthority(file: string, now: number): Promise<KeyPair> {
  const kept = await read(file, now)
  if (isFresh(kept, now)) return kept
  await rm(file)
  return read(file, now)
}

async function read(file: string, now: number): Promise<KeyPair> {
  const text = await keptFile(file, async () => JSON.stringify(await create(now)))
  const parsed = KeyPair.safeParse(parseJson(text))
  if (!parsed.success) throw new Error(`${file} is damaged: remove it; phones then have to trust this computer anew`)
  return parsed.data
}

function isFresh({ certificate }: KeyPair, now: number): boolean {
  return new X509Certificate(certificate).validToDate >= toDate(now + margin)
}

async function create(now: number): Promise<KeyPair> {
  // Nobody can tell two authorities of one name apart, on a phone that is to forget one of them.
  const name = `Second Factor example ${randomBytes(3).toString('hex')}`
  const made = await generate([{ name: 'commonName', value: name }], {
    ...kind,
    // A phone's clock may be behind.
    notBeforeDate: toDate(now - day),
    notAfterDate: toDate(now + lifetime),
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  })
  return { certificate: made.cert, key: made.private }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What cannot be read is damaged, whatever is wrong with it.
    return undefined
  }
}
