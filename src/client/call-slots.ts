import { UnreachableError } from './errors.ts'

/** The part of all slots that the calls of one caller may take. */
const callerShare = 1 / 4
/** How many calls of one caller may queue; further ones are rejected at once. */
const maxQueuedPerCaller = 64

/** How a call waits for a slot. */
export interface SlotRequest {
  /** Starts the time limit of the wait; without it only the signal ends the wait. */
  readonly startTimeout?: (() => AbortSignal) | undefined
  readonly signal?: AbortSignal | undefined
  /** Callers share the slots fairly. Calls without a caller have no share that limits them. */
  readonly caller?: string | undefined
}

export interface CallSlots {
  /**
   * @returns the function that releases the slot.
   * @throws {UnreachableError} when no slot is free in time.
   */
  acquire(request: SlotRequest): Promise<() => void>
}

/** The slots that a caller holds, and the calls that wait for one. */
interface Caller {
  inUse: number
  readonly queue: Set<() => void>
}

/** Limits concurrent calls to `size`. Further calls queue; callers take turns, and no caller gets all slots. */
export function createCallSlots(size: number): CallSlots {
  const share = Math.max(1, Math.ceil(size * callerShare))
  /** Callers by name, '' for calls without a caller; in the order of their turns. */
  const callers = new Map<string, Caller>()
  let slotsInUse = 0

  const isFree = (name: string, caller: Caller) => slotsInUse < size && (name === '' || caller.inUse < share)

  function take(name: string, caller: Caller): () => void {
    slotsInUse++
    caller.inUse++
    return () => {
      slotsInUse--
      caller.inUse--
      forgetIdle(name, caller)
      serveNext()
    }
  }

  function forgetIdle(name: string, caller: Caller): void {
    if (caller.inUse === 0 && caller.queue.size === 0 && callers.get(name) === caller) callers.delete(name)
  }

  function serveNext(): void {
    for (const [name, caller] of callers) {
      const [next] = caller.queue
      if (!next || !isFree(name, caller)) continue
      // To the end of the line: the next turn of this caller comes after those of all others.
      callers.delete(name)
      callers.set(name, caller)
      next()
      return
    }
  }

  return {
    acquire({ startTimeout, signal, caller: name = '' }) {
      const caller = callers.get(name) ?? { inUse: 0, queue: new Set() }
      callers.set(name, caller)
      if (isFree(name, caller) && caller.queue.size === 0) return Promise.resolve(take(name, caller))
      if (name !== '' && caller.queue.size >= maxQueuedPerCaller) {
        return Promise.reject(new UnreachableError('no_room', 'This user has too many calls waiting.'))
      }
      return new Promise((resolve, reject) => {
        const end = AbortSignal.any([startTimeout?.(), signal].filter((each) => each !== undefined))
        const onTurn = () => {
          caller.queue.delete(onTurn)
          end.removeEventListener('abort', onEnd)
          resolve(take(name, caller))
        }
        const onEnd = () => {
          caller.queue.delete(onTurn)
          forgetIdle(name, caller)
          const timeout = new UnreachableError('no_room', 'Timed out waiting for a free request slot.')
          reject(signal?.aborted ? (signal.reason as Error) : timeout)
        }
        caller.queue.add(onTurn)
        end.addEventListener('abort', onEnd, { once: true })
        if (end.aborted) onEnd()
      })
    },
  }
}
