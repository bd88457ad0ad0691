import { compactVerify } from 'jose'
import type { CryptoKey } from 'jose'
import type { z } from 'zod'

import { Claims, clockTolerance } from '../../contract/device.ts'
import type { PublicKey } from '../../contract/device.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { describeMistakes, validate } from '../../contract/validate.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { parseJson } from '../http/parse-json.ts'
import { ApiProblem } from '../ground/problem.ts'

/** What the signature of a call must cover. The path is written as in the contract, whatever proxies made of it. */
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

/** Verifies the signature, then the claims, and last the time. In this order strangers learn nothing. */
export async function verify(
  ctx: Pick<ServiceContext, 'serviceId' | 'clock'>,
  jws: string,
  key: PublicKey | CryptoKey,
  purpose: Purpose,
): Promise<Verified> {
  const payload = parseJson(await verifiedText(jws, key))
  const claims = parseContent(Claims, payload)
  const meant = claims.aud === ctx.serviceId && claims.htm === purpose.method && claims.path === purpose.path
  if (!meant) throw refused()
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

async function verifiedText(jws: string, key: PublicKey | CryptoKey): Promise<string> {
  try {
    // Fixed here and not taken from the header: otherwise the sender would choose how the signature is verified.
    const { payload } = await compactVerify(jws, key, { algorithms: ['ES256'] })
    return new TextDecoder().decode(payload)
  } catch (cause) {
    throw refused(cause)
  }
}

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
