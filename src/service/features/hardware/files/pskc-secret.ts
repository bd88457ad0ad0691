import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

import { FileProblem } from './file-problem.ts'
import { find } from './xml.ts'
import type { XmlElement } from './xml.ts'

/** Reads the value of an element, plain or encrypted. Returns undefined for a value that is invalid or fails its MAC. */
export type OpenValue = (element: XmlElement) => Buffer | undefined

const ciphers: Readonly<Record<string, { readonly name: string; readonly keyLength: number }>> = {
  'http://www.w3.org/2001/04/xmlenc#aes128-cbc': { name: 'aes-128-cbc', keyLength: 16 },
  'http://www.w3.org/2001/04/xmlenc#aes256-cbc': { name: 'aes-256-cbc', keyLength: 32 },
}

const macs: Readonly<Record<string, string>> = {
  'http://www.w3.org/2000/09/xmldsig#hmac-sha1': 'sha1',
  'http://www.w3.org/2001/04/xmldsig-more#hmac-sha1': 'sha1',
  'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256': 'sha256',
}

/**
 * Creates a reader for the values of a container (RFC 6030 section 6).
 * @param head What the container says about its encryption.
 * @param key The pre-shared key, if there is one.
 * @throws {FileProblem} when the key does not match the container.
 */
export function valueOpener(head: readonly XmlElement[], key: Buffer | undefined): OpenValue {
  const encryption = head.find(({ name }) => name === 'EncryptionKey')
  const method = head.find(({ name }) => name === 'MACMethod')
  if (find(encryption, 'DerivedKey')) {
    throw new FileProblem(
      'The file is encrypted with a password, which is not supported. Ask for a file with a pre-shared key.',
    )
  }
  if (!encryption && !method) return (element) => plainValue(element)
  if (!key) throw new FileProblem('The file is encrypted. Enter its pre-shared key.', 'key_missing')
  const mac = macOf(method, key)
  return (element) => plainValue(element) ?? encryptedValue(element, key, mac)
}

interface Mac {
  readonly algorithm: string
  readonly key: Buffer
}

/** Without a MAC key in the container, the encryption key is used (section 6.1.1). */
function macOf(method: XmlElement | undefined, key: Buffer): Mac | undefined {
  const algorithm = macs[method?.attributes.get('Algorithm') ?? '']
  if (algorithm === undefined) return undefined
  const encrypted = find(method, 'MACKey')
  if (!encrypted) return { algorithm, key }
  const macKey = decrypt(encrypted, key)
  if (!macKey) throw new FileProblem('The key does not match the file. Check the key.', 'key_wrong')
  return { algorithm, key: macKey }
}

function plainValue(element: XmlElement): Buffer | undefined {
  const plain = find(element, 'PlainValue')
  return plain && base64(plain.text)
}

/** A value with an invalid MAC is never decrypted: it may have been changed. */
function encryptedValue(element: XmlElement, key: Buffer, mac: Mac | undefined): Buffer | undefined {
  const encrypted = find(element, 'EncryptedValue')
  const fileMac = base64(find(element, 'ValueMAC')?.text ?? '')
  const bytes = encrypted && cipherBytes(encrypted)
  if (!encrypted || !bytes || !fileMac || !mac) return undefined
  const expected = createHmac(mac.algorithm, mac.key).update(bytes).digest()
  if (expected.length !== fileMac.length || !timingSafeEqual(expected, fileMac)) return undefined
  return decrypt(encrypted, key)
}

const blockSize = 16

/** The ciphertext begins with the initialization vector (XML Encryption section 5.2). */
function decrypt(encrypted: XmlElement, key: Buffer): Buffer | undefined {
  const cipher = ciphers[find(encrypted, 'EncryptionMethod')?.attributes.get('Algorithm') ?? '']
  const bytes = cipherBytes(encrypted)
  if (cipher?.keyLength !== key.length || !bytes || bytes.length < 2 * blockSize || bytes.length % blockSize > 0) {
    return undefined
  }
  const decipher = createDecipheriv(cipher.name, key, bytes.subarray(0, blockSize)).setAutoPadding(false)
  return unpad(Buffer.concat([decipher.update(bytes.subarray(blockSize)), decipher.final()]))
}

/** In XML Encryption only the last byte of the padding is defined: it is the length. */
function unpad(padded: Buffer): Buffer | undefined {
  const length = padded.at(-1) ?? 0
  return length >= 1 && length <= blockSize ? padded.subarray(0, -length) : undefined
}

function cipherBytes(encrypted: XmlElement): Buffer | undefined {
  return base64(find(encrypted, 'CipherData', 'CipherValue')?.text ?? '')
}

/** Far more than any secret has, characters. */
const maxCharacters = 4096

/** @returns undefined for invalid or empty base64. */
function base64(text: string): Buffer | undefined {
  const compact = text.replace(/\s/g, '')
  if (compact.length > maxCharacters) return undefined
  return /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/.test(compact)
    ? Buffer.from(compact, 'base64')
    : undefined
}
