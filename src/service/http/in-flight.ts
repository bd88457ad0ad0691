import type { ServerResponse } from 'node:http'

import type { Handle } from './handle.ts'

/** Requests under way, so that closing can wait for them. */
export interface InFlight {
  /** Counts what the handler is given. @param refuse Answers a request that came too late. */
  track(handle: Handle, refuse: (res: ServerResponse) => void): Handle
  /** From now on refuses new requests; resolves when the last one is answered. */
  drain(): Promise<void>
}

export function createInFlight(): InFlight {
  let count = 0
  let drained: (() => void) | undefined

  const leave = () => {
    count -= 1
    if (count === 0) drained?.()
  }

  return {
    track: (handle, refuse) => (req, res, next) => {
      if (drained) return refuse(res)
      count += 1
      let left = false
      const leaveOnce = () => {
        if (left) return
        left = true
        leave()
      }
      res.once('close', leaveOnce)
      // Not ours: what the app does with it is not waited for.
      handle(req, res, (error) => {
        leaveOnce()
        next(error)
      })
    },
    drain: () =>
      new Promise((resolve) => {
        drained = resolve
        if (count === 0) resolve()
      }),
  }
}
