import { CodeAlgorithm, CodeDigits, CodePeriod } from '../../../../contract/hardware.ts'
import type { CodeParameters } from '../../../../contract/hardware.ts'
import type { ImportedApp } from '../../../../contract/imported-factors.ts'
import { KeyUriError, parseKeyUri } from '../../../../contract/key-uri.ts'
import { algorithmNamed, numberIn } from '../../../../ground/code-words.ts'
import { hexSeed } from '../../../../ground/seed-encoding.ts'
import { textOf } from './fields.ts'
import type { Said } from './fields.ts'
import type { OpenSecret } from './better-auth.ts'
import type { Key, SecretEncoding, Source } from './sources.ts'

/** What the person who imports says of a file that does not say it itself. */
export interface CodeSettings extends Partial<CodeParameters> {
  /** How secrets are written in a column that does not say it. */
  readonly encoding?: SecretEncoding | undefined
  /** Opens encrypted secrets. */
  readonly open?: OpenSecret | undefined
}

type Refused = { readonly reason: string }

/** The app of a row; `assumed` where a default was taken for one of its parameters. */
export type ReadApp = { readonly app: ImportedApp; readonly assumed: boolean } | Refused

/** An import takes shorter seeds than RFC 4226 requires (section 4, R6): people have them already. Bytes. */
const [minSeedLength, maxSeedLength] = [10, 64]

export const counterBased = 'it is a counter-based app (HOTP): only hardware tokens can be'

/** The defaults of RFC 6238, and of all sources. */
const defaults: CodeParameters = { algorithm: 'SHA1', digits: 6, period: 30 }

const isRefused = (value: object): value is Refused => 'reason' in value

/** @returns undefined for a row without an app. The reasons never quote a row: it holds a secret. */
export function readApp(said: Said, source: Source, settings: CodeSettings): ReadApp | undefined {
  const uri = textOf(said.uri)
  if (uri === undefined) return { reason: 'otpauth: is no text' }
  const fromUri = uri === '' ? undefined : readUri(uri)
  if (fromUri && isRefused(fromUri)) return fromUri
  const keys = keysOf(said, source, settings)
  if (isRefused(keys)) return keys
  const all = fromUri ? [keyOfUri(fromUri), ...keys] : keys
  const [key, ...others] = all
  if (!key) return undefined
  if (others.some(({ bytes }) => !bytes.equals(key.bytes))) return { reason: 'its secrets are different ones' }
  if (key.bytes.length < minSeedLength || key.bytes.length > maxSeedLength)
    return { reason: `the secret is not ${minSeedLength} to ${maxSeedLength} bytes long` }
  const parameters = parametersOf(said, fromUri && saidByUri(uri, fromUri, source), source, settings)
  if (isRefused(parameters)) return parameters
  const { algorithm, digits, period, assumed } = parameters
  const bytes = source.lengthen?.(key, algorithm) ?? key.bytes
  return { app: { seed: bytes.toString('hex'), algorithm, digits, period }, assumed }
}

function readUri(uri: string): ImportedApp | Refused {
  try {
    return parseKeyUri(uri)
  } catch (error) {
    if (error instanceof KeyUriError) return { reason: `otpauth: ${error.message}` }
    throw error
  }
}

const keyOfUri = ({ seed }: ImportedApp): Key => ({ bytes: Buffer.from(seed, 'hex'), encoding: 'base32' })

function saidByUri(uri: string, app: ImportedApp, { terseUris }: Source): Partial<CodeParameters> {
  if (!terseUris) return app
  const query = new URLSearchParams(uri.slice(uri.indexOf('?') + 1))
  return Object.fromEntries(parameterNames.filter((name) => query.has(name)).map((name) => [name, app[name]]))
}

const parameterNames = ['algorithm', 'digits', 'period'] as const

/** The keys of all columns with a secret. Their texts must be written as their columns say it. */
function keysOf(said: Said, source: Source, { encoding, open }: CodeSettings): readonly Key[] | Refused {
  const named = encodingNamed(textOf(said.encoding) ?? '?')
  if (named === null) return { reason: 'encoding: is not hex, base32 or text' }
  const unnamed = named ?? encoding ?? source.encoding
  const keys: Key[] = []
  for (const field of ['base32', 'hex', 'text', 'secret'] as const) {
    const text = textOf(said[field])
    if (text === undefined) return { reason: `${field}: is no text` }
    if (text === '') continue
    const written = field === 'secret' ? unnamed : field
    if (written === undefined) return { reason: 'secret: the row does not say how it is written' }
    const key = field === 'secret' && source.sealed ? openedKey(text, written, open) : keyOf(said[field], written)
    if (isRefused(key)) return key
    keys.push(key)
  }
  return keys
}

/** @returns undefined where the row does not say it, and null for an unknown one. */
function encodingNamed(text: string): SecretEncoding | undefined | null {
  const word = text.toLowerCase().replace(/[\s_-]/g, '')
  if (word === '') return undefined
  if (word === 'base32') return 'base32'
  if (word === 'hex' || word === 'hexadecimal') return 'hex'
  return ['ascii', 'utf8', 'text', 'raw'].includes(word) ? 'text' : null
}

/** better-auth marks a secret that it got from another system. */
const ofElsewhere = 'base32:'

function openedKey(sealed: string, encoding: SecretEncoding, open: OpenSecret | undefined): Key | Refused {
  const text = open?.(sealed)
  if (text === undefined) return { reason: 'the secret cannot be decrypted: it is damaged, or --secret is another one' }
  return text.startsWith(ofElsewhere) ? keyOf(text.slice(ofElsewhere.length), 'base32') : keyOf(text, encoding)
}

/** Blanks at the ends of a key of characters are part of it. */
function keyOf(value: unknown, encoding: SecretEncoding): Key | Refused {
  const text = textOf(value) ?? ''
  if (encoding === 'text') return { bytes: Buffer.from(typeof value === 'string' ? value : text, 'utf8'), encoding }
  const hex = hexSeed(text, encoding)
  if (hex === undefined) return { reason: `the secret is not ${encoding === 'hex' ? 'hexadecimal' : 'Base32'}` }
  return { bytes: Buffer.from(hex, 'hex'), encoding }
}

/** Whoever says a parameter, the row, its address, the source or the importing person, must say the same. */
function parametersOf(
  said: Said,
  uri: Partial<CodeParameters> | undefined,
  { fixed }: Source,
  settings: CodeSettings,
): (CodeParameters & { readonly assumed: boolean }) | Refused {
  const columns = columnParameters(said)
  if (isRefused(columns)) return columns
  const chosen: Record<string, unknown> = {}
  let assumed = false
  for (const name of parameterNames) {
    const values = new Set([columns, uri, fixed, settings].flatMap((each) => each?.[name] ?? []))
    if (values.size > 1) return { reason: `${name}: is said twice, and differently` }
    assumed ||= values.size === 0
    ;[chosen[name] = defaults[name]] = values
  }
  return { ...(chosen as unknown as CodeParameters), assumed }
}

function columnParameters(said: Said): Partial<CodeParameters> | Refused {
  const [type, digits, period, algorithm, counter] = [
    textOf(said.type),
    textOf(said.digits),
    textOf(said.period),
    textOf(said.algorithm),
    textOf(said.counter),
  ]
  if (type === undefined || digits === undefined || period === undefined || algorithm === undefined)
    return { reason: 'a parameter is no text' }
  const [kind, typeDigits = ''] = /^(\D*)(\d?)$/.exec(type.toUpperCase())?.slice(1) ?? ['?']
  if (kind === 'HOTP') return { reason: counterBased }
  if (kind !== '' && kind !== 'TOTP') return { reason: 'the type is not TOTP' }
  if (kind === '' && counter !== '') return { reason: 'it has a counter and no type: add the type TOTP' }
  const numbers = new Set([typeDigits, digits].filter((text) => text !== '').map((text) => numberIn(text)))
  if (numbers.size > 1) return { reason: 'type and digits differ' }
  const [length] = numbers
  const hash = algorithm === '' ? undefined : algorithmNamed(algorithm)
  if (algorithm !== '' && !hash) return { reason: 'the hash is not SHA-1, SHA-256 or SHA-512' }
  const duration = period === '' ? undefined : numberIn(period)
  if (length !== undefined && !CodeDigits.safeParse(length).success) return { reason: 'digits: is not 6, 7 or 8' }
  if (duration !== undefined && !CodePeriod.safeParse(duration).success)
    return { reason: 'period: is not 15 to 120 seconds' }
  return {
    ...(hash && { algorithm: CodeAlgorithm.parse(hash) }),
    ...(length !== undefined && { digits: CodeDigits.parse(length) }),
    ...(duration !== undefined && { period: CodePeriod.parse(duration) }),
  }
}
