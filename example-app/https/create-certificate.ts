import { randomBytes } from 'node:crypto'

import { PemConverter, X509Certificate, X509CertificateGenerator } from '@peculiar/x509'
import type { Extension } from '@peculiar/x509'

import type { KeyPair } from './key-pair.ts'

/** Small, fast, and supported by every phone. */
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

interface NewCertificate {
  readonly commonName: string
  readonly notBefore: Date
  readonly notAfter: Date
  readonly extensions: readonly Extension[]
  /** The certificate that signs it; by default it is self-signed. */
  readonly issuer?: KeyPair
}

/** Creates a key and its certificate. */
export async function createCertificate(options: NewCertificate): Promise<KeyPair> {
  const { commonName, notBefore, notAfter, extensions, issuer } = options
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const subject = [{ CN: [commonName] }]
  const certificate = await X509CertificateGenerator.create(
    {
      // Positive, and unique for this authority (RFC 5280 section 4.1.2.2).
      serialNumber: `01${randomBytes(15).toString('hex')}`,
      subject,
      issuer: issuer ? new X509Certificate(issuer.certificate).subject : subject,
      notBefore,
      notAfter,
      publicKey: keys.publicKey,
      signingKey: issuer ? await importKey(issuer.key) : keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [...extensions],
    },
    crypto,
  )
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return { certificate: certificate.toString('pem'), key }
}

async function importKey(pem: string): Promise<CryptoKey> {
  const [bytes] = PemConverter.decode(pem)
  if (!bytes) throw new Error('The key of the authority cannot be read.')
  return crypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign'])
}
