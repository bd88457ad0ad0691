import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

import { FileProblem } from './file-problem.ts'
import { base64 } from './base64.ts'
import { deriveKey } from './pskc-password.ts'
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

/** What opens an encrypted container. */
export interface Unlocking {
  readonly key?: Buffer | undefined
  readonly password?: string | undefined
}

/**
 * Creates a reader for the values of a container (RFC 6030 section 6).
 * @param head What the container says about its encryption.
 * @throws {FileProblem} when key or password do not match the container.
 */
export async function valueOpener(head: readonly XmlElement[], unlocking: Unlocking): Promise<OpenValue> {
  const encryption = head.find(({ name }) => name === 'encryptionkey')
  const method = head.find(({ name }) => name === 'macmethod')
  if (!encryption && !method) return (element) => plainValue(element)
  const key = await keyOf(encryption, unlocking)
  const mac = macOf(method, key)
  if (mac === 'wrong key') throw wrongKey(find(encryption, 'DerivedKey'))
  return (element) => plainValue(element) ?? encryptedValue(element, key, mac)
}

interface Mac {
  readonly algorithm: string
  readonly key: Buffer
}

async function keyOf(encryption: XmlElement | undefined, { key, password }: Unlocking): Promise<Buffer> {
  if (find(encryption, 'X509Data')) {
    throw new FileProblem(
      'The file is encrypted for a certificate. Ask for a file with a password or a pre-shared key.',
    )
  }
  const derived = find(encryption, 'DerivedKey')
  if (derived) {
    if (password === undefined)
      throw new FileProblem('The file is encrypted with a password. Enter it.', 'password_missing')
    return deriveKey(derived, password)
  }
  if (!key) throw new FileProblem('The file is encrypted. Enter its pre-shared key.', 'key_missing')
  return key
}

const wrongKey = (derived: XmlElement | undefined) =>
  derived === undefined
    ? new FileProblem('The key does not match the file. Check the key.', 'key_wrong')
    : new FileProblem('The password does not match the file. Check the password.', 'password_wrong')

/** Without a MAC key in the container, the encryption key is used (section 6.1.1). */
function macOf(method: XmlElement | undefined, key: Buffer): Mac | 'wrong key' | undefined {
  const algorithm = macs[method?.attributes.get('algorithm') ?? '']
  if (algorithm === undefined) return undefined
  const encrypted = find(method, 'MACKey')
  if (!encrypted) return { algorithm, key }
  const macKey = decrypt(encrypted, key)
  return macKey ? { algorithm, key: macKey } : 'wrong key'
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
  const cipher = ciphers[find(encrypted, 'EncryptionMethod')?.attributes.get('algorithm') ?? '']
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
