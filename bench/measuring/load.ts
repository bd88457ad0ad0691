import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

import type { Traffic } from '../loads/counting-browser.ts'

/** One round of load. */
export interface Sample {
  readonly perSecond: number
  /** The time for one unit of work, milliseconds. */
  readonly latency: number
  /** Processor time for each unit of work, by the names of the processes, milliseconds. */
  readonly cpu: Readonly<Record<string, number>>
}

/** A process whose time is counted. */
export interface Counted {
  readonly pid: number
  readonly withChildren?: boolean
}

/** The order of a round for a load generator. */
export interface RoundOrder {
  readonly milliseconds: number
  readonly atATime: number
  /** How many units of work start in a second, at most; without it, the next one starts when one has ended. */
  readonly rate?: number | undefined
  readonly counted: Readonly<Record<string, Counted>>
}

/** A load generator in its own process. */
export interface RunningLoad {
  readonly facts: Facts
  round(order: RoundOrder): Promise<Sample>
  stop(): void
}

/** What a load knows about its units of work. */
export interface Facts {
  /** Whether the same code passes twice. */
  readonly replayed?: boolean
  /** The traffic of one unit. */
  readonly traffic?: Traffic
}

/** The load that a module of `bench/loads/` creates. */
export interface Load {
  /** How many units make a pass, such as the users who each enter a code. */
  readonly size: number
  readonly facts?: Facts
  /** Runs before each pass and is not measured: moves the clocks, so that each user has a new code, and signs users in. */
  nextPass?(): Promise<void>
  /** Does one unit of work, or throws. */
  unit(index: number): Promise<void>
}

/** @param name A module of `bench/loads/`, which exports `createLoad(options)`. */
export async function startLoad(name: string, options: object): Promise<RunningLoad> {
  const child = fork(new URL('./load-generator.ts', import.meta.url), [name], {
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  child.send(options)
  const facts = await answer<Facts>(child, name)
  return {
    facts,
    async round(order) {
      child.send(order)
      return answer<Sample>(child, name)
    },
    stop: () => void child.kill(),
  }
}

async function answer<T>(child: ChildProcess, name: string): Promise<T> {
  const ended = new AbortController()
  const { signal } = ended
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message as T),
      once(child, 'exit', { signal }).then(() => Promise.reject(new Error(`The load "${name}" has failed.`))),
    ])
  } finally {
    ended.abort()
  }
}
