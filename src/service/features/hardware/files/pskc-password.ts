import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'

import { base64 } from './base64.ts'
import { FileProblem } from './file-problem.ts'
import { find } from './xml.ts'
import type { XmlElement } from './xml.ts'

/** So many take about two seconds. A file could ask for any number. */
const maxIterations = 2_000_000
/** The keys of the ciphers that are read, bytes. */
const keyLengths = [16, 32]

const hashes: Readonly<Record<string, string>> = {
  '1': 'sha1',
  '224': 'sha224',
  '256': 'sha256',
  '384': 'sha384',
  '512': 'sha512',
}

/**
 * Derives the key of a container from its password by PBKDF2 (RFC 6030 section 6.2, RFC 8018 section 5.2). All numbers are checked
 * before anything is derived.
 * @throws {FileProblem} for another derivation, and for more work than any file needs.
 */
export async function deriveKey(derived: XmlElement, password: string): Promise<Buffer> {
  const method = find(derived, 'KeyDerivationMethod')
  const parameters = find(method, 'PBKDF2-params')
  if (!method?.attributes.get('algorithm')?.endsWith('#pbkdf2') || !parameters) throw unsupported()
  const salt = base64(find(parameters, 'Salt', 'Specified')?.text ?? '')
  const iterations = integer(find(parameters, 'IterationCount'))
  const length = integer(find(parameters, 'KeyLength'))
  const hash = hashOf(find(parameters, 'PRF')?.attributes.get('algorithm'))
  if (!salt || hash === undefined || !keyLengths.includes(length)) throw unsupported()
  if (iterations < 1 || iterations > maxIterations) {
    throw new FileProblem(
      `The file asks for an IterationCount that is not between 1 and ${maxIterations}. Ask for a file with a pre-shared key.`,
    )
  }
  return promisify(pbkdf2)(password, salt, iterations, length, hash)
}

/** HMAC-SHA1 where the file names none (RFC 8018 appendix A.2). */
function hashOf(prf: string | undefined): string | undefined {
  if (prf === undefined) return 'sha1'
  const [, size = ''] = /hmac-?(?:with)?-?sha-?(1|224|256|384|512)$/i.exec(prf) ?? []
  return hashes[size]
}

function integer(element: XmlElement | undefined): number {
  const text = element?.text.trim() ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : 0
}

const unsupported = () =>
  new FileProblem(
    'The file derives its key in a way that is not supported: only PBKDF2 with AES-128 or AES-256 is (RFC 6030 section 6.2). Ask for a file with a pre-shared key.',
  )
