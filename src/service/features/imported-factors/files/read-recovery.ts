import type { ImportedCode } from '../../../../contract/imported-factors.ts'
import { isGuessedRarely, maxImportedCodes } from '../../../../contract/imported-factors.ts'
import { parseJson } from '../../../../contract/validate.ts'

/** The recovery codes of a row. */
export interface ReadRecovery {
  readonly codes: readonly ImportedCode[]
  /** How many cannot be imported. */
  readonly refused: number
}

/** The longest code that people type, characters. */
const maxCodeLength = 31

/**
 * Hashes that are slow by design: to compare one code with ten of them would stop the event loop for a second. All have
 * their name in front, except that of better-auth (scrypt): the salt and the key.
 */
const slowHash =
  /^(?:\$(?:2[abxy]?|argon2\w*|scrypt|s0|7|pbkdf2[\w-]*|[1567y])\$|(?:pbkdf2|scrypt|bcrypt|argon2)[\w-]*[:$]|[0-9a-f]{32}:[0-9a-f]{128}$)/i

/** Reads codes: a list, or a text with a list or with blanks, commas or semicolons between the codes. */
export function readRecovery(value: unknown): ReadRecovery {
  const listed = listOf(value)
  const codes: ImportedCode[] = []
  let refused = 0
  const known = new Set<string>()
  for (const each of listed) {
    const code = codeOf(each)
    const key = JSON.stringify(code)
    if (code === undefined || (codes.length >= maxImportedCodes && !known.has(key))) refused += 1
    else if (!known.has(key)) {
      known.add(key)
      codes.push(code)
    }
  }
  return { codes, refused }
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === '') return []
  if (Array.isArray(value)) return value
  if (typeof value !== 'string') return [value]
  const text = value.trim()
  const list = text.startsWith('[') ? parseJson(text) : undefined
  if (Array.isArray(list)) return list
  // PostgreSQL writes its arrays in braces.
  const listed = /^\{([^{}:[\]]*)\}$/.exec(text)?.[1]?.replaceAll('"', '') ?? text
  // Words and punctuation around the codes would be codes that every person has.
  return /[{}[\]()"']|:\s|:$/.test(listed) ? [undefined] : splitCodes(listed)
}

const splitCodes = (text: string) => text.split(/[\s,;|]+/).filter((code) => code !== '')

/** @returns undefined for a code that cannot be imported. */
function codeOf(value: unknown): ImportedCode | undefined {
  if (typeof value === 'object' && value !== null) {
    const { sha256, sha512 } = value as { readonly sha256?: unknown; readonly sha512?: unknown }
    return hashOf(typeof sha256 === 'string' ? sha256 : sha512)
  }
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return undefined
  const code = text.trim()
  if (slowHash.test(code)) return undefined
  const [, hash = code] = /^sha-?(?:256|512)[:$]([0-9a-f]+)$/i.exec(code) ?? []
  // A longer text is no code that a person types: it may be a hash, and would be stored as if it were the code itself.
  return hashOf(hash) ?? (hash === code && isTyped(code) ? code : undefined)
}

/** Not a word, which may be a placeholder that every person has. */
const isTyped = (code: string) =>
  code.length <= maxCodeLength && /^[\dA-Za-z-]+$/.test(code) && !isWord(code) && isGuessedRarely(code)

const isWord = (code: string) => !/\d/.test(code) && (code === code.toLowerCase() || code === code.toUpperCase())

function hashOf(value: unknown): ImportedCode | undefined {
  if (typeof value !== 'string' || !/^[0-9a-f]+$/i.test(value)) return undefined
  const hash = value.toLowerCase()
  if (hash.length === 64) return { sha256: hash }
  return hash.length === 128 ? { sha512: hash } : undefined
}
