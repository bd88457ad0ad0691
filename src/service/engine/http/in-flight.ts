import type { IncomingMessage, ServerResponse } from 'node:http'

import { onBehalfOf, withoutCaller } from '../base/waiting-caller.ts'
import { onWaiting } from './admission.ts'
import type { Admission } from './admission.ts'
import type { Handle } from './handle.ts'
import type { Reader } from '../base/reader.ts'
import { urgencyOf } from './urgency.ts'
import type { Urgency } from './urgency.ts'

/** Requests in progress, so that closing can wait for them. */
export interface InFlight {
  /** Counts the handler's requests. @param refuse Answers a rejected request. */
  track(handle: Handle, refuse: (req: IncomingMessage, res: ServerResponse, refusal: Refusal) => void): Handle
  /** Counts a call in this process until its reader is closed. @throws {TypeError} if the service is closing. */
  run<T>(request: { readonly method: string; readonly url: string }, reader: Reader, act: () => T): T
  /** Begins to reject requests that begin something new. Those of a sign-in in progress are still served. */
  refuseNew(): void
  /** Begins to reject all requests. Resolves when the last response is sent. */
  drain(): Promise<void>
}

/** `closing`: it arrived too late. `overload`: there are more requests than can be served. */
export type Refusal = 'closing' | 'overload'

/** @param admission Rejects requests during overload; without it all are accepted. */
export function createInFlight(admission?: Admission): InFlight {
  let count = 0
  let refusesNew = false
  let drained: (() => void) | undefined

  /** @returns a function to call at the end of the request; it is also called when its reader is closed. */
  const enter = (reader: Reader, stopWorking = () => {}) => {
    count += 1
    let hasLeft = false
    const leave = () => {
      if (hasLeft) return
      hasLeft = true
      stopWorking()
      count -= 1
      if (count === 0) drained?.()
    }
    // A response that is closed does not emit the event again: it would count for ever.
    if (reader.closed) leave()
    else reader.once('close', leave)
    return leave
  }
  const isTooLate = (urgency: Urgency) => drained !== undefined || (refusesNew && urgency === 'begins')

  return {
    track: (handle, refuse) => (req, res, next) => {
      const urgency = urgencyOf(req)
      if (isTooLate(urgency)) return refuse(req, res, 'closing')
      const stopWorking = admission ? admit(admission, urgency, { req, res }) : () => {}
      if (!stopWorking) return refuse(req, res, 'overload')
      const leave = enter(res, stopWorking)
      onBehalfOf(callerOf(res), () =>
        // Not our request: closing does not wait for what the app does with it.
        handle(req, res, (error) => {
          leave()
          withoutCaller(() => next(error))
        }),
      )
    },
    run(request, reader, act) {
      if (isTooLate(urgencyOf(request))) throw new TypeError('The service is closing.')
      enter(reader)
      return onBehalfOf(callerOf(reader), act)
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

const callerOf = (reader: Reader) => ({
  gone: () => reader.destroyed && !reader.writableFinished,
  answered: () => reader.destroyed || reader.writableFinished,
})

/** @returns a function to call when the request is answered; undefined if it is rejected. */
function admit(
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
