import { createPublicKey, verify } from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'

import { decodeBase64Url, decodeUtf8 } from './base64url.ts'

/** The parts of a compact JWS (RFC 7515 section 7.1). Nothing about it is verified yet. */
export interface CompactJws {
  /** JSON text. */
  readonly header: string
  readonly payload: string
  /** Verifies the signature by ES256 (RFC 7518 section 3.4), whatever its header says. */
  readonly isSignedBy: (key: JsonWebKey) => boolean
}

/** @returns undefined for text that is no compact JWS, or one of several texts of the same. */
export function readCompactJws(text: string): CompactJws | undefined {
  const [encodedHeader, encodedPayload, encodedSignature, ...others] = text.split('.', 4)
  if (encodedHeader === undefined || encodedPayload === undefined || encodedSignature === undefined) return undefined
  const header = decodeText(encodedHeader)
  const payload = decodeText(encodedPayload)
  const signature = decodeBase64Url(encodedSignature)
  if (others.length > 0 || header === undefined || payload === undefined || signature === undefined) return undefined
  const signed = Buffer.from(`${encodedHeader}.${encodedPayload}`)
  return { header, payload, isSignedBy: (key) => verifyEs256(key, signed, signature, 'ieee-p1363') }
}

function decodeText(encoded: string): string | undefined {
  const bytes = decodeBase64Url(encoded)
  return bytes && decodeUtf8(bytes)
}

/** @param encoding JWS has the two numbers of a signature as they are, WebAuthn as DER. */
export function verifyEs256(
  key: JsonWebKey,
  signed: Buffer,
  signature: Buffer,
  encoding: 'ieee-p1363' | 'der',
): boolean {
  const publicKey = readKey(key)
  return publicKey !== undefined && verify('sha256', signed, { key: publicKey, dsaEncoding: encoding }, signature)
}

/** @returns undefined for a key that is none, such as a point beside the curve. */
export function readKey(key: JsonWebKey) {
  try {
    return createPublicKey({ key, format: 'jwk' })
  } catch {
    return undefined
  }
}
