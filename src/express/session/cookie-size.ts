import { isDeepStrictEqual } from 'node:util'

import type { MfaState } from './mfa-state.ts'

/** Browsers ignore a cookie whose name and value are longer, in bytes (RFC 6265bis section 5.6). */
export const maxCookieSize = 4096

interface Circumstances {
  /** Where the user continues instead of at a page that does not fit. */
  readonly home: string
  /** What the cookie holds so far. */
  readonly before: Pick<MfaState, 'setup' | 'codes'> | undefined
}

/**
 * A state, and what is left of it where it does not fit into a cookie. The challenges of other browsers go first: nobody else
 * sends this cookie; then all approvals but the newest. Then the pages go to which the user wanted to return; the longest links come from
 * there. Where that is not enough, the secrets go that an earlier page has shown, perhaps in another tab; never those that a page is about
 * to show.
 */
export function smallerStates(state: MfaState, { home, before }: Circumstances): readonly MfaState[] {
  const ownState = { ...state, otherChallenges: undefined }
  const newest = { ...ownState, approvals: state.approvals?.slice(-1) }
  const withoutSecrets = withoutFormerSecrets(newest, before)
  return [state, ownState, newest, withoutReturnTo(newest, home), withoutSecrets, withoutReturnTo(withoutSecrets, home)]
}

function withoutFormerSecrets(state: MfaState, before: Circumstances['before']): MfaState {
  return {
    ...state,
    setup: isDeepStrictEqual(state.setup, before?.setup) ? undefined : state.setup,
    codes: isDeepStrictEqual(state.codes, before?.codes) ? undefined : state.codes,
  }
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
