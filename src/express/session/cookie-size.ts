import type { MfaState } from './mfa-state.ts'

/** Browsers ignore a cookie whose name and value are longer, in bytes (RFC 6265bis section 5.6). */
export const maxCookieSize = 4096

/**
 * A state, and what is left of it where it does not fit into a cookie. The challenges of other browsers go first: nobody else
 * sends this cookie; then all approvals but the newest. Then the pages go to which the user wanted to return; the longest links come from there.
 *
 * @param home Where the user continues instead.
 */
export function smallerStates(state: MfaState, home: string): readonly MfaState[] {
  const ownState = { ...state, otherChallenges: undefined }
  const newest = { ...ownState, approvals: state.approvals?.slice(-1) }
  return [state, ownState, newest, withoutReturnTo(newest, home)]
}

function withoutReturnTo(state: MfaState, home: string): MfaState {
  const { challenge, offer, codes, passkeyOffer } = state
  return {
    ...state,
    lastReturnTo: undefined,
    challenge: challenge && { ...challenge, returnTo: home, giveUpTo: undefined },
    offer: offer && { ...offer, returnTo: home },
    codes: codes && { ...codes, returnTo: home },
    passkeyOffer: passkeyOffer && { returnTo: home },
  }
}
