import { randomBytes, X509Certificate } from 'node:crypto'
import { rm } from 'node:fs/promises'

import { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension } from '@peculiar/x509'

import { readOrCreateFile } from '../storage/read-or-create-file.ts'
import { createCertificate } from './create-certificate.ts'
import { KeyPair, toDate } from './key-pair.ts'
import { constraintsFor, nameConstraints, permits } from './name-constraints.ts'

const day = 86_400

/** How long a forgotten certificate stays trusted on a phone. Phones accept at most 825 days, browsers 398. */
const lifetime = 365 * day

/** How long before its end it is renewed, so that it does not expire during use. */
const renewBefore = 14 * day

/**
 * The certificate authority of this folder. It is created once, and again before it expires or when it must not sign one of
 * the names. Its key never leaves the folder, and cannot sign certificates for other websites.
 */
export async function openAuthority(file: string, names: readonly string[], now: number): Promise<KeyPair> {
  const stored = await read(file, names, now)
  if (isFresh(stored, now) && permits(stored.certificate, names)) return stored
  await rm(file)
  return read(file, names, now)
}

async function read(file: string, names: readonly string[], now: number): Promise<KeyPair> {
  const text = await readOrCreateFile(file, async () => JSON.stringify(await create(names, now)))
  const parsed = KeyPair.safeParse(parseJson(text))
  if (!parsed.success) throw new Error(`${file} is damaged. Delete it; phones then have to trust this computer again.`)
  return parsed.data
}

function isFresh({ certificate }: KeyPair, now: number): boolean {
  return new X509Certificate(certificate).validToDate >= toDate(now + renewBefore)
}

function create(names: readonly string[], now: number): Promise<KeyPair> {
  // A random name, so that people can tell two authorities apart when they remove one from a phone.
  return createCertificate({
    commonName: `Second Factor example ${randomBytes(3).toString('hex')}`,
    // The clock of a phone may be slow.
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
    // The schema rejects undefined.
    return undefined
  }
}
