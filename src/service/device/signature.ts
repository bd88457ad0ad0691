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

/** What a call has to be signed for. The path is written as the contract has it, whatever a proxy made of it. */
export interface Purpose {
  readonly method: 'GET' | 'POST'
  readonly path: string
}

/** A payload whose signature was checked. */
export interface Verified {
  readonly claims: Claims
  /** Claims and content, as they were signed. */
  readonly payload: unknown
}

/** What a JWS says before anybody knows who says it: good for finding the key, for nothing else. */
export function peek(jws: string): unknown {
  const [, payload = ''] = jws.split('.')
  return parseJson(Buffer.from(payload, 'base64url').toString())
}

/** Checks the signature, then what was signed, and last when; in this order, so that strangers learn nothing. */
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

/** Says which field is wrong where there is a code for it. */
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
    // Named here and not taken from the header: otherwise whoever sends it chooses how it is checked.
    const { payload } = await compactVerify(jws, key, { algorithms: ['ES256'] })
    return new TextDecoder().decode(payload)
  } catch (cause) {
    throw refused(cause)
  }
}

/** Nothing more is said: what is wrong with a forgery helps only its maker. */
export function refused(cause?: unknown): ApiProblem {
  return new ApiProblem('api.error.unauthorized', 'The signature, or what it is for, is wrong.', {
    headers: { 'WWW-Authenticate': 'Device' },
    cause,
  })
}

/** The device reads from `Date` by how much it is off. */
function clockOff(now: number): ApiProblem {
  const date = new Date(now * 1000).toUTCString()
  return new ApiProblem('api.error.device.clock', undefined, { headers: { 'WWW-Authenticate': 'Device', Date: date } })
}
