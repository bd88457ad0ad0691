import { createPublicKey, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** The validity of a certificate, seconds: longer than any key is published. */
const lifetime = 20 * 365 * 24 * 60 * 60

/**
 * A self-signed certificate of a signing key, as Microsoft Entra wants to read the key (`x5c`, RFC 7517 section 4.7). It says nothing that
 * the key does not. It depends on its arguments alone, because RSASSA-PKCS1-v1_5 has no random part, so that all nodes publish the same.
 *
 * @param key Private RSA key.
 * @param id The thumbprint of the public key: its serial number.
 * @param from The beginning of its validity, Unix time, seconds.
 * @returns DER, base64.
 * @see RFC 5280 section 4.1
 */
export function selfSignedCertificate(key: KeyObject, id: string, from: number): string {
  // 16 octets, and a first bit that makes it positive.
  const serialNumber = Buffer.concat([Buffer.of(1), Buffer.from(id, 'base64url').subarray(0, 16)])
  const name = sequence(tlv(0x31, sequence(commonName, tlv(0x0c, Buffer.from('second-factor')))))
  const toBeSigned = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, serialNumber),
    sha256WithRsa,
    name,
    sequence(time(from), time(from + lifetime)),
    name,
    createPublicKey(key).export({ format: 'der', type: 'spki' }),
  )
  const signature = sign('sha256', toBeSigned, key)
  return sequence(toBeSigned, sha256WithRsa, tlv(0x03, Buffer.concat([Buffer.of(0), signature]))).toString('base64')
}

/** One value of DER (ITU-T X.690 section 8.1): its tag, its length and its content. */
function tlv(tag: number, content: Uint8Array): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, Buffer.concat(parts))

const commonName = Buffer.from('0603550403', 'hex')
const sha256WithRsa = sequence(Buffer.from('06092a864886f70d01010b', 'hex'), Buffer.from('0500', 'hex'))

/** UTCTime until 2049, and GeneralizedTime from then on (RFC 5280 section 4.1.2.5). */
function time(at: number): Buffer {
  const digits = new Date(at * 1000).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return digits < '2050' ? tlv(0x17, Buffer.from(digits.slice(2))) : tlv(0x18, Buffer.from(digits))
}
