import { X509Certificate } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'

import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509'

import { openAuthority } from './authority.ts'
import { createCertificate } from './create-certificate.ts'
import { KeyPair } from './key-pair.ts'

export interface Certificates {
  /** The certificate of the server. */
  readonly server: KeyPair
  /** The certificate that phones have to trust. */
  readonly authority: X509Certificate
}

/**
 * Opens the server's certificate for these host names and addresses. It is stored in the folder, and created again for
 * another name or another authority. It expires with the authority.
 * @param now Unix time, seconds.
 */
export async function openCertificates(folder: string, names: readonly string[], now: number): Promise<Certificates> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const issuer = await openAuthority(join(folder, 'authority.json'), names, now)
  const authority = new X509Certificate(issuer.certificate)
  const file = join(folder, 'server.json')
  const stored = await read(file)
  const server = stored && fits(stored, authority, names) ? stored : await issue(issuer, names)
  if (server !== stored) await replace(file, JSON.stringify(server))
  // The certificate without its key, for browsers on this computer.
  await replace(join(folder, 'authority.crt'), issuer.certificate)
  return { server, authority }
}

/** An unreadable certificate is simply created again. */
async function read(file: string): Promise<KeyPair | undefined> {
  try {
    return KeyPair.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}

function fits({ certificate }: KeyPair, authority: X509Certificate, names: readonly string[]): boolean {
  const ownCertificate = new X509Certificate(certificate)
  const covered = (name: string) =>
    (isIP(name) ? ownCertificate.checkIP(name) : ownCertificate.checkHost(name)) !== undefined
  return ownCertificate.checkIssued(authority) && ownCertificate.verify(authority.publicKey) && names.every(covered)
}

export function issue(issuer: KeyPair, names: readonly string[]): Promise<KeyPair> {
  const { validFromDate, validToDate } = new X509Certificate(issuer.certificate)
  return createCertificate({
    // Not a host name, as that would be checked against the constraints of the authority.
    commonName: 'Second Factor example server',
    notBefore: validFromDate,
    notAfter: validToDate,
    issuer,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
    ],
  })
}

/** Replaces a file atomically, also for another process that starts now. */
async function replace(file: string, content: string): Promise<void> {
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, content, { mode: 0o600 })
  await rename(temporary, file)
}
