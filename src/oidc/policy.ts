import type { interactionPolicy, KoaContextWithOIDC } from 'oidc-provider'

import { findMember } from '../challenge/user.ts'
import type { User } from '../contract/users.ts'
import type { ConnectedService } from '../challenge/service.ts'
import type { OidcClient } from '../admin-contract/oidc-clients.ts'
import type { OidcState } from '../service/oidc-state.ts'
import { unlessDown } from './outage.ts'
import type { Packages } from './packages.ts'
import { isUnknown, needsNewStep, requirementOf } from './requirement.ts'
import type { Requirement } from './requirement.ts'
import { worthOf } from './second-step.ts'
import type { SignInApp, SignInApps } from './sign-in-app.ts'
import type { SignedRequests } from './signed-requests.ts'

export interface PolicyInput {
  readonly packages: Packages
  readonly state: OidcState
  readonly apps: SignInApps
  readonly signedRequests: SignedRequests
  /** Unix time, seconds. */
  readonly now: () => number
}

/**
 * Decides which authorization requests need a person. There is one reason, and one judge of it: the second step of this browser in the
 * domain of the client. The session of oidc-provider alone never answers, because clients of all domains share it.
 */
export function createPolicy(input: PolicyInput): interactionPolicy.DefaultPolicy {
  const { base, Check } = input.packages.openid.interactionPolicy
  const policy = base()
  // Clients are registered by an administrator, so nobody is asked for consent.
  policy.remove('consent')
  const login = policy.get('login')
  if (!login) throw new TypeError('oidc-provider has no prompt "login"')
  const reasons = login.checks.map(({ reason }) => reason)
  for (const reason of reasons) if (reason !== 'login_prompt') login.checks.remove(reason)
  login.checks.add(
    new Check('second_step', 'a second step is needed', 'login_required', (ctx) => needsPerson(input, ctx)),
  )
  return policy
}

const needsPerson = (input: PolicyInput, ctx: KoaContextWithOIDC): Promise<boolean> =>
  unlessDown(input.packages.openid, () => judge(input, ctx))

async function judge(input: PolicyInput, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { oidc } = ctx
  const { errors } = input.packages.openid
  // The page has just decided, and its result can be used once.
  if (oidc.result?.login) return false
  // A new interaction would carry on what the client has vouched for, for as long as somebody likes.
  if (oidc.route === 'resume') throw new errors.AccessDenied('the person left the sign-in')
  const client = await input.state.client(oidc.client?.clientId ?? '')
  if (!client) throw new errors.InvalidClient('unknown client')
  await input.signedRequests.useUp(ctx)
  const requirement = requirementOf(oidc.params ?? {})
  if (isUnknown(requirement)) throw new errors.UnmetAuthenticationRequirements('no requested acr is supported')
  if (client.kind === 'external') requireHint(oidc, errors)
  const app = await input.apps.find(client.kind, client.domain)
  if (!app) throw new errors.InvalidClient('the domain of the client does not exist')
  // Nobody can be asked: what this browser has passed already has to be enough.
  return !oidc.prompts.has('none') || !(await isMet(input, ctx, { client, app, requirement }))
}

/**
 * A name in the address bar is the word of whoever typed it: with it, a thief of a password would be approved as somebody else. So only
 * a client that has authenticated itself says who its user is.
 */
function requireHint(oidc: KoaContextWithOIDC['oidc'], { InvalidRequest }: Packages['openid']['errors']): void {
  if (hintOf(oidc.params ?? {}, oidc.trusted ?? []) !== undefined) return
  throw new InvalidRequest(
    oidc.params?.['login_hint'] === undefined
      ? 'login_hint is missing: send it in a pushed authorization request or in a signed request object'
      : 'login_hint counts only in a pushed authorization request or in a signed request object',
  )
}

/** The user whom a client names, if the client itself has said so. @param trusted The parameters that the client has authenticated. */
export function hintOf(params: Readonly<Record<string, unknown>>, trusted: readonly string[]): string | undefined {
  const { login_hint: hint } = params
  return typeof hint === 'string' && trusted.includes('login_hint') ? hint : undefined
}

/** The member of the domain whom a client calls by username. A username may look like an id, so a hint is never one. */
export const findHinted = (service: ConnectedService, hint: string): Promise<User | undefined> =>
  findMember(service, { username: hint })

interface UnattendedRequest {
  readonly client: OidcClient
  readonly app: SignInApp
  readonly requirement: Requirement
}

/** Whether the browser is verified as the client needs it. Then the tokens say what was verified, and when. */
async function isMet(
  input: PolicyInput,
  ctx: KoaContextWithOIDC,
  { client, app, requirement }: UnattendedRequest,
): Promise<boolean> {
  const { oidc, req, res } = ctx
  const { context, session, verified } = await app.enter(req, res)
  const { userId } = session
  if (!verified || userId === undefined || oidc.account?.accountId !== userId) return false
  if (needsNewStep(requirement, verified, input.now())) return false
  const subject = oidc.entities.IdTokenHint?.payload['sub'] ?? requirement.subject
  if (subject !== undefined && subject !== userId) return false
  const service = await context.mfa.connect()
  if (client.kind === 'external') {
    const hinted = await findHinted(service, hintOf(oidc.params ?? {}, oidc.trusted ?? []) ?? '')
    if (hinted?.id !== userId) return false
  }
  const worth = await worthOf(service, { userId, verified, kind: client.kind, requirement })
  if (worth.kind !== 'enough') return false
  const { acr, amr } = worth
  oidc.session?.loginAccount({ accountId: userId, loginTs: verified.at, acr, amr: [...amr] })
  return true
}
