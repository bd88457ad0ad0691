import type { KoaContextWithOIDC } from 'oidc-provider'
import { z } from 'zod'

import { ApprovalDetail, ApprovalTitle, approvalLifetimes, approvalLimits } from '../contract/approvals.ts'
import { hasDirectionControls, text } from '../contract/text.ts'
import { parseJson } from '../contract/validate.ts'
import type { Packages } from './packages.ts'

/** The type of `authorization_details` that asks for the approval of an action (RFC 9396 section 2.1). */
export const approvalType = 'urn:second-factor:approval'

/** An action to approve, as a client describes it. */
export interface CibaAction {
  readonly type: typeof approvalType
  readonly title: string
  readonly details: ApprovalDetail[]
}

/** How long a person can answer where the client does not say, seconds. */
export const usualExpiry = 300
const shortestExpiry = 30
/** The longest time for a sign-in, seconds: the client waits for the person. Actions can wait for a day. */
const longestExpiry = 600

/** How long a request is known after its time, seconds, so that the client learns of that. */
export const keptAfterExpiry = 120

const shown = (maximum: number) =>
  text(1, maximum).refine((value) => !hasDirectionControls(value), 'must not change the direction of text')

/** A device shows what it gets without what could change the text around it, so such a text is refused. */
const BindingMessage = shown(approvalLimits.title)

const Action = z.strictObject({
  type: z.literal(approvalType),
  title: ApprovalTitle.and(shown(approvalLimits.title)),
  details: z.array(ApprovalDetail).max(approvalLimits.details).default([]),
})

/** The function `features.ciba.validateBindingMessage` of oidc-provider. */
export function checkBindingMessage({ errors }: Packages['openid'], ctx: KoaContextWithOIDC, message?: string): void {
  if (message === undefined) return
  const { error } = BindingMessage.safeParse(message)
  if (error) throw new errors.InvalidBindingMessage(`binding_message ${error.issues[0]?.message}`)
  if (ctx.oidc.params?.['authorization_details'] !== undefined)
    throw new errors.InvalidBindingMessage('binding_message is for a sign-in: put it among the details of the action')
}

/** The function of oidc-provider for the parameter `authorization_details`. Other flows have no resource for it: see access-tokens.ts. */
export function checkAuthorizationDetails({ errors }: Packages['openid'], ctx: KoaContextWithOIDC): void {
  const { params } = ctx.oidc
  if (params?.['authorization_details'] !== undefined && !actionOf(params))
    throw new errors.CustomOIDCProviderError(
      'invalid_authorization_details',
      `authorization_details must be one object of the type ${approvalType}, with title and details`,
    )
}

/** @returns undefined for a sign-in. */
export function actionOf(params: Readonly<Record<string, unknown>>): CibaAction | undefined {
  const { authorization_details: given } = params
  if (typeof given !== 'string') return undefined
  return z.tuple([Action]).safeParse(parseJson(given)).data?.[0]
}

/** How long the person can answer, seconds. @param params Of the request. */
export function expiryOf(params: Readonly<Record<string, unknown>>): number {
  const requested = Number(params['requested_expiry'] ?? usualExpiry)
  const longest = actionOf(params) ? approvalLifetimes.max : longestExpiry
  return Math.min(Math.max(requested, shortestExpiry), longest)
}
