import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

import { nextTurn } from '../../../engine/base/next-turn.ts'
import { stepBytes } from '../../hardware/files/file-text.ts'
import { FileProblem } from '../../hardware/files/file-problem.ts'

const wrongKey = () => new FileProblem('The key does not fit the file. Set the key of the export with --secret @FILE.')

/**
 * Decrypts the export of privacyIDEA (Fernet): version, time, IV, AES-128-CBC and HMAC-SHA256. The MAC is checked before anything is
 * decrypted, in steps as the rest.
 */
export async function* decryptFernet(pieces: AsyncIterable<string>, secret: string): AsyncGenerator<string> {
  const key = Buffer.from(secret, 'base64url')
  if (key.length !== 32) throw wrongKey()
  const parts: string[] = []
  for await (const piece of pieces) parts.push(piece)
  const bytes = Buffer.from(parts.join('').trim(), 'base64url')
  const [head, body, mac] = [bytes.subarray(0, 25), bytes.subarray(25, -32), bytes.subarray(-32)]
  const hmac = createHmac('sha256', key.subarray(0, 16)).update(head)
  for await (const part of steps(body)) hmac.update(part)
  if (bytes.length < 73 || !timingSafeEqual(hmac.digest(), mac)) throw wrongKey()
  const decipher = createDecipheriv('aes-128-cbc', key.subarray(16), head.subarray(9))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const part of steps(body)) yield decoder.decode(decipher.update(part), { stream: true })
  yield decoder.decode(decipher.final())
}

async function* steps(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += stepBytes) {
    yield bytes.subarray(start, start + stepBytes)
    await nextTurn()
  }
}
