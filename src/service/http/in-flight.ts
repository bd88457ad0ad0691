import type { IncomingMessage, ServerResponse } from 'node:http'

import { onBehalfOf, withoutCaller } from '../store/caller.ts'
import { onWaiting } from './admission.ts'
import type { Admission } from './admission.ts'
import type { Handle } from './handle.ts'
import { urgencyOf } from './urgency.ts'
import type { Urgency } from './urgency.ts'

/** Requests in progress, so that closing can wait for them. */
export interface InFlight {
  /** Counts the handler's requests. @param refuse Answers a rejected request. */
  track(handle: Handle, refuse: (req: IncomingMessage, res: ServerResponse, why: Refusal) => void): Handle
  /** From now on rejects requests that begin something new. Those of a sign-in in progress are still served. */
  refuseNew(): void
  /** From now on rejects all requests. Resolves when the last response is sent. */
  drain(): Promise<void>
}

/** `closing`: it arrived too late. `overload`: there are more requests than can be served. */
export type Refusal = 'closing' | 'overload'

/** @param admission Rejects requests during overload; without it all are accepted. */
export function createInFlight(admission?: Admission): InFlight {
  let count = 0
  let refusesNew = false
  let drained: (() => void) | undefined

  const leave = () => {
    count -= 1
    if (count === 0) drained?.()
  }
  const isTooLate = (urgency: Urgency) => drained !== undefined || (refusesNew && urgency === 'begins')

  return {
    track: (handle, refuse) => (req, res, next) => {
      const urgency = urgencyOf(req)
      if (isTooLate(urgency)) return refuse(req, res, 'closing')
      const stopWorking = admission ? enter(admission, urgency, { req, res }) : () => {}
      if (!stopWorking) return refuse(req, res, 'overload')
      count += 1
      let left = false
      const leaveOnce = () => {
        if (left) return
        left = true
        stopWorking()
        leave()
      }
      res.once('close', leaveOnce)
      const caller = { gone: () => res.destroyed && !res.writableFinished }
      onBehalfOf(caller, () =>
        // Not our request: closing does not wait for what the app does with it.
        handle(req, res, (error) => {
          leaveOnce()
          withoutCaller(() => next(error))
        }),
      )
    },
    refuseNew() {
      refusesNew = true
    },
    drain: () =>
      new Promise((resolve) => {
        drained = resolve
        if (count === 0) resolve()
      }),
  }
}

/** @returns a function to call when the request is answered; undefined if it is rejected. */
function enter(
  admission: Admission,
  urgency: Urgency,
  { req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse },
): (() => void) | undefined {
  let stop = admission.enter(urgency)
  if (!stop) return undefined
  let over = false
  const end = () => {
    over = true
    stop?.()
  }
  onWaiting(res, end)
  // A slow upload must not take capacity from others: the request counts again when its body is complete.
  if (hasBody(req)) {
    setImmediate(() => {
      if (over || req.complete) return
      stop?.()
      req.once('end', () => {
        if (!over) stop = admission.enter('finishes')
      })
    })
  }
  return end
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
