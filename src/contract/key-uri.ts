import { algorithmNamed } from '../ground/code-words.ts'
import { CodeDigits, CodePeriod } from './hardware.ts'
import type { CodeAlgorithm, CodeParameters } from './hardware.ts'
import { hexSeed } from '../ground/seed-encoding.ts'

/** An authenticator app, as the address of its QR code describes it. */
export interface DescribedApp extends CodeParameters {
  /** Hexadecimal. */
  readonly seed: string
}

/** The address does not describe an app whose codes the service can check. Its message never quotes the address, which has the secret. */
export class KeyUriError extends Error {
  override name = 'KeyUriError'
}

/**
 * Reads the address of an authenticator app's QR code: https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 *
 * What it leaves out has the defaults of that format: SHA-1, 6 digits, 30 seconds. Parameters that could change codes in a way that
 * is not known here are refused.
 * @throws {KeyUriError}
 */
export function parseKeyUri(text: string): DescribedApp {
  const uri = URL.canParse(text) && text.length <= maxLength ? new URL(text) : undefined
  if (uri?.protocol === 'otpauth-migration:')
    throw new KeyUriError('is an export of a phone, which has the secrets of other sites: export them from the app')
  if (uri?.protocol !== 'otpauth:') throw new KeyUriError('is no otpauth:// address')
  const kind = uri.host.toLowerCase()
  if (kind === 'hotp')
    throw new KeyUriError('is for codes that are counted (HOTP): only apps with a clock can be imported')
  if (kind !== 'totp') throw new KeyUriError('is neither for TOTP nor for HOTP')
  const named = namedOnce(uri.searchParams)
  const seed = hexSeed(named.get('secret') ?? '', 'base32')
  if (seed === undefined) throw new KeyUriError('has no secret in Base32')
  return { seed, ...parametersIn(named) }
}

/** The longest secret has 103 characters: the rest is names. */
const maxLength = 2048

/** What only the screen of the app shows. */
const harmless = new Set(['issuer', 'image', 'icon', 'color', 'label'])
const understood = new Set(['secret', 'algorithm', 'digits', 'period'])

function namedOnce(parameters: URLSearchParams): ReadonlyMap<string, string> {
  const named = new Map<string, string>()
  for (const [key, value] of parameters) {
    const name = key.toLowerCase()
    if (harmless.has(name)) continue
    if (!understood.has(name)) throw new KeyUriError('has a parameter that is not known, which could change its codes')
    if (named.has(name)) throw new KeyUriError(`has ${name} twice`)
    named.set(name, value)
  }
  return named
}

function parametersIn(named: ReadonlyMap<string, string>): CodeParameters {
  const algorithm = algorithmIn(named.get('algorithm') ?? 'SHA1')
  const digits = CodeDigits.safeParse(numberOf(named.get('digits') ?? '6'))
  if (!digits.success) throw new KeyUriError('has a number of digits other than 6, 7 and 8')
  const period = CodePeriod.safeParse(numberOf(named.get('period') ?? '30'))
  if (!period.success) throw new KeyUriError('has a period that is not 15 to 120 seconds')
  return { algorithm, digits: digits.data, period: period.data }
}

function algorithmIn(text: string): CodeAlgorithm {
  const algorithm = algorithmNamed(text)
  if (!algorithm) throw new KeyUriError('has an algorithm other than SHA1, SHA256 and SHA512')
  return algorithm
}

const numberOf = (text: string): number => (/^\d{1,3}$/.test(text) ? Number(text) : Number.NaN)
