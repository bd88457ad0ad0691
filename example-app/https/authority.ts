import { randomBytes, X509Certificate } from 'node:crypto'
import { rm } from 'node:fs/promises'

import { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension } from '@peculiar/x509'

import { keptFile } from '../kept-file.ts'
import { createCertificate } from './create-certificate.ts'
import { KeyPair, toDate } from './key-pair.ts'
import { constraintsFor, nameConstraints, permits } from './name-constraints.ts'

const day = 86_400

/** A phone that has forgotten us trusts us no longer than this. Phones want at most 825 days of a certificate, browsers 398. */
const lifetime = 365 * day

/** So long before its end another one is made: nobody's test ends in the middle. */
const margin = 14 * day

/**
 * What certificates of this folder are signed with: made once, and again before it ends or when there is a name it may not
 * sign. Its key never leaves the folder, and is worth nothing to a thief for any other website.
 */
export async function openAuthority(file: string, names: readonly string[], now: number): Promise<KeyPair> {
  const kept = await read(file, names, now)
  if (isFresh(kept, now) && permits(kept.certificate, names)) return kept
  await rm(file)
  return read(file, names, now)
}

async function read(file: string, names: readonly string[], now: number): Promise<KeyPair> {
  const text = await keptFile(file, async () => JSON.stringify(await create(names, now)))
  const parsed = KeyPair.safeParse(parseJson(text))
  if (!parsed.success) throw new Error(`${file} is damaged: remove it; phones then have to trust this computer anew`)
  return parsed.data
}

function isFresh({ certificate }: KeyPair, now: number): boolean {
  return new X509Certificate(certificate).validToDate >= toDate(now + margin)
}

function create(names: readonly string[], now: number): Promise<KeyPair> {
  // Nobody can tell two authorities of one name apart, on a phone that is to forget one of them.
  return createCertificate({
    commonName: `Second Factor example ${randomBytes(3).toString('hex')}`,
    // A phone's clock may be behind.
    notBefore: toDate(now - day),
    notAfter: toDate(now + lifetime),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      nameConstraints(constraintsFor(names)),
    ],
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What cannot be read is damaged, whatever is wrong with it.
    return undefined
  }
}
