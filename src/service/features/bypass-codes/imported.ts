import { createHash } from 'node:crypto'

import { isGuessedRarely, withoutGroups } from '../../../contract/imported-factors.ts'
import type { ImportedCode } from '../../../contract/imported-factors.ts'

/*
 * Recovery codes of another system have forms of their own: `4fgh-82kq`, `QX7PZ4M2`. Each is stored in one form that is sealed like a
 * bypass code of this service. A typed code is compared in every form that it may have been stored in.
 */

/** The form in which an imported code is stored. */
export function importedForm(code: ImportedCode): string {
  if (typeof code !== 'string')
    return 'sha256' in code ? `sha256:${code.sha256.toLowerCase()}` : `sha512:${code.sha512.toLowerCase()}`
  const plain = withoutGroups(code)
  const isOfOneCase = plain === plain.toLowerCase() || plain === plain.toUpperCase()
  return isOfOneCase ? `folded:${plain.toLowerCase()}` : `exact:${plain}`
}

/** The forms in which a code that was typed may be stored. */
export function formsOfTyped(typed: string): string[] {
  if (!isGuessedRarely(typed)) return []
  const plain = withoutGroups(typed)
  return [`folded:${plain.toLowerCase()}`, `exact:${plain}`, ...hashesOf(typed)]
}

/** Hashed codes were hashed as their people got them: with or without a hyphen, in either case. */
function hashesOf(typed: string): string[] {
  const plain = withoutGroups(typed)
  const middle = plain.length / 2
  const written = [typed.trim(), plain, `${plain.slice(0, middle)}-${plain.slice(middle)}`]
  const texts = new Set(written.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()]))
  return [...texts].flatMap((text) => [`sha256:${digest('sha256', text)}`, `sha512:${digest('sha512', text)}`])
}

const digest = (hash: 'sha256' | 'sha512', text: string): string => createHash(hash).update(text).digest('hex')
