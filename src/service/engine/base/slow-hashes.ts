import { scrypt } from 'node:crypto'
import { availableParallelism } from 'node:os'

import { ApiProblem } from './problem.ts'

/** The parameters of scrypt (RFC 7914 section 2). */
export interface HashCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

export interface HashInput {
  readonly text: string
  readonly salt: string | Uint8Array
  readonly cost: HashCost
}

/** What is hashed. Each purpose has a queue of its own, so guesses of recovery codes do not hold up the PINs of others. */
export type HashPurpose = 'pin' | 'code'

/** Slow hashes of secrets that people type. */
export interface SlowHashes {
  /** @throws {ApiProblem} if the queue is full. Call it before an attempt is counted, as `hash` itself always waits. */
  readonly requireRoom: (purpose: HashPurpose) => void
  /** @returns 32 bytes. */
  readonly hash: (purpose: HashPurpose, input: HashInput) => Promise<Buffer>
}

/**
 * Runs a limited number of hashes at a time, from the two queues in turn: Node runs them on threads that WebCrypto, files and name
 * lookups share, first in, first out, so hashes without a limit would hold up every passkey.
 * @param maxWaiting The length of a queue at which further callers are refused.
 */
export function createSlowHashes(concurrent: number, maxWaiting: number, derive = deriveKey): SlowHashes {
  const waiting: Readonly<Record<HashPurpose, (() => void)[]>> = { pin: [], code: [] }
  let running = 0
  let last: HashPurpose = 'code'

  function startNext(): void {
    const order: readonly HashPurpose[] = last === 'pin' ? ['code', 'pin'] : ['pin', 'code']
    const next = order.find((purpose) => waiting[purpose].length > 0)
    if (next === undefined || running >= concurrent) return
    running += 1
    last = next
    waiting[next].shift()?.()
  }

  return {
    requireRoom(purpose) {
      if (waiting[purpose].length < maxWaiting) return
      const message = 'The service is checking as many PINs and codes as it can. Try again in a moment.'
      throw new ApiProblem('api.error.unavailable', message, { headers: { 'Retry-After': '2' } })
    },
    async hash(purpose, input) {
      await new Promise<void>((resolve) => {
        waiting[purpose].push(resolve)
        startNext()
      })
      try {
        return await derive(input)
      } finally {
        running -= 1
        startNext()
      }
    },
  }
}

/** The number of those threads; see UV_THREADPOOL_SIZE in Node's documentation. */
const threads = Number(process.env['UV_THREADPOOL_SIZE']) || 4

const concurrent = Math.max(1, Math.floor(Math.min(availableParallelism(), threads) / 2))

/** The hashes of this process, which has one pool of threads. A queue of 64 takes about three seconds. */
export const slowHashes = createSlowHashes(concurrent, 64 * concurrent)

function deriveKey({ text, salt, cost }: HashInput): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: 64 * 1024 * 1024 }
    scrypt(text, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
