import { z } from 'zod'

import { parseJson } from '../contract/validate.ts'
import type { Form } from '../express/request/form.ts'
import { entraAcr, factorsFor } from './entra-context.ts'
import { EntraError } from './entra-error.ts'

/** What Microsoft Entra asks for, as far as it can be met. */
export interface EntraRequest {
  readonly hint: string
  readonly nonce: string
  readonly state: string | undefined
  /** The `acr` to return. */
  readonly acr: string
  /** The values of `amr` of which one has to be returned. */
  readonly amrs: readonly string[]
}

const words = z.array(z.string().max(64)).max(64)

/** OpenID Connect Core 1.0 section 5.5. */
const RequestedClaims = z.object({
  id_token: z.object({ acr: z.object({ values: words }), amr: z.object({ values: words }) }),
})

/**
 * Reads the parameters of an authorization request of Entra. Others than these are ignored, as Microsoft asks for.
 *
 * @throws {EntraError} that says what is wrong.
 * @see Microsoft, "External authentication method provider reference", "Microsoft Entra ID call to the external identity provider"
 */
export function readEntraRequest(form: Form): EntraRequest {
  if (textOf(form, 'response_type') !== 'id_token')
    throw new EntraError('unsupported_response_type', 'response_type must be id_token')
  if (textOf(form, 'response_mode') !== 'form_post') throw missing('response_mode must be form_post')
  if (!textOf(form, 'scope')?.split(' ').includes('openid'))
    throw new EntraError('invalid_scope', 'scope must contain openid')
  const nonce = textOf(form, 'nonce')
  if (nonce === undefined) throw missing('nonce is missing')
  const hint = textOf(form, 'id_token_hint')
  if (hint === undefined) throw missing('id_token_hint is missing: nothing else says who the user is')
  const { data: claims } = RequestedClaims.safeParse(parseJson(textOf(form, 'claims') ?? ''))
  if (!claims) throw missing('claims must request values of acr and amr')
  const { acr: acrs, amr: amrs } = claims.id_token
  const acr = entraAcr(acrs.values)
  if (acr === undefined || factorsFor(amrs.values).length === 0) {
    throw new EntraError('unmet_authentication_requirements', 'no factor meets the requested acr and amr')
  }
  return { hint, nonce, state: textOf(form, 'state'), acr, amrs: amrs.values }
}

/** A parameter of a form. An empty one is absent (RFC 6749 section 3.1). */
export function textOf(form: Form, name: string): string | undefined {
  const value = form[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const missing = (message: string) => new EntraError('invalid_request', message)
