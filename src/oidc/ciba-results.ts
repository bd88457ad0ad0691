import type Provider from 'oidc-provider'
import type { BackchannelAuthenticationRequest, KoaContextWithOIDC } from 'oidc-provider'

import { unlessRejected } from '../challenge/rejection.ts'
import type { ConnectedService } from '../challenge/service.ts'
import { describeAuthentication } from './authentication-context.ts'
import type { CibaInput, Question } from './ciba.ts'
import { askedModel, pollInterval } from './ciba.ts'
import { actionOf } from './ciba-request.ts'
import { addressOf } from './request-address.ts'

/**
 * Has a client that asks for the result of a backchannel request learn what the person has answered meanwhile: oidc-provider reads the
 * request, and finds the answer in it.
 */
export function answerPolls(provider: Provider, input: CibaInput): void {
  const { BackchannelAuthenticationRequest: Request } = provider
  const find = Request.find.bind(Request) as FindRequest
  const findAnswered: FindRequest = async (id, options) => {
    const request = await find(id, options)
    const { ctx } = input.packages.openid.Provider
    // Others learn nothing: oidc-provider refuses them next.
    if (!request || ctx?.oidc.route !== 'token' || request.clientId !== ctx.oidc.client?.clientId) return request
    if (request.grantId !== undefined || request.error !== undefined || request.consumed) return request
    return (await settle(provider, input, request)) ? find(id, options) : request
  }
  Object.assign(Request, { find: findAnswered })
  const failed = (error: unknown) => input.options.logger.error(`oidc: ${String(error)}`)
  provider.on('grant.success', (ctx) => void recordGrant(input, ctx).catch(failed))
  provider.on('grant.error', (ctx, { error }) => {
    if (ctx.oidc.params?.['grant_type'] === cibaGrant && !unfinished.has(error))
      void recordRefusal(input, ctx, error).catch(failed)
  })
  provider.on(
    'backchannel_authentication.error',
    (ctx, { error }) => void recordRefusal(input, ctx, error).catch(failed),
  )
  nameApprovals(provider, input)
}

type FindRequest = (
  id: string,
  options?: { readonly ignoreExpiration?: boolean },
) => Promise<BackchannelAuthenticationRequest | undefined>

/** @returns whether the request has its result now. @throws {SlowDown} for a client that asks too often. */
async function settle(
  provider: Provider,
  input: CibaInput,
  request: BackchannelAuthenticationRequest,
): Promise<boolean> {
  const { state, apps, now, packages } = input
  const { errors } = packages.openid
  const questions = state.adapter(askedModel)
  const stored = await questions.find(request.jti)
  const client = await state.client(String(request.clientId))
  const app = client && (await apps.find(client.kind, client.domain))
  if (!stored || !app) return false
  const question = stored['question'] as Question
  const service = await app.connect()
  const outcome = await read(service, question, now())
  if (outcome === 'pending') {
    const early = now() - question.polledAt < pollInterval
    await questions.upsert(request.jti, { ...stored, question: { ...question, polledAt: now() } }, request.remainingTTL)
    if (early) throw new errors.SlowDown()
    return false
  }
  if (outcome === 'expired') {
    await provider.backchannelResult(request, new errors.ExpiredToken('the person has not answered in time'))
    return true
  }
  if (outcome === 'denied') {
    await provider.backchannelResult(request, new errors.AccessDenied('the person has denied the request'))
    return true
  }
  const grant = new provider.Grant({ clientId: String(request.clientId), accountId: String(request.accountId) })
  grant.addOIDCScope(request.scope ?? 'openid')
  // Before the answer is used up: what fails here can be tried again by the next poll.
  await grant.save()
  const at = await redeem(service, question)
  if (at === undefined) {
    // Another poll at the same moment redeems it, or the answer has ended with the user.
    await grant.destroy()
    return false
  }
  await provider.backchannelResult(request, grant, authenticationOf(question, at))
  return true
}

/** A person who has approved an action has not signed in: the token says nothing about that. */
function authenticationOf({ kind, acr }: Question, authTime: number) {
  if (kind === 'approval') return {}
  const { amr } = describeAuthentication('push', { userVerified: false, hardware: false })
  return { acr, amr: [...amr], authTime }
}

type Outcome = 'pending' | 'approved' | 'denied' | 'expired'

async function read({ client, domainId }: ConnectedService, question: Question, now: number): Promise<Outcome> {
  const { kind, id, expiresAt } = question
  const calls = kind === 'session' ? client.sessions : client.approvals
  const isLate = now >= expiresAt
  const outcome = outcomeOf(await calls.get(domainId, id), isLate)
  if (outcome !== 'pending' || !isLate) return outcome
  // The client waits for a shorter time than the device would. Cancelling changes nothing if the person has answered a moment before.
  await calls.cancel(domainId, id)
  return outcomeOf(await calls.get(domainId, id), isLate)
}

/** @param isLate Whether the client waits no longer: then nobody but us has cancelled the question. */
function outcomeOf({ state, reason }: { state: string; reason?: string | undefined }, isLate: boolean): Outcome {
  if (state === 'pending' || state === 'approved') return state
  const isOver = state === 'expired' || reason === 'timeout' || (isLate && state === 'cancelled')
  return isOver ? 'expired' : 'denied'
}

/** @returns when the person has approved, Unix time, seconds; undefined where it cannot be redeemed, or not any more. */
async function redeem({ client, domainId }: ConnectedService, question: Question): Promise<number | undefined> {
  const { kind, id, challenge } = question
  const call =
    kind === 'session'
      ? client.sessions.redeem(domainId, id, challenge)
      : client.approvals.redeem(domainId, id, challenge)
  return (await unlessRejected<{ settledAt?: number | undefined }>(call, 'api.error.conflict.state'))?.settledAt
}

/** Names the approval in the answer to the client (RFC 9396 section 7.1), which its proof can be read by. */
function nameApprovals(provider: Provider, { state }: CibaInput): void {
  provider.use(async (ctx, next) => {
    await next()
    const { oidc } = ctx as Partial<KoaContextWithOIDC>
    const request = oidc?.entities.BackchannelAuthenticationRequest
    if (!request || oidc.route !== 'token' || ctx.status !== 200) return
    const action = actionOf(request.params ?? {})
    if (!action) return
    const stored = await state.adapter(askedModel).find(request.jti)
    if (!stored) return
    const { id: approval } = stored['question'] as Question
    Object.assign(ctx.body as object, { authorization_details: [{ ...action, approval }] })
  })
}

const cibaGrant = 'urn:openid:params:grant-type:ciba'

/** Answers to a client that goes on waiting. */
const unfinished: ReadonlySet<string> = new Set(['authorization_pending', 'slow_down'])

async function recordRefusal({ state }: CibaInput, ctx: KoaContextWithOIDC, reason: string): Promise<void> {
  const { client } = ctx.oidc
  if (client) await state.record({ event: 'refused', clientId: client.clientId, address: addressOf(ctx), reason })
}

async function recordGrant({ state }: CibaInput, ctx: KoaContextWithOIDC): Promise<void> {
  const request = ctx.oidc.entities.BackchannelAuthenticationRequest
  if (!request) return
  const { clientId, accountId, acr, amr = [] } = request
  const facts = { clientId: String(clientId), address: addressOf(ctx), userId: String(accountId), acr, amr }
  await state.record({ event: 'signed_in', ...facts })
}
