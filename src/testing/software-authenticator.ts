import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

import type { PasskeyAnswer, RegisteredPasskey } from '../contract/passkeys.ts'
import type { CreationOptions, RequestOptions } from '../contract/webauthn.ts'

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

/** Bits of the authenticator data (WebAuthn section 6.1). */
export interface Flags {
  /** User presence, user verification, backup eligibility, backup state. */
  readonly up?: boolean
  readonly uv?: boolean
  readonly be?: boolean
  readonly bs?: boolean
}

/** Values that an answer contains in place of the true ones. */
export interface Lies extends Flags {
  readonly origin?: string
  readonly crossOrigin?: boolean
  readonly rpId?: string
  /** Base64url. */
  readonly challenge?: string
  readonly type?: string
  /** The signature counter; by default it grows, or stays 0 with `counts: false`. */
  readonly counter?: number
  /** Base64url; null leaves it out. */
  readonly userHandle?: string | null
  /** The attestation statement format, with an empty statement. */
  readonly fmt?: string
  /** The credential id of the answer. */
  readonly id?: string
  /** The id of a credential that exists, base64url, when a new one is created. */
  readonly sameId?: string
}

export interface Credential {
  readonly id: string
  readonly rpId: string
  readonly userHandle: string
  counter: number
}

/** An authenticator without hardware: makes credentials, and signs with them, as truthfully as it is told to. */
export interface SoftwareAuthenticator {
  make(options: CreationOptions, lies?: Lies): RegisteredPasskey['response']
  /** @param credential By default, the newest one that the options allow. */
  use(options: AnyRequestOptions, lies?: Lies, credential?: Credential): PasskeyAnswer
  readonly credentials: readonly Credential[]
}

/** Options that name no credential ask for any one of the relying party. */
type AnyRequestOptions = Pick<RequestOptions, 'challenge' | 'rpId' | 'allowCredentials'>

interface ResponseInput {
  readonly origin: string
  readonly algorithm?: Algorithm
  /** Whether it has a signature counter. Those of synchronized passkeys stay 0. */
  readonly counts?: boolean
  readonly flags?: Flags
}

export function createAuthenticator({ origin, algorithm = 'ES256', counts = true, flags = {} }: ResponseInput) {
  const credentials: (Credential & { readonly key: KeyObject })[] = []
  const truth = { up: true, uv: true, be: false, bs: false, ...flags }

  const authenticator: SoftwareAuthenticator = {
    credentials,
    make(options, lies = {}) {
      const { publicKey, privateKey: key } = newPair(algorithm)
      const id = lies.sameId === undefined ? randomBytes(32) : Buffer.from(lies.sameId, 'base64url')
      const credential = { id: text(id), rpId: options.rp.id, userHandle: options.user.id, counter: 0, key }
      credentials.push(credential)
      const head = authenticatorHead(credential, { ...truth, ...lies }, 0x40)
      const authData = Buffer.concat([head, Buffer.alloc(16), sizeOf(id), id, cbor(coseKey(algorithm, publicKey))])
      return {
        ...identity(lies.id ?? credential.id),
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, origin, lies),
          attestationObject: noneAttestation(authData, lies.fmt),
          transports: ['internal', 'hybrid'],
        },
      }
    },
    use(options, lies = {}, chosenCredential) {
      const allowed = new Set(options.allowCredentials.map(({ id }) => id))
      const isAllowed = ({ id, rpId }: Credential) => (allowed.size === 0 ? rpId === options.rpId : allowed.has(id))
      const credential = credentials.findLast((candidate) =>
        chosenCredential ? candidate.id === chosenCredential.id : isAllowed(candidate),
      )
      if (!credential) throw new Error('No credential is allowed.')
      if (counts) credential.counter += 1
      const authenticatorData = authenticatorHead(credential, { ...truth, ...lies }, 0)
      const clientDataJSON = clientData('webauthn.get', options.challenge, origin, lies)
      const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
      const { userHandle = credential.userHandle } = lies
      return {
        ...identity(lies.id ?? credential.id),
        response: {
          clientDataJSON,
          authenticatorData: text(authenticatorData),
          signature: text(sign(algorithm === 'EdDSA' ? null : 'sha256', signed, credential.key)),
          ...(userHandle !== null && { userHandle }),
        },
      }
    },
  }
  return authenticator
}

/** An attestation object without attestation (WebAuthn section 8.7), base64url. @param fmt What it says of itself. */
export function noneAttestation(authData: Uint8Array, fmt = 'none'): string {
  const attestation: [string, unknown][] = [
    ['fmt', fmt],
    ['attStmt', new Map()],
    ['authData', authData],
  ]
  return text(cbor(new Map(attestation)))
}

const identity = (id: string) => ({ id, rawId: id, type: 'public-key' }) as const

function clientData(type: string, challenge: string, origin: string, lies: Lies): string {
  const { crossOrigin = false } = lies
  const fields = { type: lies.type ?? type, challenge: lies.challenge ?? challenge, origin: lies.origin ?? origin }
  return text(Buffer.from(JSON.stringify({ ...fields, crossOrigin })))
}

/** RP id hash, flags and counter (WebAuthn section 6.1). */
function authenticatorHead(credential: Credential, lies: Lies, attested: number): Buffer {
  const { up, uv, be, bs, counter = credential.counter, rpId = credential.rpId } = lies
  const flags = (up ? 0x01 : 0) | (uv ? 0x04 : 0) | (be ? 0x08 : 0) | (bs ? 0x10 : 0) | attested
  const tail = Buffer.alloc(5)
  tail.writeUInt8(flags)
  tail.writeUInt32BE(counter, 1)
  return Buffer.concat([sha256(Buffer.from(rpId)), tail])
}

function newPair(algorithm: Algorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

/** RFC 9053 section 7 and RFC 8230 section 4. */
function coseKey(algorithm: Algorithm, key: KeyObject): Map<number, unknown> {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' })
  const bytes = (value: string) => Buffer.from(value, 'base64url')
  const common = (kty: number, alg: number): [number, unknown][] => [
    [1, kty],
    [3, alg],
  ]
  if (algorithm === 'ES256') return new Map([...common(2, -7), [-1, 1], [-2, bytes(x)], [-3, bytes(y)]])
  if (algorithm === 'EdDSA') return new Map([...common(1, -8), [-1, 6], [-2, bytes(x)]])
  return new Map([...common(3, -257), [-1, bytes(n)], [-2, bytes(e)]])
}

/** The part of CBOR that authenticators need (RFC 8949). */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([cborHead(2, value.length), value])
  if (!(value instanceof Map)) throw new TypeError('expected a number, text, bytes or a map')
  return Buffer.concat([cborHead(5, value.size), ...[...value].flatMap(([key, each]) => [cbor(key), cbor(each)])])
}

function cborHead(major: number, length: number): Buffer {
  const kind = major << 5
  if (length < 24) return Buffer.from([kind | length])
  if (length < 0x100) return Buffer.from([kind | 24, length])
  return Buffer.from([kind | 25, length >> 8, length & 0xff])
}

function sizeOf(bytes: Uint8Array): Buffer {
  const size = Buffer.alloc(2)
  size.writeUInt16BE(bytes.length)
  return size
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
