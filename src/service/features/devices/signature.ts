import { KeyObject, verify as isSigned } from 'node:crypto'

import { z } from 'zod'

import { Claims, clockTolerance } from '../../../contract/device.ts'
import type { PublicKey } from '../../../contract/device.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { describeMistakes, validate } from '../../../contract/validate.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { parseJson } from '../../engine/http/parse-json.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { importKey } from './imported-keys.ts'

/** The facts that the signature of a call must cover. The path is that of the contract, even if a proxy has changed it. */
export interface Purpose {
  readonly method: 'GET' | 'POST'
  readonly path: string
}

/** A payload with a verified signature. */
export interface Verified {
  readonly claims: Claims
  /** The signed claims and content. */
  readonly payload: unknown
}

/** The unverified payload of a JWS. Use it to find the key, and for nothing else. */
export function peek(jws: string): unknown {
  const [, payload = ''] = jws.split('.')
  return parseJson(Buffer.from(payload, 'base64url').toString())
}

/** Verifies the signature, then the claims, and last the time. In this order, a caller without the key learns nothing. */
export function verify(
  ctx: Pick<ServiceContext, 'serviceId' | 'clock'>,
  jws: string,
  key: PublicKey | KeyObject,
  purpose: Purpose,
): Verified {
  const payload = parseJson(verifiedText(jws, key, 'device+jws'))
  const claims = parseContent(Claims, payload)
  const isForThisCall = claims.aud === ctx.serviceId && claims.htm === purpose.method && claims.path === purpose.path
  if (!isForThisCall) throw refused()
  if (Math.abs(claims.iat - ctx.clock.now()) > clockTolerance) throw clockOff(ctx.clock.now())
  return { claims, payload }
}

/** Names the wrong field if there is an error code for it. */
export function parseContent<S extends z.ZodType>(schema: S, payload: unknown): z.output<S> {
  const validated = validate(schema, payload)
  if (validated.success) return validated.data
  const [mistake] = validated.mistakes
  throw new ApiProblem(fieldCodes[String(mistake.path[0])] ?? 'api.error.malformed', describeMistakes([mistake]))
}

const fieldCodes: Record<string, ErrorCode> = {
  code: 'api.error.invalid.code',
  name: 'api.error.invalid.name',
  nonce: 'api.error.invalid.nonce',
  decision: 'api.error.invalid.decision',
  number: 'api.error.invalid.number',
  pin: 'api.error.invalid.pin',
  push: 'api.error.invalid.push',
}

/**
 * The header cannot choose how the signature is verified. Extensions are refused, because none is known (RFC 7515 section
 * 4.1.11).
 */
const Header = z.object({
  alg: z.literal('ES256'),
  typ: z.string(),
  crit: z.never().optional(),
  b64: z.never().optional(),
})

/** The length of an ES256 signature (RFC 7518 section 3.4), bytes. */
const signatureLength = 64

/**
 * Verifies a compact JWS (RFC 7515 section 5.2) with `node:crypto`, which takes half the time of WebCrypto.
 * @param type The header `typ` (RFC 8725 section 3.11): what a device signed as a call is no answer to an approval, nor the reverse.
 */
export function verifiedText(jws: string, key: PublicKey | KeyObject, type: string): string {
  try {
    const [header, payload, signature, ...extraParts] = jws.split('.').map((part) => decodePart(part))
    if (!header || !payload || !signature || extraParts.length > 0) throw new Error('not three parts')
    if (Header.parse(JSON.parse(decodeText(header))).typ !== type) throw new Error('wrong type')
    const signed = Buffer.from(jws.slice(0, jws.lastIndexOf('.')))
    const publicKey = { key: key instanceof KeyObject ? key : importKey(key), dsaEncoding: 'ieee-p1363' } as const
    if (signature.length !== signatureLength || !isSigned('sha256', signed, publicKey, signature))
      throw new Error('wrong signature')
    return decodeText(payload)
  } catch (cause) {
    throw refused(cause)
  }
}

/** Base64url has one form for each value (RFC 4648 section 3.5); Node alone would accept others. */
function decodePart(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw new Error('not canonical base64url')
  return bytes
}

const decodeText = (bytes: Buffer): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

/** No details: they would help only an attacker. */
export function refused(cause?: unknown): ApiProblem {
  return new ApiProblem('api.error.unauthorized', 'The signature or its claims are invalid.', {
    headers: { 'WWW-Authenticate': 'Device' },
    cause,
  })
}

/** The device computes its offset from the `Date` header. */
function clockOff(now: number): ApiProblem {
  const date = new Date(now * 1000).toUTCString()
  return new ApiProblem('api.error.device.clock', undefined, { headers: { 'WWW-Authenticate': 'Device', Date: date } })
}
