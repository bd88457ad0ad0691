import { ApprovalContent } from '../contract/approvals.ts'
import type { Approval, ApprovalReason } from '../contract/approvals.ts'
import { ApiError } from '../client/errors.ts'
import type { RelyingParty } from '../contract/relying-party.ts'
import type { PasskeyAnswer } from '../contract/passkeys.ts'
import { parseJson } from '../contract/validate.ts'
import type { CeremonyOptions } from './passkey.ts'
import { secondsToWait, unlessRejected } from './rejection.ts'
import type { ConnectedService } from './service.ts'
import type { MfaUser } from './user.ts'
import { referenceOf } from './user.ts'

/** The title and the facts of an action, as the person sees them. */
export interface Action {
  readonly title: string
  readonly details: readonly { readonly label: string; readonly value: string }[]
}

/** A request to approve an action. */
export interface NewActionApproval extends Action {
  readonly user: MfaUser
  /** Only this value redeems the approval. */
  readonly challenge: string
  /** Seconds. */
  readonly expiresIn: number | undefined
}

/** Why a person is not asked. Times in Unix seconds. */
export type NotAsked =
  | { readonly kind: 'no_device' }
  /** The person said of an earlier request that they had not asked for it. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'throttled'; readonly until: number }

export type Asked = { readonly approval: Approval } | { readonly notAsked: NotAsked }

/** Asks the user to approve an action. It never signs anybody in. @param now Unix time, seconds. */
export async function askToApprove(
  { client, domainId }: ConnectedService,
  { user, title, details, challenge, expiresIn }: NewActionApproval,
  now: number,
): Promise<Asked> {
  try {
    const approval = await client.approvals.create(domainId, {
      user: referenceOf(user),
      title,
      details: [...details],
      numberMatching: true,
      challenge,
      ...(expiresIn === undefined ? {} : { expiresIn }),
    })
    return { approval }
  } catch (error) {
    const notAsked = reasonOf(error, now)
    if (!notAsked) throw error
    return { notAsked }
  }
}

function reasonOf(error: unknown, now: number): NotAsked | undefined {
  const wait = secondsToWait(error)
  if (wait !== undefined) return { kind: 'throttled', until: now + wait }
  if (!(error instanceof ApiError)) return undefined
  if (withoutDevice.has(error.code)) return { kind: 'no_device' }
  return error.code === 'api.error.forbidden.requester' ? { kind: 'blocked' } : undefined
}

const withoutDevice: ReadonlySet<string> = new Set(['api.error.notfound.token', 'api.error.notfound.user'])

/** An approval that was asked for. */
interface AskedApproval {
  readonly id: string
  /** How far the service's clock was ahead of ours then, seconds; undefined where they agreed. */
  readonly serviceAhead?: number | undefined
}

/** @returns it with its times by our clock; undefined where the service no longer has it. */
export async function readApproval(
  { client, domainId }: ConnectedService,
  { id, serviceAhead }: AskedApproval,
): Promise<Approval | undefined> {
  const approval = await unlessRejected(client.approvals.get(domainId, id), 'api.error.notfound.approval')
  return approval && byOurClock(approval, serviceAhead)
}

/** The times outside the content, which is signed. */
export function byOurClock(approval: Approval, serviceAhead = 0): Approval {
  const { createdAt, expiresAt, redeemedAt } = approval
  return {
    ...approval,
    createdAt: createdAt - serviceAhead,
    expiresAt: expiresAt - serviceAhead,
    ...(redeemedAt !== undefined && { redeemedAt: redeemedAt - serviceAhead }),
  }
}

/** Redeems an approval, once over all nodes of the app. @returns undefined if it does not count (anymore). */
export async function redeemApproval(
  { client, domainId }: ConnectedService,
  id: string,
  challenge: string,
): Promise<Approval | undefined> {
  const redeemed = client.approvals.redeem(domainId, id, challenge)
  const approval = await unlessRejected(redeemed, 'api.error.conflict.state', 'api.error.notfound.approval')
  return approval?.state === 'approved' ? approval : undefined
}

export async function cancelApproval({ client, domainId }: ConnectedService, id: string): Promise<void> {
  await unlessRejected(client.approvals.cancel(domainId, id), 'api.error.notfound.approval')
}

/** Resolves once the approval has settled, or is gone. */
export async function whenApprovalSettled(
  { client, domainId }: ConnectedService,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  await unlessRejected(client.approvals.wait(domainId, id, { signal }), 'api.error.notfound.approval')
}

interface PasskeyUse {
  readonly id: string
  readonly user: MfaUser
  readonly rp: RelyingParty
}

/** The options with which the browser approves by a passkey. */
export async function startApprovalByPasskey(
  { client, domainId }: ConnectedService,
  { id, user, rp }: PasskeyUse,
): Promise<CeremonyOptions> {
  const body = { user: referenceOf(user), rp: { id: rp.id, origins: rp.origins } }
  const started = client.approvals.startByPasskey(domainId, id, body)
  try {
    return await unlessRejected(
      started,
      'api.error.notfound.passkey',
      'api.error.notfound.user',
      'api.error.notfound.approval',
      'api.error.conflict.state',
    )
  } catch (error) {
    if (secondsToWait(error) === undefined) throw error
    return 'busy'
  }
}

/** Has the service check the answer of the passkey. @returns whether it was right. */
export async function approveByPasskey(
  { client, domainId }: ConnectedService,
  { id, user, rp, passkey }: PasskeyUse & { readonly passkey: PasskeyAnswer },
): Promise<boolean> {
  const body = { user: referenceOf(user), rp: { id: rp.id, origins: rp.origins }, passkey }
  const approved = await unlessRejected(
    client.approvals.byPasskey(domainId, id, body),
    'api.error.invalid.passkey',
    'api.error.notfound.user',
    'api.error.notfound.approval',
    'api.error.conflict.state',
  )
  return approved !== undefined
}

/** How an approval ended without being approved; undefined while it waits, and where it was approved. */
export interface EndedApproval {
  readonly state: 'denied' | 'expired' | 'cancelled'
  readonly reason: ApprovalReason | undefined
}

export function endOfApproval({ state, reason }: Pick<Approval, 'state' | 'reason'>): EndedApproval | undefined {
  return state === 'pending' || state === 'approved' ? undefined : { state, reason }
}

/** What devices show and sign of it. */
export function contentOf(approval: Approval): ApprovalContent {
  return ApprovalContent.parse(parseJson(approval.content))
}
