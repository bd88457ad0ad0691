import type { IncomingMessage, ServerResponse } from 'node:http'

import { onBehalfOf, withoutCaller } from '../store/caller.ts'
import { onWaiting } from './admission.ts'
import type { Admission } from './admission.ts'
import type { Handle } from './handle.ts'
import { urgencyOf } from './urgency.ts'
import type { Urgency } from './urgency.ts'

/** Requests under way, so that closing can wait for them. */
export interface InFlight {
  /** Counts what the handler is given. @param refuse Answers a request for which nothing is done. */
  track(handle: Handle, refuse: (req: IncomingMessage, res: ServerResponse, why: Refusal) => void): Handle
  /** From now on refuses requests that begin something; those that belong to a sign-in under way are still served. */
  refuseNew(): void
  /** From now on refuses all requests; resolves when the last one is answered. */
  drain(): Promise<void>
}

/** `closing`: it came too late. `overload`: there are more requests than can be served. */
export type Refusal = 'closing' | 'overload'

/** @param admission Refuses what is too much; without it everything is taken. */
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
        // Not ours: what the app does with it is not waited for.
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

/** @returns what is called once the request is answered; undefined where it is refused. */
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
  // Whoever sends a body slowly must not take the place of others: work begins again when the body is there.
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
