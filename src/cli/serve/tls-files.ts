import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

import type { Logger } from '../../service/engine/base/logger.ts'
import type { Listening, TlsCredentials } from '../../service/engine/http/listen.ts'
import { exitCode, Failure } from '../terminal/failure.ts'

/** Paths of the certificate and its key. */
export interface TlsFiles {
  readonly tlsCert?: string | undefined
  readonly tlsKey?: string | undefined
}

/**
 * Reads the certificate and key for HTTPS.
 * @returns undefined when neither option is set.
 * @throws {Failure} that names the option with the invalid file.
 */
export function readTls({ tlsCert, tlsKey }: TlsFiles): TlsCredentials | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined) throw new Failure('--tls-key also requires --tls-cert.', exitCode.usage)
  if (tlsKey === undefined) throw new Failure('--tls-cert also requires --tls-key.', exitCode.usage)
  const cert = read('--tls-cert', tlsCert)
  const key = read('--tls-key', tlsKey)
  const isPair = parseCertificate(tlsCert, cert).checkPrivateKey(parseKey(tlsKey, key))
  if (!isPair) throw new Failure(`--tls-key: ${tlsKey} does not match the certificate in ${tlsCert}.`)
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    const reason = cause instanceof Error && 'reason' in cause ? String(cause.reason) : 'unknown error'
    throw new Failure(`--tls-cert: can't use ${tlsCert}: ${reason}.`, undefined, { cause })
  }
  return { cert, key }
}

/** Reads both files again on SIGHUP. Invalid files are logged, and the previous certificate stays in use. */
export function reloadTlsOnSignal(files: TlsFiles, listening: Listening, logger: Logger): void {
  process.on('SIGHUP', () => {
    try {
      const credentials = readTls(files)
      if (!credentials) return
      listening.setTls(credentials)
      logger.info(describe(credentials), 'certificate reloaded; new connections use it')
    } catch (error) {
      logger.error({ err: error }, 'certificate not reloaded; the previous certificate stays in use')
    }
  })
}

/** Warns about an expired certificate. @param now Unix time, seconds. */
export function warnOfExpiry(credentials: TlsCredentials, logger: Logger, now: number): void {
  const { notAfter } = describe(credentials)
  if (Date.parse(notAfter) / 1000 <= now) {
    logger.warn({ notAfter }, 'the certificate of --tls-cert has expired: clients reject it')
  }
}

function describe({ cert }: TlsCredentials) {
  const { subject, validToDate } = new X509Certificate(cert)
  return { subject, notAfter: validToDate.toISOString() }
}

function parseCertificate(file: string, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    const expected = 'expected a PEM certificate, followed by its intermediate certificates'
    throw new Failure(`--tls-cert: ${file}: ${expected}.`, undefined, { cause })
  }
}

function parseKey(file: string, pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    const isEncrypted = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MISSING_PASSPHRASE'
    const expected = isEncrypted ? 'the key has a passphrase; remove it' : 'expected a PEM private key'
    throw new Failure(`--tls-key: ${file}: ${expected}.`, undefined, { cause })
  }
}

function read(option: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new Failure(`${option}: can't read ${file} (${code}). Check the path, its owner and its mode.`, undefined, {
      cause,
    })
  }
}

export const tlsHelp = `

HTTPS:
  --tls-cert and --tls-key are PEM files. SIGHUP reads them again without closing connections; if a file is invalid, the
  error is logged and the previous certificate stays in use. The minimum TLS version is 1.2. A certificate with an ECDSA
  key takes less processor time than one with RSA. --metrics-port always serves http.`
