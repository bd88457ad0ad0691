import { z } from 'zod'

import { Id } from '../../../contract/text.ts'
import { parseJson } from '../../../contract/validate.ts'

/** What oidc-provider stores: JSON. */
export type OidcPayload = Record<string, unknown>

/** The parts of a payload that decide where it belongs. oidc-provider's models define them. */
const Parts = z.object({
  accountId: z.string().optional(),
  clientId: z.string().optional(),
  grantId: z.string().optional(),
  uid: z.string().optional(),
  /** The request that an interaction is about. */
  params: z.object({ client_id: z.string().optional() }).optional(),
  result: z.object({ login: z.object({ accountId: z.string(), epoch: z.string().optional() }).optional() }).optional(),
  /** The JWT of a pushed request, signed by the client or by nobody. */
  request: z.string().optional(),
  /** The client that an assertion or proof comes from, which must not be used twice. */
  iss: z.string().optional(),
})

export interface ArtifactFacts {
  /** The id of the user whose it is; null as long as it belongs to nobody. */
  readonly userId: string | null
  /** Set for an interaction in which somebody has signed in. */
  readonly login: { readonly epoch: string | undefined } | undefined
  readonly clientId: string | null
  readonly grantId: string | null
  readonly uid: string | null
}

/** @throws {TypeError} for a payload that is none of oidc-provider's. */
export function factsOf(model: string, payload: OidcPayload): ArtifactFacts {
  const parsed = Parts.safeParse(payload)
  if (!parsed.success) throw new TypeError(`The payload of this ${model} is none of oidc-provider.`)
  const { accountId, clientId, grantId, uid, params, result, request, iss } = parsed.data
  const isInteraction = model === 'Interaction'
  const login = isInteraction ? result?.login : undefined
  return {
    // An interaction names the account of the session that it began in, and ends with that session and not with the user's epoch: the
    // user may be changing a factor in it.
    userId: (isInteraction ? login?.accountId : accountId) ?? null,
    login: login && { epoch: login.epoch },
    clientId: clientOf([clientId, params?.client_id, request && clientOfRequest(request), iss]),
    grantId: isInteraction ? null : (grantId ?? null),
    uid: model === 'Session' ? (uid ?? null) : null,
  }
}

const clientOf = (candidates: readonly (string | undefined)[]): string | null =>
  candidates.find((candidate) => Id.safeParse(candidate).success) ?? null

/** oidc-provider has verified that it is the client who pushed the request. */
function clientOfRequest(request: string): string | undefined {
  const [, claims = ''] = request.split('.')
  const Claims = z.object({ client_id: z.string() })
  return Claims.safeParse(parseJson(Buffer.from(claims, 'base64url').toString())).data?.client_id
}
