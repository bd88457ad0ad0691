import { z } from 'zod'

import { privateMembers } from './oidc-client-rules.ts'

const base64url = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .min(minimum)
    .max(maximum)

const common = {
  kid: z.string().min(1).max(256).optional(),
  /** Keys of another use would never be tried. */
  use: z.literal('sig').optional(),
  alg: z.string().max(32).optional(),
}

/** 2048 to 8192 bits (RFC 7518 section 3.3). */
const Rsa = z.object({ kty: z.literal('RSA'), n: base64url(342, 1366), e: base64url(1, 8), ...common })

const Ec = z.object({
  kty: z.literal('EC'),
  crv: z.enum(['P-256', 'P-384', 'P-521']),
  x: base64url(43, 88),
  y: base64url(43, 88),
  ...common,
})

const Okp = z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: base64url(43, 43), ...common })

const Jwk = z
  .looseObject({})
  .refine((key) => privateMembers.every((member) => !(member in key)), {
    message: 'expected public keys: this one contains its private part, which nobody but the client may have',
    abort: true,
  })
  .pipe(z.discriminatedUnion('kty', [Rsa, Ec, Okp]))

/** The public keys of a client (RFC 7517 section 5). Members that are not known here are left out. */
export const PublicJwkSet = z.object({ keys: z.array(Jwk).min(1).max(10) })
export type PublicJwkSet = z.infer<typeof PublicJwkSet>
