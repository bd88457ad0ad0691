import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

import type { Logger } from '../../service/ground/logger.ts'
import type { Listening, TlsCredentials } from '../../service/http/listen.ts'
import { exitCode } from '../device/exit-codes.ts'
import { Failure } from '../device/failure.ts'

/** Where the certificate and its key are, as given to `serve`. */
export interface TlsFiles {
  readonly tlsCert?: string | undefined
  readonly tlsKey?: string | undefined
}

/**
 * Reads what HTTPS is served with.
 * @returns nothing where no file was named.
 * @throws {Failure} that names the option whose file is wrong.
 */
export function readTls({ tlsCert, tlsKey }: TlsFiles): TlsCredentials | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined) throw new Failure('--tls-key needs --tls-cert, too.', exitCode.usage)
  if (tlsKey === undefined) throw new Failure('--tls-cert needs --tls-key, too.', exitCode.usage)
  const cert = read('--tls-cert', tlsCert)
  const key = read('--tls-key', tlsKey)
  const isPair = parseCertificate(tlsCert, cert).checkPrivateKey(parseKey(tlsKey, key))
  if (!isPair) throw new Failure(`--tls-key: ${tlsKey} is not the key of the certificate in ${tlsCert}.`)
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    const reason = cause instanceof Error && 'reason' in cause ? String(cause.reason) : 'unknown error'
    throw new Failure(`--tls-cert: ${tlsCert} cannot be used: ${reason}.`, undefined, { cause })
  }
  return { cert, key }
}

/** SIGHUP reads both files again. What is wrong with them is logged, and what was served before stays. */
export function reloadTlsOnSignal(files: TlsFiles, listening: Listening, logger: Logger): void {
  process.on('SIGHUP', () => {
    try {
      const credentials = readTls(files)
      if (!credentials) return
      listening.setTls(credentials)
      logger.info(describe(credentials), 'new connections get the certificate that was read just now')
    } catch (error) {
      logger.error({ err: error }, 'the certificate was not reloaded; the previous one is still served')
    }
  })
}

/** Warns of a certificate that clients do not accept, or soon will not. @param now Unix time, seconds. */
export function warnOfExpiry(credentials: TlsCredentials, logger: Logger, now: number): void {
  const { notAfter } = describe(credentials)
  const left = Date.parse(notAfter) / 1000 - now
  if (left <= 0) logger.warn({ notAfter }, 'the certificate of --tls-cert has expired: clients refuse it')
}

function describe({ cert }: TlsCredentials) {
  const { subject, validToDate } = new X509Certificate(cert)
  return { subject, notAfter: validToDate.toISOString() }
}

function parseCertificate(file: string, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    const expected = 'expected a certificate in PEM, with those that it was issued by below it'
    throw new Failure(`--tls-cert: ${file}: ${expected}.`, undefined, { cause })
  }
}

function parseKey(file: string, pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    const isLocked = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MISSING_PASSPHRASE'
    const expected = isLocked ? 'the key has a passphrase, take it off' : 'expected a private key in PEM'
    throw new Failure(`--tls-key: ${file}: ${expected}.`, undefined, { cause })
  }
}

function read(option: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new Failure(
      `${option}: ${file} cannot be read (${code}). Check the path, the owner and the mode.`,
      undefined,
      {
        cause,
      },
    )
  }
}

export const tlsHelp = `

HTTPS:
  --tls-cert and --tls-key are PEM files. SIGHUP reads them again without ending any connection; files that are wrong are
  logged, and what was read before stays. The oldest version of TLS is 1.2. /metrics on --metrics-port stays http.`
