import type { BackchannelAuthenticationRequest, Configuration, KoaContextWithOIDC } from 'oidc-provider'

import { secondsToWait } from '../challenge/rejection.ts'
import type { ConnectedService } from '../challenge/service.ts'
import { ApiError } from '../client/errors.ts'
import { approvalLimits } from '../contract/approval-facts.ts'
import { cutText } from '../ground/cut-text.ts'
import type { OidcClient } from '../admin-contract/oidc-clients.ts'
import type { OidcState } from '../service/oidc-state.ts'
import { describeAuthentication } from './authentication-context.ts'
import type { Acr } from './authentication-context.ts'
import { actionOf, checkBindingMessage, expiryOf } from './ciba-request.ts'
import type { ResolvedOidcOptions } from './options.ts'
import { translateOutage, unlessDown } from './outage.ts'
import type { Packages } from './packages.ts'
import { findHinted } from './policy.ts'
import { acrFor, requirementOf } from './requirement.ts'
import type { SignInApps } from './sign-in-app.ts'

export interface CibaInput {
  readonly options: Pick<ResolvedOidcOptions, 'random' | 'logger'>
  readonly packages: Packages
  readonly state: OidcState
  readonly apps: SignInApps
  /** Unix time, seconds. */
  readonly now: () => number
}

/** The model of `OidcState.adapter()` under which it is stored what a request has asked. Its id is that of the request. */
export const askedModel = 'BackchannelQuestion'

/** The session or approval of the service that a request waits for. */
export interface Question {
  readonly kind: 'session' | 'approval'
  readonly id: string
  /** Redeems it. */
  readonly challenge: string
  /** Unix time, seconds. */
  readonly expiresAt: number
  /** When the client has asked for the result the last time, Unix time, seconds; 0 if it has not. */
  readonly polledAt: number
  readonly acr: Acr
}

/** How often a client may ask for the result, seconds (CIBA Core 1.0 section 7.3). */
export const pollInterval = 5

/**
 * Backchannel authentication, in which nobody is sent anywhere: a client that has authenticated itself names the user, and their device is
 * asked. Any node answers the client, because all that is known is in the store.
 *
 * @see OpenID Connect Client-Initiated Backchannel Authentication Core 1.0
 */
export function cibaFeature(input: CibaInput): NonNullable<NonNullable<Configuration['features']>['ciba']> {
  const { openid } = input.packages
  return {
    enabled: true,
    deliveryModes: ['poll', 'ping'],
    validateBindingMessage: (ctx, message) => checkBindingMessage(openid, ctx, message),
    validateRequestContext() {},
    verifyUserCode() {},
    processLoginHintToken: () =>
      Promise.reject(new openid.errors.InvalidRequest('login_hint_token is not supported: send login_hint')),
    processLoginHint: (ctx, hint) =>
      unlessDown(openid, async () => {
        const { service } = await askerOf(input, ctx)
        return (await findHinted(service, hint ?? ''))?.id
      }),
    triggerAuthenticationDevice: (ctx, request, account) => ask(input, ctx, { request, userId: account.accountId }),
  }
}

interface Asker {
  readonly client: OidcClient
  readonly service: ConnectedService
}

async function askerOf({ state, apps, packages }: CibaInput, ctx: KoaContextWithOIDC): Promise<Asker> {
  const { errors } = packages.openid
  const client = await state.client(ctx.oidc.client?.clientId ?? '')
  const app = client?.kind === 'ciba' ? await apps.find('ciba', client.domain) : undefined
  if (!client || !app) throw new errors.UnauthorizedClient('the client is not registered for backchannel requests')
  return { client, service: await app.connect() }
}

interface AskedUser {
  readonly request: BackchannelAuthenticationRequest
  readonly userId: string
}

async function ask(input: CibaInput, ctx: KoaContextWithOIDC, { request, userId }: AskedUser): Promise<void> {
  try {
    const { question, number } = await open(input, ctx, userId)
    await keep(input, ctx, { request, userId, question })
    Object.assign(ctx.body as object, {
      expires_in: question.expiresAt - input.now(),
      interval: pollInterval,
      ...(number !== undefined && { number }),
    })
  } catch (error) {
    await request.destroy()
    throw translate(input.packages, ctx, error)
  }
}

/** Stores what was asked. Where that fails, nobody would learn of the answer, so the person is not asked any more. */
async function keep(
  input: CibaInput,
  ctx: KoaContextWithOIDC,
  { request, userId, question }: AskedUser & { readonly question: Question },
): Promise<void> {
  try {
    await input.state
      .adapter(askedModel)
      .upsert(request.jti, { clientId: request.clientId, accountId: userId, question }, request.expiration)
    await expectPing(input, { request, userId, question })
  } catch (error) {
    const { client, domainId } = (await askerOf(input, ctx)).service
    const calls = question.kind === 'session' ? client.sessions : client.approvals
    await calls.cancel(domainId, question.id)
    throw error
  }
}

/** Has a client that is registered for it told of the answer. oidc-provider has checked that it has sent a token for that. */
async function expectPing(
  { state }: CibaInput,
  { request, userId, question }: AskedUser & { readonly question: Question },
): Promise<void> {
  const { ciba, id: clientId } = (await state.client(String(request.clientId))) ?? {}
  const token = request.params?.['client_notification_token']
  if (!ciba?.notificationEndpoint || clientId === undefined || typeof token !== 'string') return
  await state.expectPing({
    message: { endpoint: ciba.notificationEndpoint, token, requestId: request.jti },
    clientId,
    userId,
    subjectId: question.id,
    answerUntil: question.expiresAt,
    expiresIn: request.expiration,
  })
}

/** Opens what the person is asked. */
async function open(input: CibaInput, ctx: KoaContextWithOIDC, userId: string) {
  const { errors } = input.packages.openid
  const { client, service } = await askerOf(input, ctx)
  const params = ctx.oidc.params ?? {}
  const numberMatching = client.ciba?.showsNumber === true
  const domain = await service.client.domains.get(service.domainId)
  if (domain.numberMatching === 'required' && !numberMatching)
    throw new errors.InvalidRequest('the domain requires number matching, and the client has no screen for the number')
  const acr = acrFor(
    requirementOf(params),
    describeAuthentication('push', { userVerified: false, hardware: false }).acrs,
  )
  if (acr === undefined)
    throw new errors.CustomOIDCProviderError(
      'unmet_authentication_requirements',
      'a device cannot meet the requested acr',
    )
  const challenge = Buffer.from(input.options.random(16)).toString('base64url')
  const common = { user: { id: userId }, challenge, numberMatching }
  const expiresIn = expiryOf(params)
  const action = actionOf(params)
  if (action) {
    const { title, details } = action
    const approval = {
      ...common,
      title,
      details,
      expiresIn,
      requestedBy: cutText(client.name, approvalLimits.requester),
    }
    const { id, number, expiresAt } = await service.client.approvals.create(service.domainId, approval)
    return { question: { kind: 'approval', id, challenge, expiresAt, polledAt: 0, acr } satisfies Question, number }
  }
  const { binding_message: message } = params
  const attributes = [
    { key: 'App', value: client.name },
    ...(typeof message === 'string' ? [{ key: 'Message', value: message }] : []),
  ]
  const session = await service.client.sessions.create(service.domainId, { ...common, attributes })
  if (session.state !== 'pending')
    throw new errors.AccessDenied(`the person cannot be asked: ${session.reason ?? session.state}`)
  const latest = input.now() + expiresIn
  const expiresAt = Math.min(session.expiresAt ?? latest, latest)
  const question = { kind: 'session', id: session.id, challenge, expiresAt, polledAt: 0, acr } satisfies Question
  return { question, number: session.number }
}

function translate({ openid }: Packages, ctx: KoaContextWithOIDC, error: unknown): unknown {
  const { errors } = openid
  const wait = secondsToWait(error)
  if (wait !== undefined) {
    ctx.set('Retry-After', String(wait))
    const limited = new errors.CustomOIDCProviderError('temporarily_unavailable', 'the person was asked too often')
    return Object.assign(limited, { status: 429, statusCode: 429 })
  }
  if (error instanceof ApiError && error.status < 500) return new errors.AccessDenied(error.message)
  return translateOutage(openid, error)
}
