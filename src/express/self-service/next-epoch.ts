import type { Outcome } from '../request/outcome.ts'
import { andThen } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import type { MfaState } from '../session/mfa-state.ts'

/**
 * Makes a change that ends the user's verified web sessions except this one: this one knows the next epoch before the
 * service does, so nothing that happens in between can end it. It gets a new id first, so that only this browser knows the
 * epoch: a cookie that was copied before has the old id, and ends.
 */
export function withNextEpoch<R extends WebRequest>(
  request: R,
  change: (request: R, epoch: string) => Promise<Outcome>,
): Outcome {
  const { epoch, state } = drawEpoch(request)
  return andThen(request, { state: { renew: state } }, async (saved) => {
    try {
      return await change(saved, epoch)
    } finally {
      const { verified } = saved.state
      if (verified) saved.context.mfa.epochs.invalidate(verified.userKey)
    }
  })
}

/** The same for a change that comes later and elsewhere: the next epoch that this web session knows. */
export function nextEpoch(request: WebRequest): { readonly epoch: string; readonly state: MfaState } {
  const { state, context } = request
  const { verified } = state
  const verifiedEpoch = verified?.nextEpoch
  const isUsed = verified !== undefined && context.mfa.epochs.current(verified.userKey) === verifiedEpoch
  return verifiedEpoch === undefined || isUsed ? drawEpoch(request) : { epoch: verifiedEpoch, state }
}

function drawEpoch({ state, context: { mfa } }: WebRequest): { readonly epoch: string; readonly state: MfaState } {
  const newEpoch = Buffer.from(mfa.options.random(16)).toString('base64url')
  const { verified } = state
  if (!verified) return { epoch: newEpoch, state }
  const { userKey, nextEpoch: before } = verified
  // The change before this one may have been made.
  const epoch = before !== undefined && mfa.epochs.current(userKey) === before ? before : verified.epoch
  return { epoch: newEpoch, state: { ...state, verified: { ...verified, epoch, nextEpoch: newEpoch } } }
}
