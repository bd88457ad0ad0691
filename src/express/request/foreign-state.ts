import type { MfaState } from '../session/mfa-state.ts'
import type { RequestContext } from './context.ts'

/**
 * Whether MFA state is not that of this user at this service. State of another user ended with that user's login; and state of
 * another service says nothing about the user who has the same name here.
 */
export function isForeign(
  state: MfaState,
  { userKey, mfa: { options } }: Pick<RequestContext, 'userKey' | 'mfa'>,
): boolean {
  const { service = options.serviceId } = state
  const isOwn = (part: { readonly userKey: string } | undefined) => !part || part.userKey === userKey
  if (service !== options.serviceId || !partsOfUsers.every((name) => isOwn(state[name]))) return true
  return state.otherChallenges?.every(isOwn) === false || state.approvals?.every(isOwn) === false
}

const partsOfUsers = [
  'verified',
  'challenge',
  'letThrough',
  'setup',
  'remembered',
  'ownId',
  'passkeyPass',
  'shownReplacement',
] as const
